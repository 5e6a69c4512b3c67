"""What a contract says of the arguments of a call: the short form, and a whole JSON Schema."""

from __future__ import annotations

import socket
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.checks.dimensions.argument_schema import MAX_ERRORS
from proctor.checks.dimensions.tool_contract import contract_findings, contract_issues

TYPES = ("string", "number", "integer", "boolean", "array", "object")
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


def found(contract: dict[str, Any], **arguments: Any) -> list[tuple[str, str]]:
    return [(finding.token, finding.text) for finding in contract_findings("berth", contract, arguments)]


def tokens(contract: dict[str, Any], **arguments: Any) -> list[str]:
    return [token for token, _ in found(contract, **arguments)]


def issues(contracts: Any) -> list[tuple[str, tuple[str | int, ...], str]]:
    found_issues = contract_issues({"tool_schemas": contracts})
    return [(issue.code, issue.pointer, issue.message) for issue in found_issues]


class TestShortContract:
    def test_required_arguments_must_be_there_but_may_be_null(self) -> None:
        contract = {"required": ["ship", "pier"]}
        assert found(contract, ship=None, pier=1) == []
        assert found(contract, pier=1) == [("missing_arg:berth.ship", '"berth" was called without "ship"')]

    @pytest.mark.parametrize(
        ("value", "fitting"),
        [
            ("a", {"string"}),
            (1, {"number", "integer"}),
            (2.0, {"number", "integer"}),
            (2.5, {"number"}),
            (float("inf"), {"number"}),
            (float("nan"), {"number"}),
            (True, {"boolean"}),
            ([], {"array"}),
            ({}, {"object"}),
            (None, set()),
        ],
    )
    def test_types(self, value: Any, fitting: set[str]) -> None:
        for word in TYPES:
            wanted = [] if word in fitting else [f"wrong_type:berth.x:{word}"]
            assert tokens({"types": {"x": word}}, x=value) == wanted
            assert tokens({"types": {"x": word}}, y=value) == []

    def test_says_what_was_seen_instead_of_the_type(self) -> None:
        text = '"x" of "berth" should be of type integer; it is "seven"'
        assert found({"types": {"x": "integer"}}, x="seven") == [("wrong_type:berth.x:integer", text)]

    @pytest.mark.parametrize("value", [1, 1.0, "1", None, [1], {"a": [1]}])
    def test_enum_holds(self, value: Any) -> None:
        assert found({"enum": {"x": [1, "1", None, [1], {"a": [1]}]}}, x=value) == []

    @pytest.mark.parametrize("value", [True, "1", None, [True], {"a": 1}])
    def test_enum_fails(self, value: Any) -> None:
        assert tokens({"enum": {"x": [1, [1]]}}, x=value) == ["not_in_enum:berth.x"]

    def test_says_which_values_are_allowed(self) -> None:
        text = '"x" of "berth" should be one of [1, 2]; it is true'
        assert found({"enum": {"x": [1, 2]}}, x=True) == [("not_in_enum:berth.x", text)]
        assert found({"enum": {"x": [1, 2]}}) == []

    def test_all_faults_are_told_in_order(self) -> None:
        contract = {"enum": {"x": [1]}, "types": {"x": "integer"}, "required": ["y"]}
        assert tokens(contract, x="q") == ["missing_arg:berth.y", "wrong_type:berth.x:integer", "not_in_enum:berth.x"]

    def test_more_arguments_and_null_parts_do_no_harm(self) -> None:
        assert found({"required": None, "types": None, "enum": None}, sudo=True) == []

    def test_a_schema_of_null_is_no_schema_that_could_be_applied(self) -> None:
        assert tokens({"json_schema": None, "required": ["ship"]}) == ["schema_unusable"]

    @given(json_values, st.sampled_from(TYPES))
    def test_never_raises(self, value: Any, word: str) -> None:
        assert len(found({"types": {"x": word}, "enum": {"x": [value]}}, x=value)) <= 2


