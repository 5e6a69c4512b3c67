"""The checksum over what is asked of a recorded row."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.formats.assevra.observed import OBSERVED, definition

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
rows = st.dictionaries(st.sampled_from(["id", "dimension", "context", "must_include", "expected_state"]), values)


def turned(value: Any) -> Any:
    """The same JSON value with the members of all objects in the reverse order."""
    if isinstance(value, dict):
        return {name: turned(inner) for name, inner in reversed(value.items())}
    return [turned(inner) for inner in value] if isinstance(value, list) else value


class TestDefinition:
    @given(rows)
    def test_the_order_of_fields_does_not_matter(self, row: dict[str, Any]) -> None:
        assert definition(row) == definition(turned(row))

    @given(rows, st.dictionaries(st.sampled_from(sorted(OBSERVED)), values, min_size=1))
    def test_what_was_observed_does_not_matter(self, row: dict[str, Any], observed: dict[str, Any]) -> None:
        assert definition(row) == definition({**observed, **row})

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ({"context": "a"}, {"context": "b"}),
            ({"context": "a"}, {"input": "a"}),
            ({"context": None}, {}),
            ({"context": 1}, {"context": "1"}),
            ({"a\nb": 1}, {"a": 1, "b": 1}),
            ({"must_include": ["a", "b"]}, {"must_include": ["b", "a"]}),
            ({"must_include": ["a", "b"]}, {"must_include": ["a,b"]}),
            ({"expected_state": {"a": [1, {"b": 2}]}}, {"expected_state": {"a": [1, {"b": 3}]}}),
            ({"context": "\ud800"}, {"context": "\ud801"}),
        ],
    )
    def test_everything_else_does(self, first: dict[str, Any], second: dict[str, Any]) -> None:
        assert definition(first) != definition(second)

    def test_any_depth_can_be_taken(self) -> None:
        deep: Any = 1
        for _ in range(300):
            deep = {"b": 1, "a": deep}
        assert definition({"expected_state": deep}) == definition(turned({"expected_state": deep}))
