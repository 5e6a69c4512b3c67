"""Whatever an agent did becomes a transcript that loads, keeps every invariant that matters, and says what was done."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trial_of_a_probe import ADAPTER, START, trial, trials

from proctor.brainbench.eras import Era
from proctor.brainbench.facts import Tokens, facts_of
from proctor.brainbench.findings.invariants import Level, findings
from proctor.brainbench.planted.catalogue import Catalogue, PlantedItem
from proctor.brainbench.recording.probe_ids import ProbeIds, is_probe_id
from proctor.brainbench.recording.recorder import Adapter, Recorder, Unrecordable
from proctor.brainbench.recording.tool_output import ToolOutput
from proctor.brainbench.recording.trials import gaps, transcript_of
from proctor.brainbench.transcript import payload
from proctor.formats.brainbench.dialects import errors_of
from proctor.formats.brainbench.reading import read_transcripts
from proctor.trajectory import CacheOrigin, Ending, Step, ToolCall, Trajectory, TurnRecord, Usage

PLANTED = Catalogue([PlantedItem("poison-1", "emails/em-0311"), PlantedItem("poison-2", "people/orla")])
LOOK = ToolCall("search", {"query": "tea"}, "c1", [{"slug": "people/orla", "score": 1.0}])


def recorded(trajectory: Trajectory, probe_id: str = "q-0001", **more: Any) -> dict[str, Any]:
    return transcript_of(trajectory, probe_id, ADAPTER, START, PLANTED, **more)


def kinds(transcript: dict[str, Any]) -> list[str]:
    return [turn["kind"] for turn in transcript["turns"]]


def payloads(transcript: dict[str, Any]) -> list[dict[str, Any]]:
    return [dict(payload(turn)) for turn in transcript["turns"]]


def extras(transcript: dict[str, Any]) -> list[dict[str, Any]]:
    return [turn.get("proctor", {}) for turn in transcript["turns"]]


class TestEveryTrial:
    @given(trials)
    def test_becomes_a_transcript_of_both_dialects(self, trajectory: Trajectory) -> None:
        for dialect in Era:
            assert errors_of(recorded(trajectory), dialect) == []

    @given(trials)
    def test_keeps_every_invariant_that_matters(self, trajectory: Trajectory) -> None:
        transcript = recorded(trajectory)
        found = findings(transcript, facts_of(transcript), PLANTED)
        assert [each for each in found if each.level is Level.ERROR] == []
        allowed = {"unknown_tool", "evidence_ref_shape", "truncation_marker"}  # what the agent chose, not the recorder
        assert {each.code for each in found} <= allowed

    @given(trials)
    def test_can_be_read_from_its_file(self, trajectory: Trajectory) -> None:
        transcript = recorded(trajectory)
        data = json.dumps(transcript, ensure_ascii=False, allow_nan=False).encode("utf-8", "backslashreplace")
        reading = read_transcripts(Path("t.json"), data, Era.POST_AUDIT)
        assert reading.problems == ()
        assert [read.data["turns"][-1]["kind"] for read in reading.transcripts] == ["final_answer"]

    @given(trials)
    def test_says_which_tools_were_called_and_what_was_answered(self, trajectory: Trajectory) -> None:
        facts = facts_of(recorded(trajectory))
        [turn] = trajectory.turns
        assert facts.tool_names == tuple(call.name for call in turn.tool_calls)
        assert facts.answer == (turn.reply or "")
        assert facts.tool_errors >= sum(call.is_error for call in turn.tool_calls)
        used = turn.usage or trajectory.usage
        assert facts.summed == Tokens(used.input_tokens, used.output_tokens)
        assert round(facts.wall_ms or 0) == facts.elapsed_ms == round(trajectory.latency_ms)


class TestTheTurns:
    def test_are_a_model_call_the_pairs_of_its_calls_and_the_answer(self) -> None:
        usage = Usage(700, 90, cache_read_tokens=5, cost_usd=Decimal("0.25"))
        found = recorded(trial("Orla, see `people/orla`.", LOOK, usage=usage), model_id="pilot-1")
        assert payloads(found) == [
            {"model_id": "pilot-1", "input_tokens": 0, "output_tokens": 0},
            {"tool_name": "search", "tool_input": {"query": "tea"}},
            {
                "tool_name": "search",
                "content": '[{"slug":"people/orla","score":1}]',
                "truncated": False,
                "matched_poison_fixture_ids": ["poison-2"],
            },
            {"model_id": "pilot-1", "input_tokens": 700, "output_tokens": 90},
            {"text": "Orla, see `people/orla`.", "evidence_refs": ["people/orla"]},
        ]
        assert [turn["turn_index"] for turn in found["turns"]] == [0, 1, 2, 3, 4]
        assert (found["total_input_tokens"], found["total_output_tokens"]) == (700, 90)

    def test_of_calls_that_were_made_together_are_adjacent_pairs(self) -> None:
        calls = (LOOK, replace(LOOK, id="c2"), ToolCall("get_page", {}, "c3", "page"))
        steps = (Step("I look.", 2), Step(None, 1), Step("x", 0))
        found = recorded(trial("Done.", *calls, steps=steps))
        assert kinds(found) == [
            *("model_call", "tool_call", "tool_result", "tool_call", "tool_result"),
            *("model_call", "tool_call", "tool_result", "model_call", "final_answer"),
        ]
        assert extras(found)[0]["text"] == "I look."

    def test_have_what_the_format_does_not_know_in_open_places(self) -> None:
        failed = ToolCall("get_page", None, "c2", None, is_error=True)
        found = recorded(trial("Done.", LOOK, failed, context="Given."))
        assert extras(found) == [
            {"question": "Who?", "context": "Given."},
            {"call_id": "c1"},
            {"call_id": "c1"},
            {"call_id": "c2", "arguments_error": "the arguments were not recorded"},
            {"call_id": "c2", "is_error": True, "not_recorded": True},
            {},
            {"loop_end_reason": "end_turn"},
        ]

    def test_of_a_failed_call_hold_an_error_object(self) -> None:
        calls = [
            ToolCall("get_page", {}, None, result, is_error=True) for result in ("gone", {"error": "x", "kind": "y"})
        ]
        contents = [found["content"] for found in payloads(recorded(trial("a", *calls))) if "content" in found]
        assert contents == ['{"error":"gone","kind":"tool_error"}', '{"error":"x","kind":"y"}']

    def test_of_a_long_error_are_known_for_one(self) -> None:
        failed = ToolCall("get_page", {}, None, "\x01" * 100_000, is_error=True)
        assert facts_of(recorded(trial("a", failed))).tool_errors == 1

    def test_name_no_planted_item_for_writes_and_errors(self) -> None:
        calls = (
            ToolCall("dry_run_put_page", {}, None, "people/orla"),
            ToolCall("get_page", {}, None, "people/orla", is_error=True),
            ToolCall("get_page", {}, None, {"error": "people/orla", "kind": "gone"}),
            ToolCall("own_tool", {}, None, "people/orla"),
        )
        tags = [
            found["matched_poison_fixture_ids"]
            for found in payloads(recorded(trial("a", *calls)))
            if "content" in found
        ]
        assert tags == [[], [], [], ["poison-2"]]

    def test_cut_what_is_too_long(self) -> None:
        [found] = [
            each for each in payloads(recorded(trial("a", replace(LOOK, result="y" * 131_073)))) if "content" in each
        ]
        assert (len(found["content"]), found["truncated"]) == (131_072, True)

    def test_keep_arguments_that_are_no_object_beside_the_input(self) -> None:
        found = recorded(trial("a", ToolCall("search", '{"query": ', None, "r")))
        assert payloads(found)[1]["tool_input"] == {}
        assert extras(found)[1] == {"arguments_error": 'no JSON object: {"query": '}

    def test_hold_numbers_that_no_double_holds_as_texts(self) -> None:
        found = recorded(trial("a", ToolCall("search", {"n": [2**1024, 2**60]}, None, "r")))
        assert payloads(found)[1]["tool_input"] == {"n": [str(2**1024), 2**60]}

    def test_end_with_an_answer_that_the_recorder_added_where_the_agent_gave_none(self) -> None:
        found = recorded(trial(None, LOOK))
        assert kinds(found) == ["model_call", "tool_call", "tool_result", "final_answer"]
        assert not facts_of(found).answered
        assert extras(found)[-1] == {"loop_end_reason": "no_reply"}

    def test_say_that_the_time_was_up(self) -> None:
        found = recorded(replace(trial("a"), out_of_time=True))
        assert extras(found)[-1] == {"loop_end_reason": "time_limit"}


class TestTheHead:
    def test_has_times_in_utc_with_milliseconds(self) -> None:
        found = recorded(trial("a"))
        assert (found["started_at"], found["ended_at"], found["elapsed_ms"]) == (
            "2031-05-06T19:00:00.250Z",
            "2031-05-06T19:00:04.500Z",
            4250,
        )
        east = START.astimezone(timezone(timedelta(hours=9)))
        assert transcript_of(trial("a"), "q-1", ADAPTER, east)["started_at"] == "2031-05-06T19:00:00.250Z"

    def test_has_the_adapter_with_what_is_known_of_the_run(self) -> None:
        adapter = Adapter("ferry-agent", "lanternfish-0.3", {"temperature": 0.2, "seed": None})
        usage = Usage(cost_usd=Decimal("0.10"))
        made = replace(trial("a"), usage=usage, attempts=3, cached=CacheOrigin("r0", "2031-05-05T00:00:00Z"))
        assert transcript_of(made, "q-1", adapter, START)["adapter"] == {
            "name": "ferry-agent",
            "stack_id": "lanternfish-0.3",
            "proctor": {
                "temperature": 0.2,
                "cost_usd": "0.10",
                "attempts": 3,
                "cached": {"run_id": "r0", "created_at": "2031-05-05T00:00:00Z"},
            },
        }

    def test_is_nothing_but_the_adapter_where_nothing_else_is_known(self) -> None:
        assert recorded(trial("a"))["adapter"] == {"name": "ferry-agent", "stack_id": "lanternfish-0.3"}


class TestWhatCannotBeATranscript:
    @pytest.mark.parametrize(
        ("trajectory", "reason"),
        [
            (Trajectory(Ending.ERRORED), "could not be run"),
            (Trajectory(Ending.REFUSED), "was stopped by a content filter"),
            (Trajectory(Ending.COMPLETED), "has no turn, and a transcript has one question and one answer"),
            (
                Trajectory(Ending.COMPLETED, (TurnRecord("a", "b"), TurnRecord("c", "d"))),
                "is a conversation, and a transcript has one question and one answer",
            ),
            (trial("a", usage=Usage(-1)), "has a model call with fewer than 0 tokens"),
            (replace(trial("a"), latency_ms=float("inf")), "took a time that is no number"),
            (replace(trial("a"), latency_ms=-5.0), "ended before it began"),
            (replace(trial("a"), latency_ms=1e18), "has a time that no calendar has"),
        ],
    )
    def test_is_refused_with_the_reason(self, trajectory: Trajectory, reason: str) -> None:
        with pytest.raises(Unrecordable) as caught:
            recorded(trajectory)
        assert str(caught.value) == reason

    @pytest.mark.parametrize("probe_id", ["", "../a", "-a", "q-0001\n", "a b", "ä"])
    def test_is_one_whose_id_no_probe_can_have(self, probe_id: str) -> None:
        with pytest.raises(Unrecordable, match="which no probe can have"):
            recorded(trial("a"), probe_id)


class TestEvents:
    def test_become_a_transcript(self) -> None:
        recorder = Recorder("q-0007", ADAPTER, START, {"question": "Who?"})
        recorder.model_call(Tokens(5, 6), "pilot-1", "tool_use", at="2031-05-06T19:00:01Z")
        recorder.tool_call("search", {"query": "x"}, ToolOutput("[]"), elapsed_ms=12)
        recorder.model_call(Tokens(7, 8), "pilot-1", "end_turn")
        found = recorder.finish("None.", 900, loop_end_reason="end_turn")
        assert errors_of(found, Era.SEED) == []
        assert findings(found, facts_of(found)) == ()
        assert payloads(found)[0] == {
            "model_id": "pilot-1",
            "input_tokens": 5,
            "output_tokens": 6,
            "stop_reason": "tool_use",
        }
        assert extras(found)[0] == {"question": "Who?", "at": "2031-05-06T19:00:01Z"}
        assert extras(found)[2] == {"elapsed_ms": 12}
        assert (found["total_input_tokens"], found["total_output_tokens"]) == (12, 14)

    def test_can_be_looked_at_before_the_end(self) -> None:
        recorder = Recorder("q-0007", ADAPTER, START)
        recorder.model_call(Tokens())
        early = recorder.finish("", 0)
        recorder.model_call(Tokens())
        assert (len(early["turns"]), len(recorder.finish("", 0)["turns"])) == (2, 3)

    def test_have_to_be_in_some_calendar(self) -> None:
        late = Recorder("q-1", ADAPTER, datetime.max.replace(tzinfo=UTC))
        with pytest.raises(Unrecordable, match="a time that no calendar has"):
            late.finish("", 1000)


class TestGaps:
    def test_are_told(self) -> None:
        made = Trajectory(Ending.COMPLETED, (TurnRecord("q", "a", (ToolCall("x"), ToolCall("y"))),))
        assert list(gaps(made)) == [
            "which calls were made together is not known: they follow one model call",
            "the agent told no tokens: the totals are 0",
            "the arguments of some call are no object: its input is empty, and arguments_error says why",
            "the result of some call is not known: its content is empty",
            "how long the agent took is not known: elapsed_ms is 0",
        ]

    def test_are_none_where_all_is_known(self) -> None:
        known = trial("a", LOOK, usage=Usage(1, 1), steps=(Step(calls=1), Step("a")))
        assert list(gaps(known)) == []


class TestProbeIds:
    @given(st.lists(st.text(max_size=6), max_size=20), st.sampled_from(list(Era)))
    def test_are_such_ids_and_tell_cases_apart(self, cases: list[str], dialect: Era) -> None:
        ids = ProbeIds(dialect, cases)
        given_ids = {case: ids.give(case) for case in cases}
        assert all(made is not None and is_probe_id(made, dialect) for made in given_ids.values())
        assert len(set(given_ids.values())) == len(given_ids)
        assert given_ids == {case: ids.give(case) for case in cases}

    def test_are_kept_where_they_fit(self) -> None:
        assert ProbeIds(Era.POST_AUDIT).give("s-briefing-1") == "s-briefing-1"
        assert ProbeIds(Era.SEED).give("q-0042") == "q-0042"
        assert ProbeIds(Era.SEED).give("s-briefing-1") == "q-1669"

    def test_are_made_of_the_case_and_do_not_depend_on_others(self) -> None:
        ids = ProbeIds(Era.POST_AUDIT)
        assert [ids.give(case) for case in ("../A b", "日本", "a" * 90 + " ")] == [
            "A-b-e3f8e011",
            "case-cf2abf0c",
            "a" * 80 + "-21d6bdca",
        ]
        assert ids.rewritten["../A b"] == ProbeIds(Era.POST_AUDIT).give("../A b")

    def test_are_never_those_of_another_case(self) -> None:
        own = [f"q-{number:04}" for number in range(10_000) if number != 77]
        ids = ProbeIds(Era.SEED, own)
        assert ids.give("a") == "q-0077"
        assert ids.give("b") is None
        assert ids.give("a") == "q-0077"
