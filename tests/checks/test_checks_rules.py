"""What each check wants, and the sentence with both sides that it gives."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.checks.arguments import ToolArgumentsEqual, ToolArgumentsJudged
from proctor.checks.judged import ReplyJudged
from proctor.checks.reply import ReplyContains, ReplyMatches
from proctor.checks.tools import ToolsExcluded, ToolsIncluded
from proctor.plan import Case, CheckContext, Evidence, JudgeRequest, Outline, Turn
from proctor.results import CheckResult, Outcome
from proctor.trajectory import Ending, ToolCall, Trajectory, TurnRecord

names = st.lists(st.sampled_from(["a", "b", "c"]), max_size=6)


def context(reply: str | None = "ok", *calls: ToolCall | str, before: tuple[TurnRecord, ...] = ()) -> CheckContext:
    made = tuple(ToolCall(call) if isinstance(call, str) else call for call in calls)
    turns = (*before, TurnRecord("hi", reply, made))
    case = Case(Outline("c", "c", 1, 1.0), tuple(Turn(turn.user) for turn in turns))
    return CheckContext(case, Trajectory(Ending.COMPLETED, turns), len(turns) - 1)


def said(found: CheckResult | JudgeRequest) -> tuple[bool, str]:
    assert isinstance(found, CheckResult)
    assert found.reason
    assert found.outcome in (Outcome.PASSED, Outcome.FAILED)
    return found.passed, found.reason


class TestReplyContains:
    @pytest.mark.parametrize(
        ("texts", "any_of", "reply", "passed", "reason"),
        [
            (["Book", "confirm"], True, "BOOKED it", True, 'found "Book"'),
            (["book", "it"], False, "booked it", True, "found all 2"),
            (["book"], False, "booked", True, 'found "book"'),
            ([""], True, "", True, 'found ""'),
            (["x"], True, "no", False, 'the reply should contain "x"; the reply was "no"'),
            (["x", "y"], True, "no", False, 'the reply should contain one of "x", "y"; the reply was "no"'),
            (["n", "y", "z"], False, "no", False, 'the reply should contain "y"; the reply was "no"'),
            (["straße"], True, "STRASSE", False, 'the reply should contain "straße"; the reply was "STRASSE"'),
            (["x"], True, None, False, 'the agent gave no reply; the reply should contain "x"'),
            (list("abcdefg"), True, "", False,
             'the reply should contain one of "a", "b", "c", "d", "e" and 2 more; the reply was ""'),
        ],
    )  # fmt: skip
    def test_says_what_it_found(
        self, texts: list[str], any_of: bool, reply: str | None, passed: bool, reason: str
    ) -> None:
        assert said(ReplyContains(tuple(texts), any_of).evaluate(context(reply))) == (passed, reason)

    def test_finds_what_is_there_verbatim_unless_upstream(self) -> None:
        # Lower-casing turns the final sigma of the reply into another letter than that of the text.
        text, reply = "ΟΔΟΣ", "η ΟΔΟΣΑ"
        assert text in reply
        assert ReplyContains((text,), any=True).evaluate(context(reply)).passed
        assert not ReplyContains((text,), any=True, upstream=True).evaluate(context(reply)).passed

    @given(st.text(max_size=5), st.text(max_size=20))
    def test_ignores_case_and_nothing_else(self, text: str, reply: str) -> None:
        found = ReplyContains((text,), any=True, upstream=True).evaluate(context(reply))
        assert found.passed == (text.lower() in reply.lower())

    def test_shows_a_long_reply_in_part_and_controls_as_marks(self) -> None:
        _, reason = said(ReplyContains(("x",), any=True).evaluate(context("a\x1b[31m\n" + "b" * 100_000 + "\ud83d")))
        assert len(reason) < 600
        assert '"a<1B>[31m\\nbbb' in reason
        assert "characters…]" in reason
        assert reason.endswith('<D83D>"')


class TestReplyMatches:
    @pytest.mark.parametrize(
        ("patterns", "any_of", "reply", "passed", "reason"),
        [
            ([r"qz-\d+"], True, "Your QZ-77", True, 'found "qz-\\\\d+"'),
            (["^a", "c$"], False, "ABC\n", True, "found all 2"),
            (["^b"], True, "a\nb", False, 'the reply should match "^b"; the reply was "a\\nb"'),
            (["(?m)^b"], True, "a\nb", True, 'found "(?m)^b"'),
            (["a", "b"], False, "a", False, 'the reply should match "b"; the reply was "a"'),
            (["a"], True, None, False, 'the agent gave no reply; the reply should match "a"'),
        ],
    )
    def test_says_what_it_found(
        self, patterns: list[str], any_of: bool, reply: str | None, passed: bool, reason: str
    ) -> None:
        assert said(ReplyMatches(tuple(patterns), any_of).evaluate(context(reply))) == (passed, reason)

    def test_that_cannot_be_decided_in_time_fails_with_that_reason(self) -> None:
        passed, reason = said(ReplyMatches(("(a+)+$",), any=True).evaluate(context("a" * 60 + "!")))
        assert not passed
        assert reason == (
            'the pattern "(a+)+$" gave no answer in 2 s on a text of 61 characters; write it without repeats inside '
            "repeats"
        )


class TestToolsIncluded:
    @pytest.mark.parametrize(
        ("wanted", "ordered", "called", "passed", "reason"),
        [
            (["a"], False, ["b", "a"], True, 'called "a"'),
            (["a", "b"], True, ["a", "x", "b"], True, 'called "a", "b" in this order'),
            (["a", "a"], False, ["a"], True, 'called "a", "a"'),
            (["a"], False, [], False, '"a" should be called; no tool was called'),
            (["a", "b"], False, ["a", "c"], False, '"b" should be called; called: "a", "c"'),
            (["a", "b"], True, ["b", "a"], False,
             '"a", "b" should be called in this order, and "b" is missing at its place; called: "b", "a"'),
            (["a", "b"], True, ["a"], False, '"a", "b" should be called in this order; called: "a"'),
            (["A"], False, ["a"], False, '"A" should be called; called: "a"'),
        ],
    )  # fmt: skip
    def test_says_what_was_called(
        self, wanted: list[str], ordered: bool, called: list[str], passed: bool, reason: str
    ) -> None:
        assert said(ToolsIncluded(tuple(wanted), ordered).evaluate(context("", *called))) == (passed, reason)

    @given(names, names)
    def test_without_order_is_membership(self, wanted: list[str], called: list[str]) -> None:
        found = ToolsIncluded(tuple(wanted)).evaluate(context("", *called))
        assert found.passed == (set(wanted) <= set(called))

    @given(names, names)
    def test_with_order_is_a_subsequence(self, wanted: list[str], called: list[str]) -> None:
        found = ToolsIncluded(tuple(wanted), ordered=True).evaluate(context("", *called))
        at = -1
        for name in wanted:
            at = next((place for place in range(at + 1, len(called)) if called[place] == name), len(called))
        assert found.passed == (at < len(called) or not wanted)

    def test_shows_twenty_of_many_calls(self) -> None:
        _, reason = said(ToolsIncluded(("x",)).evaluate(context("", *["a" * 500] * 30)))
        assert reason.endswith(" and 10 more")
        assert len(reason) < 3_000


class TestToolsExcluded:
    @pytest.mark.parametrize(
        ("unwanted", "called", "passed", "reason"),
        [
            (["a", "b"], ["c"], True, '"a", "b" not called'),
            (["a", "b"], ["b", "c", "b"], False, '"b" should not be called; called: "b", "c", "b"'),
        ],
    )
    def test_says_what_was_called(self, unwanted: list[str], called: list[str], passed: bool, reason: str) -> None:
        assert said(ToolsExcluded(tuple(unwanted)).evaluate(context("", *called))) == (passed, reason)

    @given(names, names)
    def test_is_the_opposite_of_membership(self, unwanted: list[str], called: list[str]) -> None:
        found = ToolsExcluded(tuple(unwanted)).evaluate(context("I will not call a, b or c", *called))
        assert found.passed == set(unwanted).isdisjoint(called)


def call(arguments: Any, name: str = "book") -> ToolCall:
    return ToolCall(name, arguments)


class TestToolArguments:
    @pytest.mark.parametrize(
        ("wanted", "mode", "calls", "passed", "reason"),
        [
            ({"a": 1}, "subset", [call({"a": 1, "b": 2})], True, '"book" was called with {"a": 1}'),
            ({"a": 1}, "exact", [call({"a": 1.0})], True, '"book" was called with {"a": 1}'),
            ({}, "exact", [call({})], True, '"book" was called with {}'),
            ({"a": 1}, "subset", [], False, '"book" was never called; no tool was called'),
            ({"a": 1}, "subset", [call({"a": 1}, "look")], False, '"book" was never called; called: "look"'),
            ({}, "subset", [call(None), call("{}"), call([1])], False,
             '"book" was called, but its arguments were not captured as an object'),
            ({"a": 1}, "subset", [call({"a": 2})], False,
             '"book" should be called with {"a": 1} (subset); "a" is 2, not 1'),
            ({"a": 1, "b": 2}, "subset", [call({}), call({"a": 1})], False,
             '"book" should be called with {"a": 1, "b": 2} (subset); "b" is missing (closest of 2 calls)'),
            ({"a": 1}, "exact", [call({"a": 1, "b": 2})], False,
             '"book" should be called with {"a": 1} (exact); "b" is not expected'),
            ({"a": {"x": 1}}, "subset", [call({"a": {"x": 1, "y": 2}})], False,
             '"book" should be called with {"a": {"x": 1}} (subset); "a" is {"x": 1, "y": 2}, not {"x": 1}'),
            ({"a": None}, "subset", [call({})], False,
             '"book" should be called with {"a": null} (subset); "a" is missing'),
        ],
    )  # fmt: skip
    def test_says_how_the_closest_call_differs(
        self, wanted: dict[str, Any], mode: Any, calls: list[ToolCall], passed: bool, reason: str
    ) -> None:
        assert said(ToolArgumentsEqual(0, "book", wanted, mode).evaluate(context("", *calls))) == (passed, reason)

    @pytest.mark.parametrize(
        ("wanted", "made", "equal", "upstream"),
        [
            (1, True, False, True),
            ([0], [False], False, True),
            (1, 1.0, True, True),
            (1, "1", False, False),
            (None, 0, False, False),
            (datetime.date(2031, 5, 6), "2031-05-06", True, None),
            ({"on": [datetime.date(2031, 5, 6)]}, {"on": ["2031-05-06"]}, True, None),
            (10**20, 10**20 + 1, False, False),
        ],
    )
    def test_compares_as_json_does_unless_upstream(
        self, wanted: Any, made: Any, equal: bool, upstream: bool | None
    ) -> None:
        calls = context("", call({"a": made}))
        assert ToolArgumentsEqual(0, "book", {"a": wanted}).evaluate(calls).passed is equal
        if upstream is not None:
            assert ToolArgumentsEqual(0, "book", {"a": wanted}, upstream=True).evaluate(calls).passed is upstream

    def test_in_the_second_of_two_calls_are_found(self) -> None:
        calls = context("", call({"order": "A"}), call({"order": "B"}))
        assert ToolArgumentsEqual(0, "book", {"order": "B"}).evaluate(calls).passed

    def test_that_are_hostile_are_shown_in_part_and_marked(self) -> None:
        _, reason = said(
            ToolArgumentsEqual(0, "book", {"a\x1b": "x" * 5000}).evaluate(context("", call({"a\x1b": "\x00"})))
        )
        assert "\x1b" not in reason
        assert len(reason) < 700


class TestToolArgumentsJudged:
    def test_are_put_to_a_judge_call_by_call(self) -> None:
        calls = context("", call({"guests": 2}), call("text"), call({"näme": None}))
        assert ToolArgumentsJudged(3, "book", "Two guests.", "x:y").evaluate(calls) == JudgeRequest(
            "tool_arguments",
            "Two guests.",
            (
                Evidence("Tool", "book"),
                Evidence("Arguments of call 1", '{\n  "guests": 2\n}'),
                Evidence("Arguments of call 2", '{\n  "näme": null\n}'),
            ),
            "x:y",
        )

    @pytest.mark.parametrize(
        ("calls", "reason"),
        [
            ([], '"book" was never called; no tool was called'),
            (["book"], '"book" was called, but its arguments were not captured as an object'),
        ],
    )
    def test_fail_without_a_judge_when_there_are_none(self, calls: list[str], reason: str) -> None:
        assert said(ToolArgumentsJudged(0, "book", "r").evaluate(context("", *calls))) == (False, reason)


class TestReplyJudged:
    def test_shows_the_conversation_the_message_and_the_reply(self) -> None:
        before = (TurnRecord("first", "one"), TurnRecord("second", None))
        assert ReplyJudged("Is polite.", "").evaluate(context("three", before=before)) == JudgeRequest(
            "reply",
            "Is polite.",
            (
                Evidence("Conversation", "USER: first\nASSISTANT: one\nUSER: second\nASSISTANT: \nUSER: hi"),
                Evidence("User message", "hi"),
                Evidence("Reply", "three"),
            ),
            None,
        )

    def test_says_that_there_was_no_reply(self) -> None:
        assert ReplyJudged("r").evaluate(context(None)).evidence[-1].text == "(the agent gave no reply)"


class TestAContext:
    def test_of_a_turn_holds_that_turn_only(self) -> None:
        before = (TurnRecord("first", "one", (ToolCall("early"),)),)
        assert [each.name for each in context("ok", "late", before=before).tool_calls] == ["late"]

    def test_of_a_trial_holds_all_calls_and_the_last_reply(self) -> None:
        before = (TurnRecord("first", "one", (ToolCall("early"),)),)
        turn = context("ok", "late", before=before)
        whole = CheckContext(turn.case, turn.trajectory)
        assert [each.name for each in whole.tool_calls] == ["early", "late"]
        assert (whole.reply, whole.user) == ("ok", "hi")
        assert whole.history == (("user", "first"), ("assistant", "one"), ("user", "hi"))
