"""JSON files with places: what is taken, and the one problem of what is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.errors import Problem
from proctor.formats.strict_json.document import MAX_DEPTH, JsonDocument, read_json_file

FILE = Path("pages.json")


def values(data: bytes, path: Path = FILE) -> list[Any]:
    documents, problems = read_json_file(path, data)
    assert problems == ()
    return [document.value for document in documents]


def problem(data: bytes, path: Path = FILE) -> Problem:
    documents, problems = read_json_file(path, data)
    assert documents == ()
    (found,) = problems
    return found


def document(text: str) -> JsonDocument:
    ((found,), problems) = read_json_file(FILE, text.encode())
    assert problems == ()
    return found


class TestAFile:
    def test_is_one_text(self) -> None:
        assert values(b' {"a": [1, 2.5, null, true, "\xc3\xb6"]}\n') == [{"a": [1, 2.5, None, True, "ö"]}]

    def test_may_begin_with_a_byte_order_mark(self) -> None:
        assert values(b'\xef\xbb\xbf{"a": 1}') == [{"a": 1}]
        assert problem(b"\xef\xbb\xbf{]").place == "pages.json:1:2"

    @pytest.mark.parametrize("name", ["pages.jsonl", "pages.NDJSON", "pages.json"])
    def test_may_hold_one_text_a_line(self, name: str) -> None:
        documents, problems = read_json_file(Path(name), b'\n{"a": 1}\r\n\n{"a": 2}\n')
        assert problems == ()
        assert [(found.value["a"], found.first_line) for found in documents] == [(1, 2), (2, 4)]

    def test_tells_each_bad_line_and_keeps_the_others(self) -> None:
        documents, problems = read_json_file(FILE, b'{"a": 1}\n{"a": }\n{"a": 3}\n{"a": NaN}')
        assert [found.value["a"] for found in documents] == [1, 3]
        assert [(found.line, found.column) for found in problems] == [(2, 7), (4, 7)]

    def test_of_lines_that_is_one_text_is_one_problem(self) -> None:
        found = problem(b'{\n"a":\n1\n}', Path("pages.jsonl"))
        assert found.message == "the file is one JSON text over several lines, not one a line"
        assert found.hint == "give it the ending .json"

    def test_with_half_a_surrogate_pair_can_be_written_as_utf_8(self) -> None:
        ((value),) = values(b'{"a": "\\ud83d", "b": "\\ud83d\\ude00"}')
        assert value == {"a": "\ufffd", "b": "😀"}

    @pytest.mark.parametrize(
        ("data", "place", "message"),
        [
            (b"", "pages.json", "error [empty] the file is empty"),
            (b" \n\t", "pages.json", "error [empty] the file is empty"),
            (b'{"a":\n  NaN}', "pages.json:2:3", "[invalid_json] NaN is no JSON number (write null, or leave the me"),
            (b'["NaN", -Infinity]', "pages.json:1:9", "[invalid_json] -Infinity is no JSON number"),
            (b"[1e999]", "pages.json:1:2", "[out_of_range] the number 1e999 is larger than any that a double holds"),
            (b"[" + b"9" * 5000 + b"]", "pages.json:1:2", "[out_of_range] the number 99999999999999999999… is larger"),
            (b'{"a": 1,\n "b": {"c": 1, "\\u0063": 2}}', "pages.json:2:16", '[duplicate_key] the member "c" stands'),
            (b'{"a\\"": [{"a": 1}], "a\\"": 2}', "pages.json:1:21", '[duplicate_key] the member "a"" stands twice'),
            (b'"\xff"', "pages.json:1:2", "[invalid_utf8] byte 0xFF is not UTF-8 text"),
            ('"ö\n'.encode() + b'\xff"', "pages.json:2:1", "[invalid_utf8] byte 0xFF is not UTF-8 text"),
            ("[1]".encode("utf-16"), "pages.json:1:1", "[invalid_utf8] byte 0xFF is not UTF-8 text"),
            (b'{"a": 1', "pages.json:1:8", "[invalid_json] no JSON: expecting ',' delimiter (is the file cut off?)"),
            (b"[1,]", "pages.json:1:4", "[invalid_json] no JSON: expecting value"),
            (b"{\n}\n}", "pages.json:3:1", "[invalid_json] no JSON: extra data"),
            (b"{'a': 1}", "pages.json:1:2", "[invalid_json] no JSON: expecting property name"),
        ],
    )
    def test_that_is_none_is_one_problem(self, data: bytes, place: str, message: str) -> None:
        found = str(problem(data))
        assert found.startswith(f"{place}: ")
        assert message in found

    @pytest.mark.parametrize("number", [10**308, -(10**308)])
    def test_holds_whole_numbers_with_all_digits_as_far_as_doubles_go(self, number: int) -> None:
        assert values(str(number).encode()) == [number]
        assert problem(f"{number}0".encode()).code == "out_of_range"

    @pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"[": ', "}")])
    def test_may_be_nested_200_levels_deep_and_no_more(self, opening: str, closing: str) -> None:
        for inner in ('"[{"', "1"):
            assert values(f"{opening * MAX_DEPTH}{inner}{closing * MAX_DEPTH}".encode())
            for depth in (MAX_DEPTH + 1, 100_000):
                found = problem(f"{opening * depth}{inner}{closing * depth}".encode())
                assert (found.code, found.message) == ("too_deep", "nested deeper than 200 levels")
                assert found.column == len(opening) * MAX_DEPTH + 1

    @given(st.binary(max_size=60))
    def test_of_any_bytes_is_read_or_told(self, data: bytes) -> None:
        documents, problems = read_json_file(FILE, data)
        assert documents or problems


class TestAPlace:
    TEXT = '{"pages": [\n  {"slug": "a/b", "é": "ü", "n": [[], {}]},\n  {"slug": "c/d"}\n]}'

    @pytest.mark.parametrize(
        ("pointer", "place"),
        [
            ((), (1, 1)),
            (("pages",), (1, 11)),
            (("pages", 0), (2, 3)),
            (("pages", 0, "é"), (2, 24)),
            (("pages", 0, "n", 1), (2, 39)),
            (("pages", 1, "slug"), (3, 12)),
            (("pages", 1, "title"), (3, 3)),
            (("pages", 2, "slug"), (1, 11)),
            (("pages", "slug"), (1, 11)),
            (("pages", 1, "slug", 0), (3, 12)),
        ],
    )
    def test_is_that_of_the_value_or_of_its_nearest_parent(self, pointer: Any, place: tuple[int, int]) -> None:
        assert document(self.TEXT).place(pointer) == place

    def test_counts_the_lines_of_the_file(self) -> None:
        documents, _ = read_json_file(Path("pages.jsonl"), b'\n\n {"a": 1}')
        assert documents[0].place(("a",)) == (3, 8)

    def test_is_told_as_a_json_pointer_without_controls(self) -> None:
        found = document('{"a/~\\u001b": [1]}').problem(("a/~\x1b", 0), "odd", "is odd", "make it even")
        assert str(found) == "pages.json:1:16: error [odd] /a~1~0<1B>/0: is odd (make it even)"

    @given(
        st.recursive(
            st.none() | st.integers() | st.text(max_size=5),
            lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
            max_leaves=12,
        ),
        st.sampled_from([None, 1]),
    )
    def test_begins_the_value_that_stands_there(self, value: Any, indent: int | None) -> None:
        text = json.dumps(value, indent=indent, ensure_ascii=False)
        found = document(text)
        if json.loads(text) != found.value:
            return  # half a surrogate pair
        lines = text.split("\n")
        for pointer, inner in parts(value):
            line, column = found.place(pointer)
            rest = "\n".join([lines[line - 1][column - 1 :], *lines[line:]])
            assert json.JSONDecoder().raw_decode(rest)[0] == inner


def parts(value: Any, pointer: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], Any]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [(pointer, value), *(part for step, each in inner for part in parts(each, (*pointer, step)))]
