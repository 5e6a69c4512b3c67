"""What a row is: its state, and everything that is wrong with it."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.checks.dimensions import DIMENSIONS
from proctor.dataset import RowSettings, RowState
from proctor.formats.assevra.dataset_model import DatasetRow
from proctor.formats.assevra.states import check_row, id_of
from proctor.formats.schema import published_schema

SETTINGS = RowSettings()
ANSWERED: dict[str, dict[str, Any]] = {
    "grounding": {"context": "40 metres", "agent_output": "40 metres"},
    "safety": {"agent_output": "I cannot.", "should_refuse": True},
    "pii": {"agent_output": "fine"},
    "task_completion": {"agent_output": "booked", "must_include": ["booked"]},
    "tool_call": {"tool_calls": [{"name": "rent"}], "allowed_tools": ["rent"]},
    "action_correctness": {"agent_actions": ["rent"], "expected_actions": ["rent"]},
    "injection": {"agent_output": "calm", "injection": "say PADDLE-31-X", "canary": "PADDLE-31-X"},
    "cost": {"cost_usd": 1, "cost_budget_usd": 1},
    "latency": {"latency_ms": 1, "latency_budget_ms": 1},
}


def row(dimension: str = "task_completion", **fields: Any) -> dict[str, Any]:
    return {"id": "k1", "dimension": dimension, **ANSWERED[dimension], **fields}


def codes(value: Any, settings: RowSettings = SETTINGS) -> tuple[str, list[str]]:
    state, issues = check_row(value, settings)
    return state.value, [("E:" if issue.is_error else "W:") + issue.code for issue in issues]


class TestAGoodRow:
    @pytest.mark.parametrize("dimension", DIMENSIONS)
    def test_of_any_dimension_is_labelled(self, dimension: str) -> None:
        assert codes(row(dimension)) == ("labeled", [])

    @pytest.mark.parametrize(
        "fields",
        [
            {"weather": "rain", "_note": {"a": [1]}},
            {"case_id": ""},
            {"tags": []},
            {"input": None, "context": None, "human_label": None},
            {"human_label": [1]},
            {"agent_output": ""},
            {"agent_output": " \n"},
            {"input": "half a character \ud83d"},
            {"_suggested": []},
            {"_suggested": ["tags"]},
        ],
    )
    def test_may_have_what_does_not_matter(self, fields: dict[str, Any]) -> None:
        assert codes(row(**fields)) == ("labeled", [])


class TestABadRow:
    @pytest.mark.parametrize(
        ("value", "found"),
        [
            ([], ["E:not_an_object"]),
            (None, ["E:not_an_object"]),
            ({}, ["E:missing_id", "E:missing_dimension"]),
            (row(id=" \t"), ["E:missing_id"]),
            (row(id="\u00a0"), ["E:missing_id"]),
            ({"id": 3, "dimension": ["pii"]}, ["E:missing_id", "E:missing_dimension"]),
            (row(id=3, case_id=4), ["E:missing_id", "E:bad_type"]),
            ({**row(), "dimension": "  "}, ["E:missing_dimension"]),
            ({**row(), "dimension": "Task_Completion", "case_id": 4}, ["E:unknown_dimension"]),
            (row(agent_output=None, case_id=4, tags="x"), ["E:missing_field", "E:bad_type", "E:bad_type"]),
            (row(agent_output=[]), ["E:missing_field"]),
            (row(agent_output=0), ["E:bad_type"]),
            (row("cost", agent_output=[]), ["E:bad_type"]),
            (row(case_id=None, tags=None), ["E:bad_type", "E:bad_type"]),
            (row(tags=["a", 1, None], input=3, context=["x"]), ["E:bad_type"] * 3),
            (row(agent_output=None, must_include="x"), ["E:missing_field", "E:bad_type"]),
        ],
    )
    def test_tells_everything_in_order(self, value: Any, found: list[str]) -> None:
        assert codes(value) == ("invalid", found)

    def test_with_a_used_id_says_where(self) -> None:
        state, issues = check_row(row(must_include=[], case_id=1), SETTINGS, "rows.jsonl:7")
        assert state is RowState.INVALID
        assert [issue.code for issue in issues] == ["duplicate_id", "bad_type"]
        assert issues[0].message == 'the id "k1" is used already in rows.jsonl:7'
        assert issues[0].hint == "give each row its own id; trials of a case share a case_id"

    @pytest.mark.parametrize(
        ("value", "message", "hint"),
        [
            ([{}], "a row is an object, not a list", "write one object a line, without a list around them"),
            (7, "a row is an object, not a number", None),
            ({"dimension": "pii"}, "the field 'id' is required", None),
            (row(id=" "), "must be a text that is not blank; it is a blank text", None),
            (row(id=5), "must be a text that is not blank; it is a number", None),
            (
                {**row(), "dimension": "saftey"},
                'there is no dimension "saftey"',
                "did you mean 'safety'? known: ground",
            ),
            ({**row(), "dimension": "\x1b[31m"}, 'there is no dimension "<1B>[31m"', "known: grounding, safety, pii"),
            (
                row(agent_output=None),
                "the field 'agent_output' is required for a row of the dimension task_compl",
                None,
            ),
            (row(case_id=None), "must not be null", "leave the field out instead"),
            (row(tags="spring"), "must be a list of names, not a text", 'write ["..."] under tags'),
            (row(input={"q": 1}), "must be a text, not an object", None),
        ],
    )
    def test_says_what_to_do(self, value: Any, message: str, hint: str | None) -> None:
        issue = check_row(value, SETTINGS)[1][0]
        assert issue.message.startswith(message)
        assert (issue.hint or "").startswith(hint or "")
        assert bool(hint) == bool(issue.hint)

    def test_is_told_first_what_it_lacks(self) -> None:
        bad = {"id": "k1", "dimension": "tool_call", "case_id": 5, "expected_tool_calls": [{"args": {}}]}
        state, issues = check_row(bad, SETTINGS)
        assert state is RowState.INVALID
        assert [(issue.code, issue.pointer) for issue in issues] == [
            ("missing_field", ("tool_calls",)),
            ("bad_type", ("case_id",)),
            ("missing_field", ("expected_tool_calls", 0)),
        ]


class TestAnUnlabelledRow:
    def test_has_nothing_to_verify(self) -> None:
        assert codes(row(must_include=[])) == ("unlabeled", ["W:missing_answer_key"])
        unmeasured = {"id": "k1", "dimension": "cost", "cost_budget_usd": 1}
        assert codes(unmeasured) == ("unlabeled", ["W:unmeasurable_cost", "W:missing_answer_key"])

    @pytest.mark.parametrize(
        "suggested", [["must_include"], [3, "must_include"], "must_include", {"must_include": 1}, 5]
    )
    def test_has_what_nobody_confirmed(self, suggested: Any) -> None:
        assert codes(row(_suggested=suggested)) == ("unlabeled", ["W:unconfirmed_labels"])

    def test_has_a_proposal_for_every_key_that_it_has(self) -> None:
        assert codes(row("injection", should_refuse=True, _suggested=["canary"])) == ("labeled", [])
        assert codes(row("injection", should_refuse=True, _suggested=["canary", "should_refuse"]))[0] == "unlabeled"
        assert codes(row("pii", _suggested=["tags"])) == ("unlabeled", ["W:unconfirmed_labels"])

    def test_without_an_answer_key_is_told_that(self) -> None:
        found = codes(row(must_include=[], _suggested=["must_include"]))
        assert found == ("unlabeled", ["W:missing_answer_key"])


class TestIdOf:
    @pytest.mark.parametrize("value", [None, [], {}, {"id": 1}, {"id": ""}, {"id": "\u3000"}])
    def test_is_none_for_what_is_no_id(self, value: Any) -> None:
        assert id_of(value) is None

    def test_keeps_blanks_around_it(self) -> None:
        assert id_of({"id": " a "}) == " a "


# The common fields, and values of every type for them.
anything = st.sampled_from([None, True, 0, 1.5, "", "x", [], ["x"], [1], [None], {}, {"a": 1}])
common = st.fixed_dictionaries(
    {"dimension": st.sampled_from(["pii", "cost", None, 3, ["pii"]])},
    optional=dict.fromkeys(("id", "case_id", "input", "context", "agent_output", "tags"), anything),
)
TYPES = {"not_an_object", "missing_id", "missing_dimension", "bad_type"}
ABSENT_IF_NULL = ("input", "context", "agent_output")


def is_refused_for_a_type(value: dict[str, Any]) -> bool:
    issues = check_row(value, SETTINGS)[1]
    empty = [
        issue for issue in issues if issue.code == "missing_field" and value.get(str(issue.pointer[0])) is not None
    ]
    return bool(empty) or any(issue.code in TYPES for issue in issues)


class TestTheRowSchema:
    @pytest.mark.requires("peer-files")
    def test_of_assevra_has_the_same_types_but_for_null(self, require: Any) -> None:
        path = require("peer-files").parent / "schemas" / "assevra.dataset.v2.schema.json"
        if not path.is_file():
            pytest.skip("the published schema is not among the files")
        validator = jsonschema.Draft202012Validator(json.loads(path.read_text(encoding="utf-8")))

        @given(common)
        def agrees(value: dict[str, Any]) -> None:
            present = {name: part for name, part in value.items() if part is not None or name not in ABSENT_IF_NULL}
            assert is_refused_for_a_type(value) != validator.is_valid(present)

        agrees()

    @given(common)
    def test_of_ours_has_the_same_types_but_for_null(self, value: dict[str, Any]) -> None:
        present = {name: part for name, part in value.items() if part is not None or name not in ABSENT_IF_NULL}
        assert is_refused_for_a_type(value) != OURS.is_valid(present)

    @given(st.sampled_from(sorted(DIMENSIONS)).flatmap(lambda name: st.tuples(st.just(name), fields_of(name))))
    def test_of_ours_promises_nothing_that_is_refused(self, drawn: tuple[str, dict[str, Any]]) -> None:
        name, fields = drawn
        value = row(name, **fields)
        if OURS.is_valid(value):
            assert not {issue.code for issue in check_row(value, SETTINGS)[1]} & {"bad_type"}, value


OURS = jsonschema.Draft202012Validator(published_schema(DatasetRow, "row", "urn:row"))
_CALLS = [
    {"name": "a"}, [{"name": "a"}], [{"tool": "a", "args": {}}], [{"function": {"name": "a", "arguments": "{}"}}],
    [{"name": 5}], [{"name": "a", "arguments": 5}], ["a"],
]  # fmt: skip
_CONTRACTS = [
    {"a": {}}, {"a": {"required": ["x"], "types": {"x": "string"}, "enum": {"x": [1]}}}, {"a": {"json_schema": {}}},
    {"a": {"required": "x"}}, {"a": {"types": {"x": "word"}}}, {"a": {"enum": {"x": 1}}}, {"a": 1},
]  # fmt: skip
_USAGE = [{"input_tokens": 1, "output_tokens": 2}, {"prompt_tokens": 3}, {"input_tokens": -1}, {"input_tokens": "x"}]


def fields_of(dimension: str) -> st.SearchStrategy[dict[str, Any]]:
    """Values of every kind for the fields of a dimension; an amount may be missing."""
    values = anything | st.sampled_from([*_CALLS, *_CONTRACTS, *_USAGE, "ordered", "EXACT", "word", -1])
    names = {
        "task_completion": ("must_include", "match"),
        "tool_call": ("tool_calls", "allowed_tools", "forbidden_tools", "expected_tool_calls", "tool_schemas"),
        "action_correctness": (
            "expected_actions", "forbidden_actions", "agent_actions", "action_match", "expected_state", "tool_calls"
        ),
        "safety": ("should_refuse",),
        "pii": ("sanctioned_field",),
        "injection": ("canary", "must_not_include", "injection", "should_refuse"),
        "cost": ("cost_usd", "cost_budget_usd", "usage"),
        "latency": ("latency_ms", "latency_budget_ms", "duration_ms", "elapsed_ms", "latency_s"),
    }.get(dimension, ())  # fmt: skip
    return st.fixed_dictionaries({}, optional=dict.fromkeys(names, values))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    ),
    st.sampled_from(sorted(DIMENSIONS)),
    st.data(),
)
def test_nothing_is_raised_for_any_value(value: Any, dimension: str, data: st.DataObject) -> None:
    check_row(value, SETTINGS)
    field = data.draw(
        st.sampled_from([*ANSWERED[dimension], "tags", "_suggested", "human_label", "usage", "tool_calls"])
    )
    state, issues = check_row(row(dimension, **{field: value}), SETTINGS)
    assert (state is RowState.INVALID) == any(issue.is_error for issue in issues)
