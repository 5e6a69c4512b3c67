"""The five assertions on traces: verdicts, and sentences that say what was wanted and what was seen."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.checks.pi.argument_path import parse_path
from proctor.checks.pi.arguments import ToolCallArgMatches
from proctor.checks.pi.calls import NoToolCalled, ToolCalled
from proctor.checks.pi.messages import MessageContains, TraceMaxTurns
from proctor.checks.pi.trace import Trace, TraceCall, TraceTurn, trace_in, trace_of
from proctor.plan import Case, Check, CheckContext, Outline, Recorded
from proctor.results import CheckResult, Outcome
from proctor.trajectory import Ending, ToolCall, Trajectory, TurnRecord

OUTLINE = Outline("a", "a", 1, 1.0)


def context_of(trace: Trace) -> CheckContext:
    trajectory = Trajectory(Ending.COMPLETED)
    return CheckContext(Case(OUTLINE, (), recorded=Recorded(trajectory, trace)), trajectory)


def calling(*calls: TraceCall | str) -> Trace:
    made = tuple(TraceCall(call, {}) if isinstance(call, str) else call for call in calls)
    return Trace((TraceTurn("user", "Hi"), TraceTurn("assistant", calls=made), TraceTurn("toolResult")))


def evaluate(check: Check, trace: Trace) -> tuple[bool, str]:
    result = check.evaluate(context_of(trace))
    assert isinstance(result, CheckResult)
    assert result.name == check.name
    assert result.outcome in (Outcome.PASSED, Outcome.FAILED)
    assert result.turn is None
    return result.passed, result.reason


class TestNames:
    def test_say_the_place_and_the_kind(self) -> None:
        checks: list[Check] = [
            ToolCalled(0, "a"), NoToolCalled(1, "a"), MessageContains(2, "user", "a"),
            ToolCallArgMatches(3, "a", ("b",), "b", "c"), TraceMaxTurns(4, 9),
        ]  # fmt: skip
        assert [check.name for check in checks] == [
            "assertions[0] tool_called",
            "assertions[1] no_tool_called",
            "assertions[2] message_contains_substring",
            "assertions[3] tool_call_arg_matches",
            "assertions[4] trace_max_turns",
        ]


class TestToolCalled:
    @pytest.mark.parametrize(
        ("check", "passed", "reason"),
        [
            (ToolCalled(0, "find"), True, '"find" was called 2 times'),
            (ToolCalled(0, "find", order=2), True, '"find" was called 2 times, and is call 2 (from 0)'),
            (ToolCalled(0, "book", 1, 1, 1), True, '"book" was called 1 time, and is call 1 (from 0)'),
            (ToolCalled(0, "pay", 0), True, '"pay" was called 0 times'),
            (
                ToolCalled(0, "Find"),
                False,
                '"Find" should be called at least 1 time, and was called 0 times; called: "find", "book", "find"',
            ),
            (
                ToolCalled(0, "find", 0, 1),
                False,
                '"find" should be called at most 1 time, and was called 2 times; called: "find", "book", "find"',
            ),
            (
                ToolCalled(0, "find", order=1),
                False,
                '"find" should be call 1 (from 0), which calls "book"; called: "find", "book", "find"',
            ),
            (
                ToolCalled(0, "book", 2, None, 3),
                False,
                (
                    '"book" should be called at least 2 times, and was called 1 time and should be call 3 (from 0), '
                    'and there are 3 calls; called: "find", "book", "find"'
                ),
            ),
        ],
    )
    def test_counts_and_places(self, check: ToolCalled, passed: bool, reason: str) -> None:
        assert evaluate(check, calling("find", "book", "find")) == (passed, reason)

    def test_a_place_is_asked_for_with_a_least_count_of_0_too(self) -> None:
        assert evaluate(ToolCalled(0, "find", 0, order=0), calling()) == (
            False,
            '"find" should be call 0 (from 0), and there are 0 calls; no tool was called',
        )

    @given(st.lists(st.sampled_from("abc"), max_size=6), st.integers(0, 4), st.integers(0, 4), st.integers(0, 6))
    def test_holds_when_all_of_it_does(self, called: list[str], least: int, most: int, order: int) -> None:
        times = called.count("a")
        wanted = least <= times <= most and called[order : order + 1] == ["a"]
        assert evaluate(ToolCalled(0, "a", least, most, order), calling(*called))[0] is wanted


class TestNoToolCalled:
    def test_is_about_one_tool(self) -> None:
        assert evaluate(NoToolCalled(0, "pay"), calling("find")) == (True, '"pay" was not called')
        assert evaluate(NoToolCalled(0, "find"), calling("find", "x\x1b")) == (
            False,
            '"find" should not be called, and was called 1 time; called: "find", "x<1B>"',
        )


class TestMessageContains:
    TRACE = Trace(
        (
            TraceTurn("user", "Book a table"),
            TraceTurn("assistant", "Which\nday?"),
            TraceTurn("toolResult", "Monday"),
            TraceTurn("user", ""),
            TraceTurn("assistant", "Done."),
        )
    )

    @pytest.mark.parametrize(
        ("role", "text", "passed", "reason"),
        [
            ("user", "table", True, 'a message of the user contains "table"'),
            ("assistant", "\nday", True, 'a message of the assistant contains "\\nday"'),
            (
                "user",
                "Table",
                False,
                'a message of the user should contain "Table"; the messages from the last: "Book a table"',
            ),
            (
                "assistant",
                "Monday",
                False,
                (
                    'a message of the assistant should contain "Monday"; the messages from the last: '
                    '"Done.", "Which\\nday?"'
                ),
            ),
        ],
    )
    def test_looks_at_each_message_of_the_role(self, role: str, text: str, passed: bool, reason: str) -> None:
        assert evaluate(MessageContains(0, role, text), self.TRACE) == (passed, reason)

    def test_says_when_there_is_no_text(self) -> None:
        assert evaluate(MessageContains(0, "assistant", "x"), calling("find")) == (
            False,
            'a message of the assistant should contain "x"; no message of the assistant has text',
        )


class TestTraceMaxTurns:
    def test_counts_messages_of_every_role(self) -> None:
        assert evaluate(TraceMaxTurns(0, 3), calling("find")) == (True, "3 turns, at most 3")
        assert evaluate(TraceMaxTurns(0, 1), calling("find")) == (
            False,
            "the trace should have at most 1 turn, and has 3: 1 user, 1 assistant, 1 toolResult",
        )


def matching(pattern: str, path: str = "order.id") -> ToolCallArgMatches:
    return ToolCallArgMatches(0, "find", parse_path(path), path, pattern)


class TestToolCallArgMatches:
    def test_one_matching_call_is_enough(self) -> None:
        trace = calling(
            TraceCall("find", {}), TraceCall("find", {"order": {"id": "x"}}), TraceCall("find", {"order": {"id": 42}})
        )
        assert evaluate(matching("^4"), trace) == (True, 'the argument "order.id" of "find" is "42"')

    def test_says_that_the_tool_was_never_called(self) -> None:
        trace = calling(TraceCall("Find", {"order": {"id": "4"}}))
        assert evaluate(matching("4"), trace) == (False, '"find" was never called; called: "Find"')

    def test_says_that_no_call_has_the_argument(self) -> None:
        trace = calling("find", TraceCall("find", {"order": "id"}), TraceCall("find", None))
        assert evaluate(matching("4"), trace) == (
            False,
            'the argument "order.id" of "find" is missing in 3 calls',
        )

    def test_quotes_what_pi_said_of_arguments_that_it_could_not_read(self) -> None:
        trace = calling(TraceCall("find", {}, "unexpected end\n"), TraceCall("find", {}))
        assert evaluate(matching("4"), trace) == (
            False,
            (
                'the argument "order.id" of "find" is missing in 2 calls; arguments that pi could not read: '
                '"unexpected end\\n"'
            ),
        )

    def test_shows_the_values_that_do_not_match(self) -> None:
        trace = calling(*(TraceCall("find", {"order": {"id": value}}) for value in (None, 1.0, [True], "x" * 500)))
        passed, reason = evaluate(matching("^y"), trace)
        assert not passed
        assert reason == (
            'the argument "order.id" of "find" should match the pattern "^y"; its values are "null", "1", "[true]" '
            "and 1 more"
        )
        assert evaluate(matching("^y"), calling(TraceCall("find", {"order": {"id": "x"}})))[1] == (
            'the argument "order.id" of "find" should match the pattern "^y"; it is "x"'
        )

    def test_a_search_without_end_fails_with_a_reason_of_its_own(self) -> None:
        trace = calling(TraceCall("find", {"order": {"id": "a" * 40 + "b"}}), TraceCall("find", {"order": {"id": "a"}}))
        assert evaluate(matching("^(a+)+$"), trace) == (
            False,
            (
                'the pattern "^(a+)+$" gave no answer in 2 s on a text of 41 characters; '
                "write it without repeats inside repeats"
            ),
        )


class TestTheTrace:
    TURNS = (
        TurnRecord("Hi", "Hello", (ToolCall("a", {"x": 1}), ToolCall("b"))),
        TurnRecord("More", "Sure"),
        TurnRecord("Go", None, (ToolCall("c", {}),)),
        TurnRecord("Bye", None),
    )

    def test_of_a_trajectory_has_a_message_for_everything_that_it_knows(self) -> None:
        assert trace_of(Trajectory(Ending.COMPLETED, self.TURNS)).turns == (
            TraceTurn("user", "Hi"),
            TraceTurn("assistant", "", (TraceCall("a", {"x": 1}), TraceCall("b", None))),
            TraceTurn("toolResult"),
            TraceTurn("toolResult"),
            TraceTurn("assistant", "Hello"),
            TraceTurn("user", "More"),
            TraceTurn("assistant", "Sure"),
            TraceTurn("user", "Go"),
            TraceTurn("assistant", "", (TraceCall("c", {}),)),
            TraceTurn("toolResult"),
            TraceTurn("user", "Bye"),
        )

    @pytest.mark.parametrize("latency_ms", [0.0, 5.0])
    def test_is_the_recorded_one_as_long_as_the_turns_are(self, latency_ms: float) -> None:
        exact = Trace((TraceTurn("user", "exact"),))
        recorded = Recorded(Trajectory(Ending.COMPLETED, self.TURNS), exact)
        case = Case(OUTLINE, (), recorded=recorded)
        same: dict[str, Any] = Trajectory(Ending.COMPLETED, self.TURNS, latency_ms=latency_ms).to_json()
        assert trace_in(CheckContext(case, Trajectory.from_json(same))) is exact
        other = Trajectory(Ending.COMPLETED, self.TURNS[:2])
        assert trace_in(CheckContext(case, other)) == trace_of(other)
        assert trace_in(CheckContext(Case(OUTLINE, ()), other)) == trace_of(other)
