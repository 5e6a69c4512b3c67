"""What stands in for tools and model: which recorded result answers which call, and where a replay is stopped."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.errors import TrialStopped
from proctor.jsonvalue import json_equal
from proctor.plan import Turn
from proctor.replay import RecordedAnswers, RecordedTools, Replayer
from proctor.replay.host import MOST_NOTES
from proctor.replay.results import RecordedResults
from proctor.replay_plan import AnswerCall, AnswerText, AnswerThinking, ModelAnswer, Replay, ReplayMode
from proctor.trajectory import JsonValue, Step, ToolCall

SAID: tuple[ModelAnswer, ...] = (
    (AnswerThinking("hm"), AnswerText("one"), AnswerText("moment"), AnswerCall("find", {"q": 1}, "a")),
    (AnswerText("done"),),
)
CALLS = (
    ToolCall("find", {"q": 1}, "a", "first"),
    ToolCall("find", {"q": 2}, "b", "second", is_error=True),
    ToolCall("find", {"q": 1}, "c", "third"),
    ToolCall("book", {}, "d"),
)


def replay(mode: ReplayMode = ReplayMode.LIVE, answers: tuple[ModelAnswer, ...] = SAID) -> Replay:
    return Replay(mode, CALLS, answers)


def ask(tools: RecordedTools, name: str, arguments: JsonValue, call_id: str | None = None) -> tuple[JsonValue, bool]:
    return asyncio.run(tools.call(name, arguments, call_id))


names = st.sampled_from(["find", "book"])
arguments = st.dictionaries(st.sampled_from("ab"), st.sampled_from([1, 1.0, True, "1", [1]]), max_size=2)
ids = st.sampled_from(["", "a", "b", None])
recordings = st.lists(st.builds(ToolCall, names, arguments, ids, st.none() | st.integers().map(str)), max_size=6)


class TestResults:
    def test_of_equal_arguments_come_first_and_each_answers_once(self) -> None:
        tools = RecordedTools(replay())
        assert [ask(tools, "find", {"q": 1.0}) for _ in range(4)] == [
            ("first", False),
            ("third", False),
            ("second", True),
            ("no recorded result for find", True),
        ]
        assert tools.notes == ['no recorded result for a call of "find"']

    def test_of_the_same_name_answer_other_arguments(self) -> None:
        assert ask(RecordedTools(replay()), "find", {"q": 2, "page": 1}) == ("first", False)

    def test_are_found_by_id_only_in_harness_mode(self) -> None:
        assert ask(RecordedTools(replay()), "find", {"q": 1}, "b") == ("first", False)
        assert ask(RecordedTools(replay(ReplayMode.HARNESS)), "find", {"q": 1}, "b") == ("second", True)

    def test_of_a_call_that_had_none_are_missing(self) -> None:
        assert ask(RecordedTools(replay()), "book", None) == ("no recorded result for book", True)

    def test_notes_name_hostile_tools_safely_and_end_somewhere(self) -> None:
        tools = RecordedTools(replay())
        for number in range(MOST_NOTES + 5):
            ask(tools, f"\x1b{number}", {})
        assert len(tools.notes) == MOST_NOTES
        assert tools.notes[0] == 'no recorded result for a call of "<1B>0"'

    @given(recordings, st.lists(st.tuples(names, arguments, ids), max_size=8))
    def test_are_taken_as_the_rules_say(self, recorded: list[ToolCall], asked: list[Any]) -> None:
        """The rules, one after the other: the id, else equal arguments, else the name; the first that is left."""
        results = RecordedResults(recorded)
        left = [call for call in recorded if call.result is not None]
        for name, given_, call_id in asked:
            by_id = [call for call in left if call_id and call.id == call_id]
            by_name = [call for call in left if call.name == name]
            by_arguments = [call for call in by_name if json_equal(call.arguments, given_)]
            wanted = next(iter([*by_id, *by_arguments, *by_name]), None)
            assert results.take(name, given_, call_id) is wanted
            left = [call for call in left if call is not wanted]
        assert list(map(id, results)) == list(map(id, left))


class TestLimits:
    @pytest.mark.parametrize(("recorded", "most"), [(0, 8), (1, 9), (8, 16), (9, 18), (100, 200)])
    def test_are_twice_the_recorded_requests_and_eight_more_for_short_ones(self, recorded: int, most: int) -> None:
        tools = RecordedTools(replay(answers=SAID[1:] * recorded))
        for _ in range(most):
            tools.before_model_request()
        with pytest.raises(TrialStopped, match=f"stopped before model request {most + 1}, as the recording has"):
            tools.before_model_request()


class TestAnswers:
    def test_come_in_their_order_until_there_is_none(self) -> None:
        answers = RecordedAnswers(replay(ReplayMode.HARNESS))
        assert (answers.answer(), answers.answer()) == SAID
        assert answers.texts == ["one\nmoment", "done"]
        with pytest.raises(TrialStopped) as stop:
            answers.answer()
        assert stop.value.message == "more model calls than recorded (2)"


class TestReplayers:
    def test_have_no_model_in_live_mode(self) -> None:
        assert Replayer(replay()).model is None

    def test_note_what_was_left_over_in_harness_mode_only(self) -> None:
        assert Replayer(replay()).notes == ()
        replayer = Replayer(replay(ReplayMode.HARNESS))
        assert replayer.model is not None
        replayer.model.answer()
        ask(replayer.tools, "find", {"q": 1}, "a")
        assert replayer.notes == (
            "fewer model calls than recorded: 1 recorded answer left over",
            'recorded results that the agent did not ask for: "find", "find"',
        )

    def test_keep_what_a_turn_did_before_it_was_stopped(self) -> None:
        replayer = Replayer(replay(ReplayMode.HARNESS))
        assert replayer.model is not None
        replayer.begin_turn()
        for _ in range(2):
            replayer.tools.before_model_request()
            if replayer.tools.calls:
                break
            replayer.model.answer()
            ask(replayer.tools, "find", {"q": 1}, "a")
        record = replayer.cut_short(Turn("hi", "a.wav"), "too late", 12.0)
        assert (record.user, record.audio, record.reply, record.latency_ms) == ("hi", "a.wav", None, 12.0)
        assert record.tool_calls == (ToolCall("find", {"q": 1}, "a", "first"),)
        assert record.steps == (Step("one\nmoment", 1),)
        assert replayer.notes == ("too late",)

    def test_begin_each_turn_anew(self) -> None:
        replayer = Replayer(replay())
        replayer.tools.before_model_request()
        ask(replayer.tools, "find", {"q": 1})
        replayer.begin_turn()
        assert replayer.cut_short(Turn("hi"), "too late", 0.0).tool_calls == ()


class TestKeys:
    def test_cover_the_results_and_in_harness_mode_the_answers(self) -> None:
        def key(mode: ReplayMode, said: str = "done", result: str = "first") -> Any:
            calls = (ToolCall("find", {}, "a", result),)
            return Replay(mode, calls, ((AnswerText(said),),)).to_json()

        live, harness = ReplayMode.LIVE, ReplayMode.HARNESS
        assert key(live) != key(harness)
        assert key(live) == key(live, said="other")
        assert key(harness) != key(harness, said="other")
        assert key(live) != key(live, result="other")
