"""Paths into arguments, and the text of what they lead to. The engine's own JavaScript says what is right."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
import quickjs
from hypothesis import given
from hypothesis import strategies as st

from proctor.checks.pi.argument_path import MISSING, parse_path, value_at
from proctor.value_text import number_text, value_text

SAFE = st.integers(-(2**53) + 1, 2**53 - 1)
NAMES = st.text(max_size=5).filter(lambda name: not name.isdecimal() and name != "__proto__")
VALUES = st.recursive(
    st.none() | st.booleans() | SAFE | SAFE.map(lambda number: number % 10**9 / 1000) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


def javascript(program: str, value: Any) -> str:
    """Call a function of JavaScript with a JSON value; its answer as JSON, so that lone surrogates survive."""
    function = quickjs.Context().eval(f"(text => JSON.stringify(({program})(JSON.parse(text))))")
    return str(json.loads(function(json.dumps(value))))


class TestTheTextOfAValue:
    @given(VALUES)
    def test_is_that_of_javascript(self, value: Any) -> None:
        assert value_text(value) == javascript("v => typeof v === 'string' ? v : JSON.stringify(v)", value)

    @given(st.floats(allow_nan=False, allow_infinity=False))
    def test_of_a_number_is_that_of_javascript(self, value: float) -> None:
        """But for numbers of which this engine writes a digit more than the shortest text that means them."""
        said, ours = javascript("String", value), number_text(value)
        assert ours == said or (len(ours) < len(said) and float(ours) == float(said) == value)

    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (12345678901234567890123, "12345678901234567890123"),
            (-(2**70), "-1180591620717411303424"),
            (1.0, "1"),
            (-0.0, "0"),
            (1e3, "1000"),
            (1e16, "10000000000000000"),
            (1e21, "1e+21"),
            (123456789012345680000.0, "123456789012345680000"),
            (1e-6, "0.000001"),
            (1e-7, "1e-7"),
            (-1.5e-10, "-1.5e-10"),
            (5e-324, "5e-324"),
            (math.inf, "null"),
            (True, "true"),
            (None, "null"),
            ("\ud83d\n", "\ud83d\n"),
            ({"z": [1.0, True, None], "10": "\ud83d é\u2028\x01", "2": {}},
             '{"z":[1,true,null],"10":"\\ud83d é\u2028\\u0001","2":{}}'),
        ],
    )  # fmt: skip
    def test_keeps_digits_and_the_order_of_members(self, value: Any, text: str) -> None:
        assert value_text(value) == text

    def test_of_deep_values_is_found(self) -> None:
        value: Any = 1
        for _ in range(199):
            value = [value]
        assert value_text(value) == "[" * 199 + "1" + "]" * 199


class TestAPath:
    @pytest.mark.parametrize(
        ("text", "path"),
        [
            ("a", ("a",)),
            ("a.b.0", ("a", "b", "0")),
            (r"a\.b.c", ("a.b", "c")),
            (r"a\\.b", ("a\\", "b")),
            (r"a\b", (r"a\b",)),
            ("a\\", ("a\\",)),
            (" .\n", (" ", "\n")),
            ("$.a[0]", ("$", "a[0]")),
        ],
    )
    def test_is_split_at_dots(self, text: str, path: tuple[str, ...]) -> None:
        assert parse_path(text) == path

    @pytest.mark.parametrize("text", ["", ".", ".a", "a.", "a..b", r"a\\..b"])
    def test_has_no_empty_segment(self, text: str) -> None:
        with pytest.raises(ValueError, match=r"^a segment of the path is empty$"):
            parse_path(text)

    @given(st.lists(st.text(min_size=1, max_size=4), min_size=1, max_size=4))
    def test_can_name_any_member(self, names: list[str]) -> None:
        text = ".".join(name.replace("\\", "\\\\").replace(".", "\\.") for name in names)
        assert parse_path(text) == tuple(names)


ARGUMENTS: dict[str, Any] = {
    "a": {"b": [10, [20]], "": 1, "0": "zero"}, "text": "abc", "none": None, "__proto__": 5,
}  # fmt: skip


class TestAValueAtAPath:
    @pytest.mark.parametrize(
        ("path", "value"),
        [
            (("a", "b", "0"), 10),
            (("a", "b", "1", "0"), 20),
            (("a", "0"), "zero"),
            (("none",), None),
            (("__proto__",), 5),
        ],
    )
    def test_is_found(self, path: tuple[str, ...], value: object) -> None:
        assert value_at(ARGUMENTS, path) == value

    @pytest.mark.parametrize(
        "path",
        [
            ("b",), ("a", "b", "2"), ("a", "b", "-1"), ("a", "b", "00"), ("a", "b", "1e0"), ("a", "b", "٠"),
            ("a", "b", "9" * 5000), ("a", "b", "length"), ("text", "0"), ("none", "x"), ("constructor",), ("A",),
        ],
    )  # fmt: skip
    def test_is_missing(self, path: tuple[str, ...]) -> None:
        assert value_at(ARGUMENTS, path) is MISSING

    def test_is_missing_in_arguments_that_were_not_captured(self) -> None:
        assert value_at(None, ("a",)) is MISSING
