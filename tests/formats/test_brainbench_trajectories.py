"""A transcript as the trial that it records, and the name of the adapter that it stands under."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from recorded_transcripts import answer, call, model, result, transcript

from proctor.brainbench.facts import facts_of
from proctor.formats.brainbench.adapters import adapter_name
from proctor.formats.brainbench.trajectories import MOST_CHARACTERS, recorded_trajectory
from proctor.trajectory import Trajectory, Usage

BACKWARDS = {"started_at": "2026-02-11T09:00:04.000Z", "ended_at": "2026-02-11T09:00:01.500Z"}


def trial(*turns: dict[str, Any], **members: Any) -> Trajectory:
    found = transcript(*turns, **members)
    return recorded_trajectory(found, facts_of(found), "Who keeps the lamp?")


def asked(name: str | None, tokens: tuple[int, int] = (10, 5)) -> dict[str, Any]:
    """A turn of a model, which may have no name."""
    turn = model("end_turn", tokens)
    payload = {key: value for key, value in turn["model_call"].items() if key != "model_id"}
    return {**turn, "model_call": payload if name is None else {**payload, "model_id": name}}


class TestTheExchange:
    def test_is_the_probe_and_the_last_answer(self) -> None:
        [turn] = trial(model(), answer("First."), answer("Ada Fenn.")).turns
        assert (turn.user, turn.reply) == ("Who keeps the lamp?", "Ada Fenn.")
        assert trial(model(), call(), result()).turns[0].reply is None

    def test_has_each_call_with_the_result_behind_it(self) -> None:
        gone = '{"error":"no page","kind":"tool_error"}'
        [turn] = trial(
            model(),
            call("search", query="lamp"),
            result("[1]"),
            call("get_page", slug="people/ada-fenn"),
            result(gone, "get_page"),
            answer(),
        ).turns
        assert [(each.name, each.arguments, each.result, each.is_error) for each in turn.tool_calls] == [
            ("search", {"query": "lamp"}, "[1]", False),
            ("get_page", {"slug": "people/ada-fenn"}, gone, True),
        ]

    def test_has_calls_and_results_that_do_not_find_each_other(self) -> None:
        [turn] = trial(call("search", query="lamp"), model(), result("[1]", "query"), answer("Ada.")).turns
        assert [(each.name, each.arguments, each.result) for each in turn.tool_calls] == [
            ("search", {"query": "lamp"}, None),
            ("query", None, "[1]"),
        ]

    def test_keeps_the_beginning_of_what_is_too_long_for_the_store(self) -> None:
        whole, long = "x" * MOST_CHARACTERS, "x" * (MOST_CHARACTERS + 1_234)
        [turn] = trial(call(query=long), result([long]), call(query="a"), result(whole), answer()).turns
        first, second = turn.tool_calls
        cut = " […1,247 more characters…]"
        assert (str(first.arguments)[:12], str(first.arguments)[-len(cut) :]) == ('{"query": "x', cut)
        assert (str(first.result)[:4], len(str(first.result)) < MOST_CHARACTERS + 40) == ('["xx', True)
        assert (second.arguments, second.result) == ({"query": "a"}, whole)


class TestTheTime:
    @pytest.mark.parametrize(
        ("members", "ms"),
        [
            ({"elapsed_ms": 1234}, 1234.0),
            ({"elapsed_ms": 0}, 0.0),
            (BACKWARDS, 4250.0),
        ],
    )
    def test_is_the_one_that_is_declared(self, members: dict[str, Any], ms: float) -> None:
        found = trial(model(), answer(), **members)
        assert (found.latency_ms, found.turns[0].latency_ms) == (ms, ms)

    @pytest.mark.parametrize(
        ("members", "ms"),
        [({}, 4250.0), (BACKWARDS, 0.0), ({"ended_at": "2026-06-30T23:59:60Z"}, 0.0)],
    )
    def test_is_else_that_between_the_timestamps_as_far_as_they_tell_one(
        self, members: dict[str, Any], ms: float
    ) -> None:
        found = transcript(model(), answer(), **members)
        del found["elapsed_ms"]
        made = recorded_trajectory(found, facts_of(found), "")
        assert (made.latency_ms, made.turns[0].latency_ms) == (ms, ms)


class TestTheUsage:
    def test_is_that_of_the_turns_of_the_model(self) -> None:
        found = trial(
            model(tokens=(10, 5)), model(tokens=(20, 7)), answer(), total_input_tokens=1, total_output_tokens=2
        )
        assert found.usage == found.turns[0].usage == Usage(30, 12, requests=2)

    def test_is_the_declared_one_without_such_turns(self) -> None:
        declared = {"total_input_tokens": 900, "total_output_tokens": 80}
        assert trial(answer(), **declared).usage == Usage(900, 80)
        bare = transcript(answer())
        del bare["total_input_tokens"], bare["total_output_tokens"]
        assert recorded_trajectory(bare, facts_of(bare), "").usage == Usage()

    def test_is_never_below_zero(self) -> None:
        assert trial(model(tokens=(-10, -5)), answer()).usage == Usage(0, 0, requests=1)

    def test_costs_what_each_turn_costs_by_its_own_model(self) -> None:
        """By million tokens: Sonnet 3 and 15 dollars, Haiku 1 and 5."""
        found = trial(
            asked("claude-sonnet-4-6", (100_000, 10_000)), asked("claude-haiku-4-5", (10_000, 20_000)), answer()
        )
        assert found.usage == Usage(110_000, 30_000, requests=2, cost_usd=Decimal("0.56"))

    @pytest.mark.parametrize("name", ["pilot-1", None, ""])
    def test_has_no_cost_where_one_turn_has_none(self, name: str | None) -> None:
        turns = [asked("claude-sonnet-4-6"), asked(name), asked("claude-sonnet-4-6")]
        assert trial(*turns, answer()).usage == Usage(30, 15, requests=3)

    def test_has_no_cost_without_a_turn_of_a_model(self) -> None:
        assert trial(call(), result(), answer()).usage.cost_usd is None


class TestTheNameOfAnAdapter:
    @pytest.mark.parametrize(
        ("name", "stack", "shown"),
        [
            ("archivist", "vector-1.2", "archivist (vector-1.2)"),
            ("archivist", "", "archivist"),
            (" the\n archivist ", " a\tb ", "the archivist (a b)"),
            ("", "vector-1.2", "unnamed adapter (vector-1.2)"),
            (" ", "\n", "unnamed adapter"),
            ("a\x1b[31m", "b\u202e", "a<1B>[31m (b<202E>)"),
        ],
    )
    def test_is_its_name_with_its_stack(self, name: str, stack: str, shown: str) -> None:
        assert adapter_name({"name": name, "stack_id": stack}) == shown

    def test_is_never_one_that_stands_for_nobody(self) -> None:
        assert adapter_name({"name": "recorded", "stack_id": ""}) == "recorded (adapter)"
        assert adapter_name({"name": "recording", "stack_id": ""}) == "recording (adapter)"

    def test_stays_another_one_however_long_the_names_are(self) -> None:
        long = "a" * 80
        assert adapter_name({"name": long, "stack_id": ""}) == long
        one, other = (adapter_name({"name": long + end, "stack_id": ""}) for end in ("b", "c"))
        assert one != other
        assert one.startswith(f"{long}…")
        assert len(one) == len(other) == 89
