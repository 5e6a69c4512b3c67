"""A fixture as a case that is replayed: what comes from the recording, and what stands in the way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pi_samples import ANSWER, ASSERTIONS, ASSISTANT, CALL, META, RESULT, USER, file_of, right

from proctor.formats import Defaults, Loaded
from proctor.formats.pi.pi_format import PiFormat
from proctor.formats.pi.replaying import model_answers, recorded_calls
from proctor.plan import Case
from proctor.replay_plan import (
    AnswerCall,
    AnswerText,
    AnswerThinking,
    Compare,
    CurrentPrompt,
    Policy,
    ReplayMode,
    ReplaySettings,
)
from proctor.trajectory import ToolCall

IMAGE = {"type": "image", "data": "AAAA", "mimeType": "image/png"}


def load(*turns: object, runs: int = 1, threshold: float = 0.8, **settings: Any) -> Loaded:
    defaults = Defaults(runs, threshold, replay=ReplaySettings(**settings))
    return PiFormat().load(Path("trace.jsonl"), file_of(META, *turns, ASSERTIONS), defaults)


def case_of(mode: ReplayMode, **settings: Any) -> Case:
    (case,) = load(USER, ASSISTANT, RESULT, ANSWER, mode=mode, **settings).cases
    return case


def calls_of(*turns: dict[str, Any]) -> tuple[ToolCall, ...]:
    numbered = [{**turn, "turnIndex": index} for index, turn in enumerate(turns)]
    return recorded_calls(right(META, *numbered, ASSERTIONS).turns)


class TestCases:
    def test_that_are_judged_as_recorded_have_no_replay(self) -> None:
        case = case_of(ReplayMode.RECORDED)
        assert (case.outline.recorded is not None, case.replay) == (True, None)
        assert [check.name for check in case.checks] == ["assertions[0] tool_called"]

    def test_that_are_judged_as_recorded_are_checked_for_drift_if_there_is_a_prompt(self) -> None:
        case = case_of(ReplayMode.RECORDED, prompt=CurrentPrompt("c" * 64))
        assert [check.name for check in case.checks] == ["assertions[0] tool_called", "system prompt"]
        assert case.recorded is not None

    @pytest.mark.parametrize("mode", [ReplayMode.LIVE, ReplayMode.HARNESS])
    def test_that_are_replayed_have_two_more_checks_and_no_recorded_trial(self, mode: ReplayMode) -> None:
        case = case_of(mode, compare=Compare.VALUES, on_divergence=Policy.FAIL)
        assert [check.name for check in case.checks] == ["assertions[0] tool_called", "replay shape", "system prompt"]
        assert (case.outline.recorded, case.recorded) == (None, None)
        assert case.replay is not None
        assert case.replay.mode is mode
        assert [turn.user for turn in case.turns] == [USER["content"]]

    def test_are_replayed_live_as_often_as_the_suite_says_and_by_a_harness_once(self) -> None:
        live = case_of(ReplayMode.LIVE, runs=5, threshold=0.6).outline
        harness = case_of(ReplayMode.HARNESS, runs=5, threshold=0.6).outline
        assert (live.runs, live.threshold) == (5, 0.6)
        assert (harness.runs, harness.threshold) == (1, 1.0)

    def test_without_a_message_of_the_user_cannot_be_replayed(self) -> None:
        loaded = load(ASSISTANT, RESULT, mode=ReplayMode.LIVE)
        assert loaded.cases == ()
        assert str(loaded.problems[0]) == (
            "trace.jsonl:1:1: error [no_user_turn] the fixture has no turn of the user, so there is nothing to replay "
            "(judge it as it is recorded: mode: recorded below replay: in the suite, or --replay recorded)"
        )
        assert load(ASSISTANT, RESULT, mode=ReplayMode.RECORDED).cases

    def test_whose_user_shows_images_are_replayed_with_a_warning(self) -> None:
        shown = {**USER, "content": [{"type": "text", "text": "This one."}, IMAGE]}
        loaded = load(shown, ASSISTANT, RESULT, ANSWER, mode=ReplayMode.LIVE)
        (problem,) = loaded.problems
        assert str(problem) == (
            "trace.jsonl:2:1: warning [image_not_sent] content: the images of the user are not sent in a replay, only "
            "the text"
        )
        assert loaded.cases[0].turns[0].user == "This one."


class TestRecordedCalls:
    def test_are_joined_with_their_results(self) -> None:
        found = right(META, USER, ASSISTANT, RESULT, ANSWER, ASSERTIONS)
        assert recorded_calls(found.turns) == (ToolCall("find_table", {"people": 4}, "call-1", "Table 7"),)

    def test_of_one_id_take_results_in_their_order(self) -> None:
        failed = {**RESULT, "content": [{"type": "text", "text": "none"}], "isError": True}
        calls = calls_of(USER, ASSISTANT, RESULT, ASSISTANT, failed)
        assert [(call.result, call.is_error) for call in calls] == [("Table 7", False), ("none", True)]

    def test_take_no_result_that_stands_before_them(self) -> None:
        assert [call.result for call in calls_of(USER, RESULT, ASSISTANT)] == [None]

    def test_have_the_blocks_of_a_result_that_is_more_than_text(self) -> None:
        shown = {**RESULT, "content": [{"type": "text", "text": "see"}, IMAGE]}
        empty = {**RESULT, "content": []}
        assert calls_of(USER, ASSISTANT, shown)[0].result == [{"type": "text", "text": "see"}, IMAGE]
        assert calls_of(USER, ASSISTANT, empty)[0].result == ""


class TestModelAnswers:
    def test_are_the_turns_of_the_assistant_part_by_part(self) -> None:
        signed = {
            **ASSISTANT,
            "content": [
                {"type": "thinking", "thinking": "Four.", "thinkingSignature": "a"},
                {"type": "text", "text": "One moment.", "textSignature": "b"},
                {**CALL, "thoughtSignature": "c"},
            ],
        }
        assert model_answers(right(META, USER, signed, RESULT, ANSWER, ASSERTIONS).turns) == (
            (
                AnswerThinking("Four.", "a"),
                AnswerText("One moment.", "b"),
                AnswerCall("find_table", {"people": 4}, "call-1", "c"),
            ),
            (AnswerText("Table 7"), AnswerText("is yours.")),
        )
