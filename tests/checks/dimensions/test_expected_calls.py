"""Which made calls meet which expected ones, and the sentence about one that is not met."""

from __future__ import annotations

import json
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.checks.dimensions.expected_calls import expected_findings, expected_issues
from proctor.jsonvalue import json_equal

values = st.sampled_from([0, 1, 1.0, True, None, "1", [1], {"k": 1}])
arguments = st.dictionaries(st.sampled_from("ab"), values, max_size=2)
calls = st.lists(st.tuples(st.sampled_from(["book", "quote"]), arguments), max_size=4)


def found(expected: list[Any], *made: tuple[str, dict[str, Any]]) -> list[tuple[str, str]]:
    return [(finding.token, finding.text) for finding in expected_findings(expected, made)]


def tokens(expected: list[Any], *made: tuple[str, dict[str, Any]]) -> list[str]:
    return [token for token, _ in found(expected, *made)]


def call(tool: str, **given_arguments: Any) -> dict[str, Any]:
    return {"name": tool, "arguments": given_arguments}


class TestMeeting:
    def test_more_arguments_and_other_calls_do_no_harm(self) -> None:
        assert found([call("book", a=1)], ("quote", {}), ("book", {"a": 1, "b": 2})) == []

    @pytest.mark.parametrize(("wanted", "made"), [(1, 1.0), ({"x": [1]}, {"x": [1.0]}), ("", ""), (None, None)])
    def test_equal_as_json(self, wanted: Any, made: Any) -> None:
        assert found([call("book", a=wanted)], ("book", {"a": made})) == []

    @pytest.mark.parametrize(
        ("wanted", "made", "seen"),
        [
            (1, {"a": True}, '"a" is true'),
            (1, {"a": "1"}, '"a" is "1"'),
            (None, {}, '"a" is missing'),
            ({"x": 1}, {"a": {"x": 1, "y": 2}}, '"a" is {"x": 1, "y": 2}'),
        ],
    )
    def test_says_what_was_seen_instead(self, wanted: Any, made: dict[str, Any], seen: str) -> None:
        text = f'a call of "book" with {json.dumps({"a": wanted})} is expected; {seen}'
        assert found([call("book", a=wanted)], ("book", made)) == [("expected_args:book", text)]

    def test_shows_the_closest_call(self) -> None:
        made = [("book", {}), ("book", {"a": 1, "b": 3}), ("book", {"b": 3})]
        text = 'a call of "book" with {"a": 1, "b": 2} is expected; "b" is 3 in the closest of 3 calls'
        assert found([call("book", a=1, b=2)], *made) == [("expected_args:book", text)]

    def test_says_that_a_tool_was_never_called(self) -> None:
        text = 'a call of "book" with {"a": 1} is expected; it was never called'
        assert found([call("book", a=1)], ("quote", {"a": 1})) == [("expected_missing:book", text)]
        text = 'a call of "book" is expected; it was never called'
        assert found([{"name": "book"}]) == [("expected_missing:book", text)]

    @pytest.mark.parametrize(
        "spelled",
        [
            {"tool": "book", "args": {"a": 1}},
            {"function": "book", "input": {"a": 1}},
            {"function": {"name": "book", "arguments": '{"a": 1}'}},
        ],
    )
    def test_the_same_spellings_as_for_made_calls(self, spelled: dict[str, Any]) -> None:
        assert found([spelled], ("book", {"a": 1})) == []
        assert tokens([spelled], ("book", {"a": 2})) == ["expected_args:book"]


class TestCounting:
    def test_each_call_counts_once(self) -> None:
        text = 'one more call of "book" with {"a": 1} is expected; 1 made, and each counts for one expected call only'
        twice = [call("book", a=1), call("book", a=1)]
        assert found(twice, ("book", {"a": 1})) == [("expected_missing:book", text)]
        assert found(twice, ("book", {"a": 1}), ("book", {"a": 1})) == []

    @pytest.mark.parametrize("made", list(permutations([("book", {"a": 1, "b": 2}), ("book", {"a": 1, "b": 9})])))
    @pytest.mark.parametrize("expected", list(permutations([call("book", a=1), call("book", a=1, b=2)])))
    def test_no_order_matters(self, expected: tuple[Any, ...], made: tuple[Any, ...]) -> None:
        assert found(list(expected), *made) == []

    @given(calls, calls, st.randoms(use_true_random=False))
    def test_the_verdict_is_that_of_trying_every_assignment(
        self, wanted: list[Any], made: list[Any], random: Any
    ) -> None:
        expected = [call(tool, **given_arguments) for tool, given_arguments in wanted]
        can_all_be_met = any(
            all(_meets(one, other) for one, other in zip(chosen, wanted, strict=True))
            for chosen in permutations(made, len(wanted))
        )
        assert (found(expected, *made) == []) is can_all_be_met
        number = len(found(expected, *made))
        random.shuffle(expected)
        random.shuffle(made)
        assert len(found(expected, *made)) == number

    @given(calls, calls, calls)
    def test_more_calls_never_hurt_and_more_wishes_never_help(
        self, wanted: list[Any], made: list[Any], more: list[Any]
    ) -> None:
        expected = [call(tool, **given_arguments) for tool, given_arguments in wanted]
        further = [call(tool, **given_arguments) for tool, given_arguments in more]
        unmet = len(found(expected, *made))
        assert len(found(expected, *made, *more)) <= unmet <= len(found([*expected, *further], *made))


class TestRows:
    @pytest.mark.parametrize(
        ("expected", "code", "pointer", "message"),
        [
            ({"name": "book"}, "bad_type", (), "must be a list of calls, not an object"),
            ("book", "bad_type", (), "must be a list of calls, not a text"),
            (["book"], "bad_type", (0,), "must be an object with name and arguments, not a text"),
            ([call("book"), {"arguments": {}}], "missing_field", (1,), "names no tool, so no call can meet it"),
            ([{"name": 5}], "bad_type", (0,), "must name its tool by a text, not by a number"),
            ([{"name": "book", "arguments": "{a: 2"}], "bad_value", (0,),
             ('the arguments of "book" are no JSON: Expecting property name enclosed in double quotes at line 1,'
              ' column 2; they are "{a: 2"')),
            ([{"name": "book", "arguments": "[2]"}], "bad_type", (0,),
             'the arguments of "book" should be an object; the JSON text is a list: [2]'),
            ([{"name": "book", "arguments": [2]}], "bad_type", (0,),
             'the arguments of "book" should be an object; they are a list'),
        ],
    )  # fmt: skip
    def test_a_wish_that_nothing_can_meet_is_refused(
        self, expected: Any, code: str, pointer: tuple[int, ...], message: str
    ) -> None:
        issues = list(expected_issues({"expected_tool_calls": expected}))
        assert [(issue.code, issue.pointer, issue.message) for issue in issues] == [
            (code, ("expected_tool_calls", *pointer), message)
        ]

    def test_readable_wishes_have_no_issues(self) -> None:
        for expected in (None, [], [call("book")], [{"tool": "book", "args": " "}], [{"function": {"name": "book"}}]):
            assert list(expected_issues({"expected_tool_calls": expected})) == []


def _meets(made: tuple[str, Any], wanted: tuple[str, Any]) -> bool:
    return made[0] == wanted[0] and all(
        name in made[1] and json_equal(value, made[1][name]) for name, value in wanted[1].items()
    )
