"""Strict JSON: what is taken, and what is told of what is not."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from proctor.formats.pi.json_text import MAX_DEPTH, read_json
from proctor.formats.strict_json.text import JsonFault


def fault(text: str | bytes) -> tuple[str, str, int]:
    with pytest.raises(JsonFault) as found:
        read_json(text if isinstance(text, bytes) else text.encode())
    assert found.value.message
    return found.value.code, found.value.message, found.value.column


class TestAValue:
    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ('{"a":1,"b":2,"a":3}', {"a": 3, "b": 2}),
            ('"\\ud83d"', "\ud83d"),
            ('"\\ud83d\\ude00"', "😀"),
            ('{"a":"\\udc00","e1000":1e-400}', {"a": "\udc00", "e1000": 0.0}),
            ("12345678901234567890123456789", 12345678901234567890123456789),
            (" [1.0, 1e3]\t\r", [1.0, 1000.0]),
            ("1.7976931348623157e308", 1.7976931348623157e308),
            ("1" + "0" * 308, 10**308),
            ('"\u2028\x85\x7f"', "\u2028\x85\x7f"),
        ],
    )
    def test_is_read(self, text: str, value: Any) -> None:
        found = read_json(text.encode())
        assert found == value
        assert json.dumps(found) == json.dumps(value)

    @pytest.mark.parametrize("mark", ['"[{', "1"])
    def test_may_be_nested_200_levels_deep_and_no_more(self, mark: str) -> None:
        text = json.dumps(mark)
        read_json(b"[" * MAX_DEPTH + text.encode() + b"]" * MAX_DEPTH)
        code, message, column = fault("[" * (MAX_DEPTH + 1) + text + "]" * (MAX_DEPTH + 1))
        assert (code, column) == ("invalid_json", MAX_DEPTH + 1)
        assert message == "invalid JSON: nested deeper than 200 levels at column 201"

    @given(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
            | st.text(st.characters()),
            lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
            max_leaves=10,
        ),
        st.booleans(),
    )  # fmt: skip
    def test_is_what_was_written(self, value: Any, is_ascii: bool) -> None:
        text = json.dumps(value, ensure_ascii=is_ascii).encode("utf-8", "backslashreplace")
        assert json.dumps(read_json(text)) == json.dumps(value)

    @given(st.text(st.sampled_from('[]{}:,"\\eE+-.0129 \tnulltrue\x0b\x85N'), max_size=12))
    @example("[1e999]")
    @example("-0")
    @example("1e+0308")
    @example('{"4e123": "9e999"}')
    @example('{"a":-1.5E+999}')
    def test_is_what_a_strict_reader_reads(self, text: str) -> None:
        def refuse(literal: str) -> float:
            raise ValueError(literal)

        def number(literal: str) -> float:
            return refuse(literal) if math.isinf(float(literal)) else float(literal)

        wanted: object
        try:
            wanted = json.loads(text, parse_float=number, parse_constant=refuse)
        except ValueError:
            wanted = JsonFault
        try:
            seen = read_json(text.encode())
        except JsonFault:
            seen = JsonFault
        assert repr(seen) == repr(wanted)


class TestAFault:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ('{"a":NaN}', "invalid JSON: NaN is no JSON number at column 6"),
            ('{"-Infinity":-Infinity}', "invalid JSON: -Infinity is no JSON number at column 14"),
            (
                '{"a":' + "9" * 310 + "}",
                f"invalid JSON: the number {'9' * 20}… is larger than any that a double holds at column 6",
            ),
            ('["1e999",1e999]', "invalid JSON: the number 1e999 is larger than any that a double holds at column 10"),
            ("1e+400", "invalid JSON: the number 1e+400 is larger than any that a double holds at column 1"),
            (
                "[" + "9" * 5000 + "]",
                "invalid JSON: the number 99999999999999999999… is larger than any that a double holds at column 2",
            ),
            ('{"a":1', "invalid JSON: expecting ',' delimiter at column 7"),
            ("{} {}", "invalid JSON: extra data at column 4"),
            ("[1,]", "invalid JSON: expecting value at column 4"),
            ("{} // no", "invalid JSON: extra data at column 4"),
            ('"a\tb"', "invalid JSON: invalid control character at column 3"),
            ("\x0b1", "invalid JSON: expecting value at column 1"),
            ("\xa01", "invalid JSON: expecting value at column 1"),
        ],
    )
    def test_is_told_with_its_place(self, text: str, message: str) -> None:
        code, said, column = fault(text)
        assert (code, said) == ("invalid_json", message)
        assert message.endswith(f"at column {column}")

    @pytest.mark.parametrize(
        ("data", "byte", "column"),
        [(b'"\xc3\xa9\xff"', "FF", 3), (b'"\xed\xa0\x80"', "ED", 2), (b'"\xc0\x80"', "C0", 2)],
    )
    def test_tells_the_byte_that_is_no_utf8(self, data: bytes, byte: str, column: int) -> None:
        assert fault(data) == ("invalid_utf8", f"byte 0x{byte} is not UTF-8 text", column)

    @pytest.mark.parametrize(
        ("text", "hint"),
        [
            ('{"a": ', "each record stands on one line; is the file cut off?"),
            ("{}{}", "one record a line"),
            ("[NaN]", "write null, or leave the member out"),
            ("[x]", None),
        ],
    )
    def test_says_what_may_help(self, text: str, hint: str | None) -> None:
        with pytest.raises(JsonFault) as found:
            read_json(text.encode())
        assert found.value.hint == hint
