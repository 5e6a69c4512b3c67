"""The dimension ``tool_call``: how calls are read, which are allowed, and what a row must have."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.checks.dimensions.base import RowResult
from proctor.checks.dimensions.tool_call import TOOL_CALL
from proctor.dataset import RowSettings
from proctor.results import Outcome

SETTINGS = RowSettings()
CONTRACT = {"moor": {"required": ["x"]}}
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["name", "tool", "function", "arguments", "args", "x"]), inner, max_size=3)
    ),
    max_leaves=10,
)


def result(calls: Any, **row: Any) -> RowResult:
    whole = {"tool_calls": calls, **row}
    assert [issue for issue in TOOL_CALL.issues(whole, SETTINGS) if issue.is_error] == []
    return TOOL_CALL.score(whole, SETTINGS)


def tokens(calls: Any, **row: Any) -> list[str]:
    return [finding.token for finding in result(calls, **row).findings]


def issues(**row: Any) -> list[tuple[str, tuple[str | int, ...], str]]:
    return [(issue.code, issue.pointer, issue.message) for issue in TOOL_CALL.issues(row, SETTINGS)]


class TestReading:
    @pytest.mark.parametrize(
        "call",
        [
            {"name": "moor", "arguments": {"x": 1}},
            {"tool": "moor", "args": {"x": 1}},
            {"name": "moor", "input": {"x": 1}},
            {"name": "", "tool": "moor", "arguments": '{"x": 1}'},
            {"name": None, "function": "moor", "arguments": ' {"x": 1} '},
            {"type": "function", "function": {"name": "moor", "arguments": '{"x": 1}'}},
            {"function": {"name": "moor", "args": {"x": 1}}},
            {"name": "moor", "function": {"name": "other", "arguments": {"x": 1}}},
            {"tool": {"name": "moor"}, "arguments": {"x": 1}},
        ],
    )
    def test_where_name_and_arguments_may_stand(self, call: dict[str, Any]) -> None:
        for calls in ([call], call):
            found = result(calls, tool_schemas=CONTRACT, allowed_tools=["moor"])
            assert (found.outcome, found.reason) == (Outcome.PASSED, "1 tool call, as the row asks")
            assert found.findings[0].token == "calls:1"

    @pytest.mark.parametrize(
        "call",
        [
            {"name": "moor"},
            {"name": "moor", "arguments": None, "args": {"x": 1}},
            {"name": "moor", "arguments": "", "args": {"x": 1}},
            {"name": "moor", "arguments": " \n\u00a0"},
            {"name": "moor", "function": {}, "arguments": {"x": 1}},
        ],
    )
    def test_what_stands_for_no_arguments(self, call: dict[str, Any]) -> None:
        assert tokens([call], tool_schemas=CONTRACT) == ["missing_arg:moor.x"]

    @pytest.mark.parametrize(
        ("arguments", "token", "text"),
        [
            ('{"x": "y', "bad_json:moor",
             ('the arguments of "moor" are no JSON: Unterminated string starting at line 1, column 7; they are'
              ' "{"x": "y"')),
            ("{'x': 1}", "bad_json:moor",
             ('the arguments of "moor" are no JSON: Expecting property name enclosed in double quotes at line 1,'
              " column 2; they are \"{'x': 1}\"")),
            ("null", "not_object:moor", 'the arguments of "moor" should be an object; the JSON text is null: null'),
            ("[1]", "not_object:moor", 'the arguments of "moor" should be an object; the JSON text is a list: [1]'),
            ([1], "arg_type:moor:list", 'the arguments of "moor" should be an object; they are a list'),
            (3, "arg_type:moor:int", 'the arguments of "moor" should be an object; they are a number'),
            (False, "arg_type:moor:bool", 'the arguments of "moor" should be an object; they are true or false'),
            (1.5, "arg_type:moor:float", 'the arguments of "moor" should be an object; they are a number'),
        ],
    )  # fmt: skip
    def test_arguments_that_are_none(self, arguments: Any, token: str, text: str) -> None:
        found = result([{"name": "moor", "arguments": arguments}], allowed_tools=["moor"])
        assert found.outcome is Outcome.FAILED
        assert [(finding.token, finding.text) for finding in found.findings] == [(token, text)]

    def test_arguments_with_half_a_character_are_read(self) -> None:
        assert tokens([{"name": "moor", "arguments": '{"x": "\ud800"}'}], tool_schemas=CONTRACT) == ["calls:1"]
        assert tokens([{"name": "moor", "arguments": "\ud800"}], tool_schemas=CONTRACT) == ["bad_json:moor"]

    @pytest.mark.parametrize(
        ("arguments", "problem"),
        [("[" * 100_000, "nested too deeply"), ('{"x": ' + "9" * 5_000 + "}", "a number has too many digits")],
    )
    def test_json_beyond_bounds_is_broken(self, arguments: str, problem: str) -> None:
        found = result([{"name": "moor", "arguments": arguments}], allowed_tools=["moor"])
        assert found.findings[0].token == "bad_json:moor"
        assert f"are no JSON: {problem}; they are" in found.reason
        assert len(found.reason) < 300

    def test_the_last_of_two_members_of_a_name_counts(self) -> None:
        call = {"name": "moor", "arguments": '{"x": 1, "x": "a"}'}
        assert tokens([call], tool_schemas={"moor": {"types": {"x": "integer"}}}) == ["wrong_type:moor.x:integer"]

    def test_a_call_without_a_name_is_told_by_its_number(self) -> None:
        found = result([{"name": "moor"}, {"arguments": {}}, {"function": {"name": ""}}], allowed_tools=["moor"])
        assert [finding.token for finding in found.findings] == ["no_name:2", "no_name:3"]
        assert found.reason == "call 2 names no tool; call 3 names no tool"


class TestPermission:
    def test_outside_the_allowed_tools(self) -> None:
        found = result([{"name": "Moor"}], allowed_tools=["moor", "quote"])
        assert [finding.token for finding in found.findings] == ["not_allowed:Moor"]
        assert found.reason == '"Moor" was called; allowed: "moor", "quote"'

    def test_an_empty_list_allows_nothing(self) -> None:
        found = result([{"name": "moor"}], allowed_tools=[])
        assert (found.outcome, found.reason) == (Outcome.FAILED, '"moor" was called; allowed: no tool')
        assert tokens([], allowed_tools=[]) == ["calls:0"]

    def test_forbidden(self) -> None:
        found = result([{"name": "sink"}], forbidden_tools=["sink"])
        assert [finding.token for finding in found.findings] == ["forbidden:sink"]
        assert found.reason == '"sink" was called, which is forbidden'

    def test_all_faults_in_the_order_of_the_calls(self) -> None:
        calls = [{"name": "sink", "arguments": {}}, {"arguments": {}}, {"name": "moor", "arguments": "{"}]
        row = {
            "allowed_tools": ["moor"],
            "forbidden_tools": ["sink"],
            "tool_schemas": {"sink": {"required": ["x"]}},
            "expected_tool_calls": [{"name": "moor"}, {"name": "sink"}],
        }
        assert tokens(calls, **row) == [
            "not_allowed:sink", "forbidden:sink", "missing_arg:sink.x", "no_name:2", "bad_json:moor",
            "expected_missing:moor",
        ]  # fmt: skip

    @given(st.lists(st.sampled_from("abc"), max_size=5), st.sets(st.sampled_from("abc")))
    def test_allowing_more_and_forbidding_less_never_hurts(self, called: list[str], named: set[str]) -> None:
        calls = [{"name": tool} for tool in called]
        names = sorted(named)
        for name in "abc":
            more = sorted({*names, name})
            assert len(tokens(calls, allowed_tools=more)) <= max(1, len(tokens(calls, allowed_tools=names)))
            allowed = result(calls, allowed_tools=names).outcome
            assert allowed is (Outcome.PASSED if set(called) <= named else Outcome.FAILED)
            forbidden = result(calls, forbidden_tools=more).outcome
            assert forbidden is (Outcome.FAILED if set(called) & set(more) else Outcome.PASSED)

    def test_no_call_can_be_right_and_wrong(self) -> None:
        found = result([], forbidden_tools=["sink"])
        assert (found.outcome, found.reason) == (Outcome.PASSED, "no tool was called, which the row allows")
        found = result([], expected_tool_calls=[{"name": "lookup", "arguments": {"id": 7}}])
        assert found.outcome is Outcome.FAILED
        assert found.reason == 'a call of "lookup" with {"id": 7} is expected; it was never called'


class TestBounds:
    def test_a_schema_that_cannot_be_applied_leaves_the_row_unscored(self) -> None:
        contracts = {"moor": {"json_schema": {"type": "wish"}}}
        found = result([{"name": "moor"}, {"name": "sink"}], tool_schemas=contracts, forbidden_tools=["sink"])
        assert found.outcome is Outcome.UNSCORED
        assert [finding.token for finding in found.findings] == ["schema_unusable", "forbidden:sink"]
        assert tokens([{"name": "sink"}], tool_schemas=contracts) == ["calls:1"]

    def test_arguments_too_deep_to_compare_fail(self) -> None:
        deep: Any = []
        for _ in range(3_000):
            deep = [deep]
        call = {"name": "moor", "arguments": {"x": deep}}
        found = result([call], expected_tool_calls=[call])
        assert found.outcome is Outcome.FAILED
        assert found.reason == "the arguments of a call are nested too deeply to be compared"

    def test_hostile_names_are_shown_safely(self) -> None:
        assert "\x1b" not in result([{"name": "\x1b[31m"}], allowed_tools=["moor"]).reason

    @given(json_values, json_values, json_values, json_values)
    def test_any_json_is_refused_or_scored(self, calls: Any, allowed: Any, contracts: Any, expected: Any) -> None:
        row = {
            "tool_calls": calls,
            "allowed_tools": allowed,
            "tool_schemas": contracts,
            "expected_tool_calls": expected,
        }
        if not any(issue.is_error for issue in TOOL_CALL.issues(row, SETTINGS)) and TOOL_CALL.is_labeled(row, SETTINGS):
            assert TOOL_CALL.score(row, SETTINGS).findings

    @given(st.lists(json_values, max_size=3))
    def test_recorded_objects_are_refused_or_scored(self, arguments: list[Any]) -> None:
        calls = [{"name": "moor", "arguments": value} for value in arguments]
        assert tokens(calls, forbidden_tools=["sink"])
        spelled = [{"name": "moor", "arguments": json.dumps(value)} for value in arguments]
        assert tokens(spelled, forbidden_tools=["sink"])


class TestRows:
    @pytest.mark.parametrize(
        ("calls", "codes"),
        [
            (None, ["missing_field"]),
            ({}, ["missing_field"]),
            ("", ["missing_field", "bad_type"]),
            (0, ["bad_type"]),
            ("moor", ["bad_type"]),
            (["moor", "sink"], ["bad_type"]),
            ([{"name": 5}], ["bad_type"]),
            ([{"function": ["moor"]}], ["bad_type"]),
            ([], []),
            ([{}], []),
        ],
    )
    def test_calls_must_be_recorded(self, calls: Any, codes: list[str]) -> None:
        assert [code for code, *_ in issues(tool_calls=calls, forbidden_tools=["sink"])] == codes

    def test_says_what_to_write(self) -> None:
        (issue,) = TOOL_CALL.issues({"forbidden_tools": ["sink"]}, SETTINGS)
        assert issue.message == "the field 'tool_calls' is required for a row of the dimension tool_call"
        assert issue.hint == "write [] when no tool was called"

    def test_points_at_the_call(self) -> None:
        assert issues(tool_calls=[{"name": "moor"}, {"name": ["moor"]}]) == [
            ("bad_type", ("tool_calls", 1), "must name its tool by a text, not by a list")
        ]
        assert issues(tool_calls={"name": 5})[0][1] == ("tool_calls",)

    @pytest.mark.parametrize("field", ["allowed_tools", "forbidden_tools"])
    def test_lists_of_names(self, field: str) -> None:
        assert issues(tool_calls=[], **{field: "moor"}) == [
            ("bad_type", (field,), "must be a list of names, not a text")
        ]
        assert issues(tool_calls=[], **{field: ["moor", 5]}) == [
            ("bad_type", (field, 1), "must be a text, not a number")
        ]
        assert issues(tool_calls=[], **{field: None}) == []

    @pytest.mark.parametrize(
        ("row", "labeled"),
        [
            ({}, False),
            ({"allowed_tools": ["moor"]}, True),
            ({"allowed_tools": []}, True),
            ({"allowed_tools": [], "forbidden_tools": None}, True),
            ({"allowed_tools": [], "forbidden_tools": [], "tool_schemas": {}, "expected_tool_calls": []}, False),
            ({"allowed_tools": [], "forbidden_tools": ["moor"]}, True),
            ({"forbidden_tools": []}, False),
            ({"tool_schemas": {"moor": {}}}, False),
            ({"tool_schemas": {"moor": {}, "sink": {"required": []}}}, True),
            ({"expected_tool_calls": [{"name": "moor"}]}, True),
        ],
    )
    def test_what_is_a_contract(self, row: dict[str, Any], labeled: bool) -> None:
        assert TOOL_CALL.is_labeled({"tool_calls": [], **row}, SETTINGS) is labeled
