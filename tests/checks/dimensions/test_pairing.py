"""The largest pairing, against trying everything."""

from __future__ import annotations

from itertools import permutations
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from proctor.checks.dimensions.pairing import unpaired

graphs = st.integers(0, 5).flatmap(
    lambda things: st.lists(
        st.lists(st.integers(0, things - 1), unique=True, max_size=things) if things else st.just([]), max_size=5
    )
)


def fewest_unpaired(candidates: list[list[int]]) -> int:
    """By trying every order of things, with as many blanks as there are wishes."""
    things = {thing for fitting in candidates for thing in fitting}
    slots = [*things, *[None] * len(candidates)]
    fulfilled = (
        sum(thing in fitting for thing, fitting in zip(chosen, candidates, strict=True))
        for chosen in permutations(slots, len(candidates))
    )
    return len(candidates) - max(fulfilled, default=0)


@given(graphs)
def test_leaves_as_few_as_possible(candidates: list[list[int]]) -> None:
    assert len(unpaired(candidates)) == fewest_unpaired(candidates)


@given(graphs, st.randoms(use_true_random=False))
def test_how_many_are_left_does_not_depend_on_the_order(candidates: list[list[int]], random: Any) -> None:
    shuffled = [list(fitting) for fitting in candidates]
    for fitting in shuffled:
        random.shuffle(fitting)
    random.shuffle(shuffled)
    assert len(unpaired(shuffled)) == len(unpaired(candidates))


def test_a_wish_that_could_take_anything_makes_room_for_one_that_cannot() -> None:
    assert unpaired([[0, 1], [0]]) == []
    assert unpaired([[0], [0, 1]]) == []
    assert unpaired([[0, 1], [1, 2], [0], [0]]) == [3]


def test_long_chains_need_no_deep_recursion() -> None:
    chain = [[index, index + 1] for index in range(5_000)]
    assert unpaired([*chain, [0]]) == []
    assert unpaired([*chain, [0], [0]]) == [5_001]


def test_wishes_without_hope_stay_cheap() -> None:
    everything = list(range(300))
    assert len(unpaired([everything] * 3_000)) == 2_700