class TestJsonSchema:
    def test_alone_decides(self) -> None:
        assert found({"json_schema": {}, "required": ["ship"], "types": {"x": "string"}}, x=1) == []

    def test_all_errors_with_keyword_and_place(self) -> None:
        schema = {
            "properties": {"legs": {"items": {"properties": {"km": {"minimum": 0}}}}},
            "additionalProperties": False,
        }
        assert found({"json_schema": schema}, legs=[{"km": 1}, {"km": -1}], z=1) == [
            ("schema:berth:minimum:/legs/1/km",
             'the arguments of "berth" break its JSON Schema at /legs/1/km: -1 is less than the minimum of 0'),
            ("schema:berth:additionalProperties:/",
             ('the arguments of "berth" break its JSON Schema: Additional properties are not allowed'
              " ('z' was unexpected)")),
        ]  # fmt: skip

    def test_is_that_of_draft_2020_12(self) -> None:
        assert tokens({"json_schema": {"properties": {"x": {"type": "integer"}}}}, x=2.0) == []
        assert tokens({"json_schema": {"properties": {"x": {"enum": [1]}}}}, x=True) == ["schema:berth:enum:/x"]
        schema = {"properties": {"x": {"prefixItems": [{"type": "string"}], "items": False}}}
        assert tokens({"json_schema": schema}, x=["a", 1]) == ["schema:berth:items:/x"]
        assert tokens({"json_schema": False}) == ["schema:berth:None:/"]

    @pytest.mark.parametrize(
        ("word", "good", "bad"),
        [
            ("date", "2026-02-28", "2026-02-30"),
            ("date-time", "2026-02-28T08:00:00Z", "2026-02-28 08:00"),
            ("time", "08:00:00Z", "8 o'clock"),
            ("email", "noor@pier.example", "noor"),
            ("ipv4", "10.0.0.1", "1.2.3"),
            ("ipv6", "::1", "::g"),
            ("regex", "a+", "("),
            ("uuid", "4b1f9c1e-6a0b-4a53-8f2c-6f2f7e1d9a11", "4b1f"),
        ],
    )
    def test_formats_are_checked(self, word: str, good: str, bad: str) -> None:
        contract = {"json_schema": {"properties": {"x": {"format": word}}}}
        assert tokens(contract, x=good) == []
        assert tokens(contract, x=bad) == ["schema:berth:format:/x"]

    @pytest.mark.parametrize("schema", [{"type": "wish"}, "text", [], 5, {"properties": {"x": {"pattern": "("}}}])
    def test_a_broken_schema_gives_no_verdict(self, schema: Any) -> None:
        ((token, text),) = found({"json_schema": schema}, x="a")
        assert token == "schema_unusable"
        assert text.startswith('the JSON Schema of "berth" cannot be applied to its arguments: ')
        assert text.endswith("; see tool_schemas")

    @pytest.mark.parametrize("target", ["https://pier.example/schema.json", "#/$defs/none", "other.json"])
    def test_nothing_is_fetched(self, target: str, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: object, **__: object) -> None:
            pytest.fail("a connection was opened")

        monkeypatch.setattr(socket, "create_connection", refuse)
        assert tokens({"json_schema": {"$ref": target}}, x="a") == ["schema_unusable"]

    def test_a_reference_inside_the_schema_is_followed(self) -> None:
        schema = {"$defs": {"pier": {"maximum": 9}}, "properties": {"x": {"$ref": "#/$defs/pier"}}}
        assert tokens({"json_schema": schema}, x=10) == ["schema:berth:maximum:/x"]

    def test_a_schema_without_end_gives_no_verdict(self) -> None:
        ((token, text),) = found({"json_schema": {"$ref": "#"}}, x="a")
        assert (token, "it refers to itself without end" in text) == ("schema_unusable", True)

    def test_arguments_that_are_too_deep_fail(self) -> None:
        deep: Any = 1
        for _ in range(3_000):
            deep = {"x": deep}
        schema = {"properties": {"x": {"$ref": "#"}}}
        text = 'the arguments of "berth" are nested too deeply to be checked against its JSON Schema'
        assert found({"json_schema": schema}, x=deep) == [("too_deep:berth", text)]

    @pytest.mark.parametrize("number", [10**400, float("inf"), float("nan")])
    def test_numbers_beyond_arithmetic_never_raise(self, number: Any) -> None:
        assert len(found({"json_schema": {"properties": {"x": {"multipleOf": 0.01}}}}, x=number)) == 1

    def test_the_number_of_errors_has_a_limit(self) -> None:
        contract = {"json_schema": {"properties": {"x": {"items": {"type": "string"}}}}}
        assert len(found(contract, x=[1] * 5_000)) == MAX_ERRORS

    @given(json_values)
    def test_never_raises_whatever_the_schema_is(self, schema: Any) -> None:
        assert isinstance(found({"json_schema": schema}, x=[1, "a", None]), list)

    def test_hostile_text_is_shown_safely(self) -> None:
        ((_, text),) = found({"json_schema": {"properties": {"x": {"maxLength": 1}}}}, x="\x1b[31m")
        assert "\x1b" not in text


class TestRows:
    @pytest.mark.parametrize(
        ("contracts", "pointer", "message"),
        [
            ([], (), "must be an object with a contract for each tool, not a list"),
            ("x", (), "must be an object with a contract for each tool, not a text"),
            ({"a": None}, ("a",), "must be an object with required, types, enum or json_schema, not null"),
            ({"a": {"required": "to"}}, ("a", "required"), "must be a list of argument names, not a text"),
            ({"a": {"required": ["x", 5]}}, ("a", "required", 1), "must be the name of an argument, not a number"),
            ({"a": {"types": ["x"]}}, ("a", "types"), "must be an object with a type for each argument, not a list"),
            ({"a": {"types": {"x": "null"}}}, ("a", "types", "x"),
             'must be one of string, number, integer, boolean, array, object, not "null"'),
            ({"a": {"types": {"x": ["string"]}}}, ("a", "types", "x"),
             "must be one of string, number, integer, boolean, array, object, not a list"),
            ({"a": {"enum": ["x"]}}, ("a", "enum"),
             "must be an object with a list of values for each argument, not a list"),
            ({"a": {"enum": {"x": None}}}, ("a", "enum", "x"), "must be a list of the allowed values, not null"),
            ({"a": {"enum": {"x": "abc"}}}, ("a", "enum", "x"), "must be a list of the allowed values, not a text"),
        ],
    )  # fmt: skip
    def test_contracts_that_cannot_be_applied(
        self, contracts: Any, pointer: tuple[str | int, ...], message: str
    ) -> None:
        assert issues(contracts) == [("bad_type", ("tool_schemas", *pointer), message)]

    def test_every_unknown_type_is_told(self) -> None:
        assert len(issues({"a": {"types": {"x": "any", "y": 1}}, "b": {"types": {"z": ""}}})) == 3

    @pytest.mark.parametrize(
        "contracts", [None, {}, {"a": {}}, {"a": {"required": None, "types": {}}}, {"a": {"json_schema": {"type": 5}}}]
    )
    def test_readable_contracts(self, contracts: Any) -> None:
        assert issues(contracts) == []
