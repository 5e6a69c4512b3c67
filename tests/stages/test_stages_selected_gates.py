"""Gates in a partial run: those that none of the selected cases belongs to are left out, and the run says so."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from proctor.plan import Gate, Outline, Source
from proctor.stages.selection import gates_of_selection


def source_of(*outlines: Outline) -> Source:
    return Source("transcript", Path("evals/all.yaml"), "evals/all.yaml", "digest", outlines)


ALL = source_of(Outline("a", "a", 1, 1.0, tags=("core",)), Outline("b", "b", 1, 1.0, tags=("edge",)))
ONLY_A = source_of(Outline("a", "a", 1, 1.0, tags=("core",)))


def chosen(*gates: Gate, selected: Source = ONLY_A) -> tuple[tuple[Gate, ...], tuple[str, ...]]:
    return gates_of_selection(gates, [ALL], [selected])


class TestGatesOfASelection:
    def test_a_gate_whose_cases_are_all_outside_is_left_out(self) -> None:
        core, edge = Gate("core", tags=("core",)), Gate("edge", tags=("edge",))
        assert chosen(core, edge) == ((core,), ("edge",))

    def test_a_misspelt_gate_stays_and_so_is_not_met(self) -> None:
        misspelt = Gate("cor", tags=("cor",))
        assert chosen(misspelt) == ((misspelt,), ())

    def test_a_pin_outside_the_selection_is_dropped_and_an_unknown_one_stays(self) -> None:
        gate = Gate("core", tags=("core",), must_pass=("a", "b", "nobody"))
        assert chosen(gate) == ((Gate("core", tags=("core",), must_pass=("a", "nobody")),), ())

    def test_a_gate_of_pins_only_is_left_out_when_none_is_selected(self) -> None:
        assert chosen(Gate("pins", must_pass=("b",))) == ((), ("pins",))

    @given(st.lists(st.sampled_from(["core", "edge", "x"]), max_size=2), st.lists(st.sampled_from("abz"), max_size=2))
    def test_a_selection_of_everything_leaves_every_gate_as_it_is(self, tags: list[str], pins: list[str]) -> None:
        gate = Gate("g", tags=tuple(tags), must_pass=tuple(pins))
        assert chosen(gate, selected=ALL) == ((gate,), ())
