"""A line of a data set becomes a value, or a fault with its place."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from proctor.formats.assevra.places import offset_of
from proctor.formats.assevra.row_text import BLANK, MAX_DEPTH, read_line
from proctor.formats.strict_json.text import JsonFault

CUT_OFF = "each row stands on one line; was the file cut off?"
UTF_16 = "it holds NUL characters: save the file as UTF-8, not as UTF-16"


def fault(data: bytes | None) -> JsonFault:
    with pytest.raises(JsonFault) as caught:
        read_line(data)
    return caught.value


class TestReadLine:
    @pytest.mark.parametrize(
        ("data", "value"),
        [
            (b'{"a": 1}', {"a": 1}),
            (b'\t{"a": 1} \r', {"a": 1}),
            (b'{"a": 1, "a": 2}', {"a": 2}),
            ('\u00a0{"a": 1}\u00a0'.encode(), {"a": 1}),
            (b'"\\ud83d"', "\ud83d"),
            (b"1e999", math.inf),
            (b"[-Infinity]", [-math.inf]),
            (b"[" * MAX_DEPTH + b"]" * MAX_DEPTH, None),
        ],
    )
    def test_takes_what_python_takes(self, data: bytes, value: Any) -> None:
        assert read_line(data) == (json.loads(data) if value is None else value)

    def test_takes_nan(self) -> None:
        assert math.isnan(read_line(b"NaN"))

    @pytest.mark.parametrize("data", [b"", b" ", b"\t\r", "\u00a0".encode(), b"\x1c"])
    def test_tells_a_blank_line(self, data: bytes) -> None:
        assert read_line(data) is BLANK

    @pytest.mark.parametrize(
        ("data", "code", "message", "column", "hint"),
        [
            (b"{bad", "invalid_json", "no JSON: expecting property name enclosed in double quotes", 2, None),
            (b'  {"a":}', "invalid_json", "no JSON: expecting value", 8, None),
            (b'{"a": 1', "invalid_json", "no JSON: expecting ',' delimiter", 8, CUT_OFF),
            (b'{"a": "b', "invalid_json", "no JSON: unterminated string", 7, CUT_OFF),
            (b"\0{\0}", "invalid_json", "no JSON: expecting value", 1, UTF_16),
            (b"\x1f\x8b\x08", "invalid_utf8", "byte 0x8B is not UTF-8 text", 2, "it is compressed: unpack it first"),
            (b'{"a": 1}{}', "invalid_json", "no JSON: extra data", 9, "one row a line"),
            (b"{}\r{}", "invalid_json", "no JSON: extra data", 4, "a lone CR"),
            ('{"é": }'.encode(), "invalid_json", "no JSON: expecting value", 7, None),
            (
                '{"é": "'.encode() + b'\xff"}',
                "invalid_utf8",
                "byte 0xFF is not UTF-8 text",
                8,
                "save the file as UTF-8",
            ),
            (b'"\xed\xa0\x80"', "invalid_utf8", "byte 0xED is not UTF-8 text", 2, "save the file as UTF-8"),
            (b"\xef\xbb\xbf{}", "invalid_json", "no JSON: unexpected UTF-8 BOM", 1, None),
            (b'{"a": ' + b"9" * 5000 + b"}", "invalid_json", "a whole number of more than 4,300 digits", 7, None),
            (b"[" * 501 + b"]" * 501, "invalid_json", "nested deeper than 500 levels", 501, None),
            (b'{"a":' * 100_000, "invalid_json", "nested deeper than 500 levels", 2501, None),
            (None, "too_large", "the line has more than 67,108,864 bytes", 1, "split the row, or shorten it"),
        ],
    )
    def test_tells_what_is_wrong_and_where(
        self, data: bytes | None, code: str, message: str, column: int, hint: str | None
    ) -> None:
        found = fault(data)
        assert (found.code, found.column) == (code, column)
        assert found.message.startswith(message)
        assert (found.hint or "").endswith(hint or "")
        assert bool(found.hint) == bool(hint)

    def test_counts_no_brackets_in_texts(self) -> None:
        text = "[" * 1000 + '\\"{'
        assert read_line(json.dumps({"a": text, "b": "\ud83d"}).encode()) == {"a": text, "b": "\ud83d"}


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=10,
)


@given(json_values, st.booleans())
@example({"a": "\ud800"}, True)
def test_gives_every_value_back(value: Any, is_ascii: bool) -> None:
    text = json.dumps(value, ensure_ascii=is_ascii)
    assert read_line(text.encode("utf-8", "replace")) == json.loads(text.encode("utf-8", "replace").decode())


@given(st.binary(max_size=30) | st.text('{}[]",:0123456789eE+-.ntrufalsINy \\\r', max_size=30).map(str.encode))
def test_accepts_no_more_and_no_less_than_python(data: bytes) -> None:
    try:
        wanted = repr(json.loads(data.decode().strip()))
    except ValueError:
        wanted = None
    try:
        value = read_line(data)
        found = None if value is BLANK else repr(value)
    except JsonFault as error:
        found = None if 1 <= error.column <= len(data) + 1 else "a column outside of the line"
    assert found == wanted


def pointers(value: Any, so_far: tuple[str | int, ...] = ()) -> Any:
    """Every pointer in a value, with what it points to."""
    yield so_far, value
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, item in items:
        yield from pointers(item, (*so_far, step))


class TestOffsetOf:
    @given(json_values, st.sampled_from([None, 1]))
    def test_finds_every_part(self, value: Any, indent: int | None) -> None:
        text = " " + json.dumps(value, indent=indent)
        for pointer, part in pointers(value):
            found, _ = json.JSONDecoder().raw_decode(text, offset_of(text, pointer))
            assert repr(found) == repr(part)

    @pytest.mark.parametrize(
        ("text", "pointer", "offset"),
        [
            ('{"a": {"b": [1, "x"]}}', ("a", "b", 1), 16),
            ('{"a": {"b": [1, "x"]}}', ("a", "b", 7), 12),
            ('{"a": {"b": [1, "x"]}}', ("a", "c"), 6),
            ('{"a": 1}', ("b",), 0),
            ('{"a": 1, "a": 2}', ("a",), 14),
            ('  {"a": 1}', (), 2),
            ('{"a": 1}', (0,), 0),
            ("[1]", ("a",), 0),
            ('{"a\\"b": 1, "\\u00e9": 2}', ("é",), 22),
        ],
    )
    def test_gives_the_nearest_parent_and_the_last_of_two(
        self, text: str, pointer: tuple[str | int, ...], offset: int
    ) -> None:
        assert offset_of(text, pointer) == offset
