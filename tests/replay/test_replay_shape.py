"""The shape of arguments, and where two sequences of calls part."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.replay import argument_shape, first_difference
from proctor.replay_plan import Compare
from proctor.trajectory import ToolCall

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4)
values: st.SearchStrategy[Any] = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)
arguments = st.dictionaries(st.text('abc.[]"', max_size=3), values, max_size=3)
calls = st.builds(ToolCall, st.sampled_from(["find", "book", "ask"]), arguments)
sequences = st.lists(calls, max_size=4)


def other_scalars(value: Any) -> Any:
    """The value with every scalar replaced by another one of its type."""
    if isinstance(value, dict):
        return {name: other_scalars(item) for name, item in value.items()}
    if isinstance(value, list):
        return [other_scalars(item) for item in value]
    if isinstance(value, bool) or value is None:
        return value if value is None else not value
    return f"{value}x" if isinstance(value, str) else 7.5


def difference(recorded: Any, observed: Any, compare: Compare = Compare.SHAPE) -> str | None:
    found = first_difference([ToolCall("book", recorded)], [ToolCall("book", observed)], compare)
    return None if found is None else str(found)


class TestShapes:
    @pytest.mark.parametrize(
        ("value", "shape"),
        [
            (None, "null"),
            (True, "boolean"),
            (1, "number"),
            (1.5, "number"),
            ("", "string"),
            ([], "[]"),
            ({}, "{}"),
            ([1, 2.5, "a", None], "[null | number | string]"),
            ([[1], [2], ["a"]], "[[number] | [string]]"),
            ({"b": 1, "a": {"c": [True]}}, '{"a": {"c": [boolean]}, "b": number}'),
            ({"é: number": 1}, '{"é: number": number}'),
        ],
    )
    def test_spell_types(self, value: Any, shape: str) -> None:
        assert argument_shape(value) == shape

    @given(values)
    def test_do_not_depend_on_the_scalars(self, value: Any) -> None:
        assert argument_shape(other_scalars(value)) == argument_shape(value)

    @given(values)
    def test_do_not_depend_on_the_order_of_members(self, value: Any) -> None:
        turned = json.loads(json.dumps(value), object_pairs_hook=lambda pairs: dict(reversed(pairs)))
        assert argument_shape(turned) == argument_shape(value)

    @given(st.lists(values, max_size=4), st.randoms())
    def test_of_arrays_are_sets(self, items: list[Any], random: Any) -> None:
        shuffled = [*items, *items]
        random.shuffle(shuffled)
        assert argument_shape(shuffled) == argument_shape(items)


class TestTheFirstDifference:
    @given(sequences, st.sampled_from(Compare))
    def test_is_none_between_equal_calls(self, recorded: list[ToolCall], compare: Compare) -> None:
        assert first_difference(recorded, recorded, compare) is None

    @given(sequences, sequences)
    def test_is_found_by_a_stricter_comparison_wherever_a_looser_one_finds_it(
        self, recorded: list[ToolCall], observed: list[ToolCall]
    ) -> None:
        found = [first_difference(recorded, observed, compare) for compare in Compare]
        places = [len(recorded) + 9 if each is None else each.call for each in found]
        assert list(Compare) == [Compare.NAMES, Compare.SHAPE, Compare.VALUES]
        assert places == sorted(places, reverse=True)

    @given(sequences, sequences)
    def test_is_there_exactly_if_the_names_or_shapes_differ(
        self, recorded: list[ToolCall], observed: list[ToolCall]
    ) -> None:
        shapes = [[(call.name, argument_shape(call.arguments)) for call in each] for each in (recorded, observed)]
        assert (first_difference(recorded, observed, Compare.SHAPE) is None) == (shapes[0] == shapes[1])

    def test_tells_both_calls_and_the_place(self) -> None:
        assert difference({"seats": 2, "day": "Friday"}, {"seats": "2", "day": "Friday"}) == (
            'call 1: recorded "book" {"day": string, "seats": number}, '
            'observed "book" {"day": string, "seats": string}; at seats: number recorded, string observed'
        )

    @pytest.mark.parametrize(
        ("recorded", "observed", "compare", "detail"),
        [
            ({"a": {"b": 1}}, {"a": {}}, Compare.SHAPE, "at a.b: number recorded, nothing observed"),
            ({}, {"a b": 1}, Compare.SHAPE, 'at ["a b"]: nothing recorded, number observed'),
            ({"a": [1]}, {"a": [1, "x"]}, Compare.SHAPE, "at a: [number] recorded, [number | string] observed"),
            ({"a": [1, 2]}, {"a": [1, 3]}, Compare.VALUES, "at a[1]: 2 recorded, 3 observed"),
            ({"a": [1]}, {"a": [1, 3]}, Compare.VALUES, "at a[1]: nothing recorded, 3 observed"),
            ({"a": 1}, {"a": True}, Compare.VALUES, "at a: 1 recorded, true observed"),
            ({"a": {}}, {"a": []}, Compare.VALUES, "at a: {} recorded, [] observed"),
        ],
    )
    def test_tells_where_in_the_arguments(self, recorded: Any, observed: Any, compare: Compare, detail: str) -> None:
        assert str(difference(recorded, observed, compare)).endswith(f"; {detail}")

    def test_is_a_name_a_missing_call_or_one_too_many(self) -> None:
        find, book = ToolCall("find", {"q": "x"}), ToolCall("book", {"seats": 2})
        told = [
            str(first_difference(*pair, Compare.NAMES))
            for pair in [([find, book], [find, find]), ([find], []), ([], [find])]
        ]
        assert told == [
            'call 2: recorded "book", observed "find"',
            'call 1: recorded "find", observed no call',
            'call 1: recorded no call, observed "find"',
        ]

    def test_is_none_where_numbers_are_equal_or_arguments_were_left_out(self) -> None:
        assert difference({"a": 1}, {"a": 1.0}, Compare.VALUES) is None
        assert difference({}, None) is None
        assert str(difference({"a": 1}, None)).endswith("; at a: number recorded, nothing observed")

    def test_of_arguments_that_are_no_object_is_the_whole_of_them(self) -> None:
        assert difference({"a": 1}, "a=1") == 'call 1: recorded "book" {"a": number}, observed "book" string'

    def test_is_safe_and_short_to_show(self) -> None:
        name = "\x1b[31m" + "n" * 500
        found = first_difference([ToolCall(name, {"\x1b" * 300: 1})], [ToolCall(name, {})], Compare.SHAPE)
        text = str(found)
        assert "\x1b" not in text
        assert len(text) < 1_500
