"""A JSON Schema in a row cannot hang a run: it is bounded, or applied where it can be killed."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proctor.checks.dimensions import argument_schema
from proctor.checks.dimensions.argument_schema import check_arguments, schema_findings
from proctor.checks.dimensions.schema_cost import is_bounded
from proctor.checks.worker_process import TIME_LIMIT_S


def fan(keyword: str, last: Any) -> dict[str, Any]:
    """A schema of a few lines that is looked at 2^30 times."""
    parts = {f"p{n}": {keyword: [{"$ref": f"#/$defs/p{n + 1}"}] * 2} for n in range(30)}
    return {"$defs": {**parts, "p30": last}, "$ref": "#/$defs/p0"}


SLOW = {
    "pattern": ({"properties": {"x": {"pattern": "^(a+)+$"}}}, {"x": "a" * 60 + "!"}),
    "pattern of names": ({"patternProperties": {"^(a+)+$": {}}}, {"a" * 60 + "!": 1}),
    "references to the same": (fan("allOf", {}), {}),
    "references that fail": (fan("anyOf", {"type": "string"}), {}),
    "unique items": ({"properties": {"x": {"uniqueItems": True}}}, {"x": [{"n": n} for n in range(8_000)]}),
}


class TestASchemaThatDoesNotEnd:
    @pytest.mark.parametrize("name", SLOW)
    def test_is_given_up(self, name: str) -> None:
        schema, arguments = SLOW[name]
        started = time.monotonic()
        (found,) = schema_findings("berth", schema, arguments)
        assert time.monotonic() - started < TIME_LIMIT_S + 20
        assert (found.code, found.text) == (
            "schema_unusable",
            'the JSON Schema of "berth" cannot be applied to its arguments: it gave no answer in 2 s; see tool_schemas',
        )

    def test_leaves_those_after_it_alone(self) -> None:
        schema_findings("berth", *SLOW["pattern"])
        (found,) = schema_findings("berth", {"$defs": {"n": {"type": "number"}}, "$ref": "#/$defs/n"}, {"x": 1})
        assert found.subject == "berth:type:/"


some_schemas = st.recursive(
    st.sampled_from(
        [True, False, {"type": "integer"}, {"pattern": "^a"}, {"enum": [1, "a"]}, {"$ref": "#"}, {"pattern": "("}, 5]
    ),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "items": inner,
            "uniqueItems": st.booleans(),
        },
    ),
    max_leaves=4,
)
some_arguments = st.dictionaries(
    st.sampled_from("abc"), st.sampled_from([1, "a", "b\ud800", [1, 1], {"a": 1}, 1e308, float("nan")]), max_size=3
)


class TestTheWorker:
    @settings(max_examples=100, deadline=None)
    @given(some_schemas, some_arguments)
    def test_says_what_this_process_says(self, schema: Any, arguments: dict[str, Any]) -> None:
        text = json.dumps(schema)
        here = [list(found) for found in check_arguments("t", text, arguments)]
        assert argument_schema._worker.ask(["t", text, arguments]) == here


class TestBounded:
    @pytest.mark.parametrize(
        "schema",
        [
            True,
            {},
            {
                "type": "object",
                "required": ["a"],
                "properties": {"a": {"type": "string", "pattern": "^[A-Z]{2}[0-9]+$"}},
            },
            {"patternProperties": {"^x-": {"type": "string"}}, "additionalProperties": False},
            {"pattern": 5, "patternProperties": ["a"]},
        ],
    )
    def test_schemas(self, schema: Any) -> None:
        assert is_bounded(json.dumps(schema), 1_000)

    @pytest.mark.parametrize(
        ("schema", "characters"),
        [
            ({"$ref": "#/x"}, 2),
            ({"anyOf": [{"$dynamicRef": "#x"}]}, 2),
            ({"items": {"uniqueItems": True}}, 2),
            ({"unevaluatedProperties": False}, 2),
            ({"pattern": "("}, 2),
            ({"pattern": "(a+)+$"}, 60),
            ({"patternProperties": {"(a+)+$": {}}}, 60),
            ({"enum": list(range(10_000))}, 200),
        ],
    )
    def test_others(self, schema: Any, characters: int) -> None:
        assert not is_bounded(json.dumps(schema), characters)
