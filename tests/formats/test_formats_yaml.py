"""YAML with places: what is read, what is refused, and where it stands."""

from __future__ import annotations

import datetime
import math
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from proctor.formats.yaml_reader import ALIAS_BUDGET, MAX_BYTES, MAX_DEPTH, Dialect, Document, read_yaml, reads_the_same

PATH = Path("case.yaml")
OLD, NEW = Dialect.YAML_1_1, Dialect.YAML_1_2_CORE


def read(text: str | bytes, dialect: Dialect = OLD) -> Document:
    return read_yaml(PATH, text.encode() if isinstance(text, str) else text, dialect)


def refused(text: str | bytes, dialect: Dialect = OLD) -> str:
    """The one problem of a document that cannot be used."""
    document = read(text, dialect)
    assert document.value is None
    assert document.root is None
    [problem] = document.problems
    return str(problem)


class TestATextThatCannotBeRead:
    @pytest.mark.parametrize("dialect", Dialect)
    def test_with_an_alias_bomb_is_refused_at_once(self, dialect: Dialect) -> None:
        lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
        for name, before in zip("bcdefghi", "abcdefgh", strict=True):
            lines.append(f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]")
        assert refused("\n".join(lines), dialect).startswith("case.yaml:1:")
        assert refused("\n".join(lines), dialect).endswith(
            " error [alias_budget] aliases expand to more than 100,000 repeated values "
            "(write the values out, or use fewer aliases of aliases)"
        )

    def test_with_fewer_aliases_is_fine(self) -> None:
        items = ", ".join(["*a"] * 1000)
        assert len(read(f"a: &a [x, x]\nb: [{items}]").value["b"]) == 1000
        assert ALIAS_BUDGET > 3000

    def test_that_contains_itself_is_refused(self) -> None:
        assert refused("a: &a\n  b: [*a]\n") == (
            "case.yaml:1:4: error [alias_cycle] an alias refers to a value that contains it"
        )
        assert "[alias_cycle]" in refused("&a [*a]")
        assert "[alias_cycle]" in refused("a: &a\n  <<: *a\n")

    @pytest.mark.parametrize("tag", ["!!python/object/apply:os.system", "!!set", "!!binary", "!own", "!!omap"])
    @pytest.mark.parametrize("value", ["x", "[x]", "{x: y}"])
    def test_with_a_foreign_tag_is_refused(self, tag: str, value: str) -> None:
        name = tag
        assert refused(f"id: one\nx: {tag} {value}\n") == (
            f"case.yaml:2:4: error [yaml_tag] the tag {name} is not allowed (write a plain value, list or mapping)"
        )

    @pytest.mark.parametrize(
        ("data", "place", "byte"),
        [
            (b"id: caf\xe9\n", "1:8", "E9"),
            (b"\xff\xfei\x00d\x00", "1:1", "FF"),
            ("id: ä\nx: ".encode() + b"\xc3", "2:4", "C3"),
            ("ü: é ".encode() + b"\x80", "1:6", "80"),
        ],
    )
    def test_that_is_no_utf8_is_refused_at_the_byte(self, data: bytes, place: str, byte: str) -> None:
        assert refused(data) == (
            f"case.yaml:{place}: error [encoding] byte 0x{byte} is not UTF-8 text (save the file as UTF-8)"
        )

    def test_with_two_documents_is_refused_at_the_second(self) -> None:
        assert refused("id: one\n---\nid: two\n") == (
            "case.yaml:2:1: error [yaml_syntax] but found another document expected a single document in the stream "
            "(one file holds one document: split it at the ---)"
        )

    @pytest.mark.parametrize(
        ("character", "name"), [("\x00", "U+0000"), ("\x1b", "U+001B"), ("\x7f", "U+007F"), ("\ufffe", "U+FFFE")]
    )
    def test_with_control_characters_is_refused_at_the_first(self, character: str, name: str) -> None:
        found = refused(f"id: one\nx: a{character}b{character}\n")
        assert found.startswith("case.yaml:2:5: error [yaml_syntax] ")
        assert found.endswith(name)

    @pytest.mark.parametrize("opening", ["[", "{a: ", "- "])
    def test_that_is_nested_too_deeply_is_refused(self, opening: str) -> None:
        closing = {"[": "]", "{a: ": "}", "- ": ""}[opening]
        fine = opening * MAX_DEPTH + "1" + closing * MAX_DEPTH
        assert read(fine).problems == ()
        assert refused(opening * (MAX_DEPTH + 1) + "1" + closing * (MAX_DEPTH + 1)).endswith(
            "error [too_deep] nested deeper than 100 levels"
        )
        assert "exceeded maximum nesting depth" in refused(opening * 5_000 + "1" + closing * 5_000)

    def test_that_is_too_large_is_refused_unread(self) -> None:
        assert read(b"a: " + b"x" * (MAX_BYTES - 3)).problems == ()
        assert refused(b"a: " + b"x" * (MAX_BYTES - 2)) == (
            "case.yaml: error [too_large] the file has 16,777,217 bytes; the limit is 16,777,216"
        )

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("a: [1, 2\nb: 3\n", "case.yaml:2:2: error [yaml_syntax] did not find expected ',' or ']'"),
            ("a: b: c\n", "case.yaml:1:5: error [yaml_syntax] mapping values are not allowed in this context"),
            ("\ta: 1\n", "case.yaml:1:1: error [yaml_syntax] found character that cannot start any token"),
            ("a: *b\n", "case.yaml:1:4: error [yaml_syntax] found undefined alias"),
            ('a: "\\d"\n', "case.yaml:1:5: error [yaml_syntax] found unknown escape character"),
        ],
    )
    def test_is_refused_where_its_syntax_breaks(self, text: str, problem: str) -> None:
        assert refused(text).startswith(problem)

    def test_with_an_unknown_escape_hints_at_single_quotes(self) -> None:
        assert refused('a: "\\d"\n').endswith(
            "(in double quotes a backslash is doubled; in single quotes it is kept as it is)"
        )

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("? [a, b]\n: c\n", "a key must be a single value, not a list or a mapping"),
            ("? {a: b}\n: c\n", "a key must be a single value, not a list or a mapping"),
            ("<<: 1\n", "'<<' merges mappings only"),
            ("<<: [{a: 1}, b]\n", "'<<' merges mappings only"),
            ("a: 2031-02-30\n", "'2031-02-30' cannot be read: day is out of range for month"),
            ("a: !!int no\n", "'no' cannot be read: invalid literal for int() with base 10: 'no'"),
            ("a: !!bool maybe\n", "'maybe' cannot be read: 'maybe'"),
        ],
    )
    def test_with_a_value_that_makes_no_sense_is_refused(self, text: str, message: str) -> None:
        assert message in refused(text)

    @pytest.mark.parametrize("value", ["!!int 1.5", "!!float x", "!!bool ''", "!!bool yes", "9" * 5000])
    def test_of_yaml_1_2_with_a_value_that_makes_no_sense_is_refused(self, value: str) -> None:
        found = refused(f"a: {value}\n", NEW)
        assert found.startswith("case.yaml:1:4: error [bad_scalar] ")
        assert found.endswith(" (put it in quotes)")
        assert len(found) < 400

    @given(st.binary(max_size=60), st.sampled_from(Dialect))
    @example(b"!!float :0", OLD)
    @example(b"!!int 0x_", OLD)
    @example(b"=: =", OLD)
    @example(b"!!int 1.5", NEW)
    @example(b"!!float x", NEW)
    @example(b"!!timestamp x", OLD)
    @example(b"!!null x", NEW)
    @example(b"<<: &a {<<: *a}", OLD)
    @example(b"1:99999999999999999999999999999999999999999999999999", OLD)
    @example(b"190:20:30.15e+999999999", OLD)
    @example(b"0" * 5000, NEW)
    @example(b"9" * 5000, OLD)
    @example(b"9" * 5000, NEW)
    @example(b"!!timestamp 2001-01-01T00:00:00+99:99", OLD)
    def test_becomes_a_problem_and_never_an_exception(self, data: bytes, dialect: Dialect) -> None:
        document = read(data, dialect)
        assert document.value is None or not document.problems or document.root is not None

    @given(st.text(st.sampled_from("ab:-?&*!|>'\"%@`{}[],#~=<0123456789.exyn_+ \n\t"), max_size=40))
    def test_of_yaml_characters_becomes_a_problem_and_never_an_exception(self, text: str) -> None:
        for dialect in Dialect:
            for problem in read(text, dialect).problems:
                assert problem.line >= 1
                assert problem.column >= 1


class TestRepeatedKeys:
    def test_are_all_reported(self) -> None:
        document = read("id: a\nid: b\nx:\n  y: 1\n  'y': 2\n  y: 3\nid: c\n")
        told = "error [duplicate_key] the key {!r} stands twice in one mapping (keep one of them; most tools silently"
        assert [str(problem).removesuffix(" take the last)") for problem in document.problems] == [
            f"case.yaml:2:1: {told.format('id')}",
            f"case.yaml:5:3: {told.format('y')}",
            f"case.yaml:6:3: {told.format('y')}",
            f"case.yaml:7:1: {told.format('id')}",
        ]

    def test_are_those_that_are_read_as_one_value(self) -> None:
        assert len(read("yes: 1\non: 2\ntrue: 3\n").problems) == 2
        assert len(read("yes: 1\non: 2\ntrue: 3\n", NEW).problems) == 0

    def test_in_a_value_that_is_used_again_are_reported_once(self) -> None:
        assert len(read("a: &a {x: 1, x: 2}\nb: *a\nc: *a\n").problems) == 1

    def test_are_not_those_that_a_merge_brings(self) -> None:
        document = read("a: &a {x: 1}\nb: {<<: *a, x: 2}\n")
        assert document.problems == ()
        assert document.value["b"] == {"x": 2}


class TestWhatTheAuthorMayWrite:
    @pytest.mark.parametrize("dialect", Dialect)
    def test_is_a_byte_order_mark(self, dialect: Dialect) -> None:
        document = read(b"\xef\xbb\xbfid: one\n", dialect)
        assert document.value == {"id": "one"}
        assert document.place(("id",), key=True) == (1, 1)

    def test_is_any_kind_of_line_end(self) -> None:
        for end in ("\n", "\r\n", "\r"):
            document = read(f"id: one{end}x:{end}  - a{end}  - b: |{end}      two{end}      lines{end}")
            assert document.value == {"id": "one", "x": ["a", {"b": "two\nlines\n"}]}
            assert document.place(("x", 1, "b")) == (4, 8)

    @pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "---\n...\n", "~", "null"])
    def test_is_nothing_at_all(self, text: str) -> None:
        document = read(text)
        assert document.value is None
        assert document.problems == ()

    def test_is_json(self) -> None:
        assert read('{"id": "a", "x": [1, 2.5, true, null, "\\u00e9"]}').value == {
            "id": "a",
            "x": [1, 2.5, True, None, "é"],
        }

    @pytest.mark.parametrize("dialect", Dialect)
    def test_is_a_plain_tag(self, dialect: Dialect) -> None:
        text = (
            "a: !!str 12\nb: !!int '7'\nc: !!float 1\nd: !!seq [x]\ne: !!map {x: y}\nf: !!bool 'true'\ng: !!null ''\n"
        )
        assert read(text, dialect).value == {
            "a": "12", "b": 7, "c": 1.0, "d": ["x"], "e": {"x": "y"}, "f": True, "g": None,
        }  # fmt: skip

    def test_is_a_merge_in_which_the_nearer_wins(self) -> None:
        text = "a: &a {x: 1, y: 1}\nb: &b {x: 2, z: 2}\nc: {<<: [*a, *b], z: 3}\nd:\n  <<: *a\n  <<: *b\n"
        found = read(text).value
        assert found["c"] == yaml.safe_load(text)["c"] == {"x": 1, "y": 1, "z": 3}
        assert set(found["d"]) == {"x", "y", "z"}

    def test_is_no_merge_in_yaml_1_2(self) -> None:
        assert read("a: &a {x: 1}\nb: {<<: *a}\n", NEW).value["b"] == {"<<": {"x": 1}}


class TestThePlaceOf:
    TEXT = """id: one
turns:
  - user: hi
  - user: ho
    expect:
      tags: [a, b,
        c]
base: &b {x: 1}
more:
  <<: *b
"""

    @pytest.mark.parametrize(
        ("pointer", "key", "place"),
        [
            ((), False, (1, 1)),
            (("id",), False, (1, 5)),
            (("id",), True, (1, 1)),
            (("turns",), False, (3, 3)),
            (("turns", 1), False, (4, 5)),
            (("turns", 1, "expect"), True, (5, 5)),
            (("turns", 1, "expect", "tags", 2), False, (7, 9)),
        ],
        ids=str,
    )
    def test_a_part_is_that_of_its_value_or_its_key(
        self, pointer: tuple[str | int, ...], key: bool, place: tuple[int, int]
    ) -> None:
        assert read(self.TEXT).place(pointer, key=key) == place

    def test_a_missing_part_is_that_of_its_parent(self) -> None:
        document = read(self.TEXT)
        assert document.place(("turns", 0, "expect")) == (3, 5)
        assert document.place(("turns", 7, "user")) == (3, 3)
        assert document.place(("nothing", "at", "all")) == (1, 1)

    def test_a_merged_part_is_where_it_was_written(self) -> None:
        assert read(self.TEXT).place(("more", "x")) == (8, 14)
        assert read("a: &a {x: 1}\nb: &b {y: 2}\nc: {<<: [*a, *b]}\n").place(("c", "y")) == (2, 11)

    def test_nothing_is_the_beginning(self) -> None:
        assert read("").place(("a",)) == (1, 1)


class TestPlainText:
    def test_is_what_the_author_wrote_without_quotes(self) -> None:
        document = read("a: 10:30\nb: '10:30'\nc: [1]\nd: |\n  x\n")
        assert document.plain_text(("a",)) == "10:30"
        assert [document.plain_text((key,)) for key in "bcd"] == [None, None, None]
        assert document.plain_text(("nothing",)) is None
        assert document.plain_text(("c", 0)) == "1"


class TestReadsTheSame:
    @pytest.mark.parametrize(
        "text", ["5", "-3", "1.5", "true", "False", "null", "~", "", "word", "1.5e+3", "a b", "x:y"]
    )
    def test_holds_for_what_both_versions_agree_on(self, text: str) -> None:
        assert reads_the_same(text)

    @pytest.mark.parametrize(
        "text",
        ["yes", "No", "on", "OFF", "10:30", "0123", "0o17", "1_000", "2031-05-06", "1e3", "0b11", "1:30:15", "<<"],
    )
    def test_does_not_hold_for_what_surprises(self, text: str) -> None:
        assert not reads_the_same(text)


some_scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False),
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=12),
    st.dates(),
    st.datetimes().map(lambda moment: moment.replace(fold=0)),
    st.sampled_from(["yes", "10:30", "0123", "1_000", "1e3", "~", "null", "on", "=", "<<", "2031-05-06", "0x1F", ".5"]),
)
some_documents = st.recursive(
    some_scalars,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text("abc", min_size=1, max_size=3), inner, max_size=4)
    ),
    max_leaves=12,
)
plain_words = st.from_regex(r"[-+0-9a-zA-Z_.:~=]{1,10}", fullmatch=True).filter(lambda word: word != "=")


class TestYaml11:
    @given(some_documents, st.booleans(), st.booleans())
    def test_is_read_as_the_safe_loader_reads_it(self, value: Any, flow: bool, wide: bool) -> None:
        text = yaml.safe_dump(value, default_flow_style=flow, allow_unicode=wide, sort_keys=False)
        assert repr(read(text).value) == repr(yaml.load(text, yaml.CSafeLoader)) == repr(value)

    @given(plain_words)
    @example("1:30")
    @example("0o17")
    @example("-.inf")
    @example("2031-05-06T07:08:09Z")
    @example("190:20:30.15")
    def test_reads_plain_scalars_as_the_safe_loader_does(self, word: str) -> None:
        try:
            wanted = yaml.load(f"[{word} ]", yaml.CSafeLoader)
        except (yaml.YAMLError, ValueError, OverflowError):
            assert read(f"[{word} ]").problems
        else:
            document = read(f"[{word} ]")
            assert document.problems == ()
            assert repr(document.value) == repr(wanted)

    @given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz"), st.integers(0, 3)), max_size=5))
    def test_merges_as_the_safe_loader_does(self, entries: list[tuple[str, str, int]]) -> None:
        bases = "".join(f"{name}{number}: &{name}{number} {{{key}: {number}}}\n"
                        for number, (name, key, _) in enumerate(entries))  # fmt: skip
        merged = ", ".join(f"*{name}{number}" for number, (name, _, _) in enumerate(entries))
        text = f"{bases}all: {{<<: [{merged}], x: own}}\n"
        assert read(text).value == yaml.load(text, yaml.CSafeLoader)

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("yes", True),
            ("Off", False),
            ("10:30", 630),
            ("0123", 83),
            ("1_000", 1000),
            ("1e3", "1e3"),
            ("1.0e+3", 1000.0),
            ("2031-05-06", datetime.date(2031, 5, 6)),
            ("0o17", "0o17"),
            ("=", "="),
        ],
    )
    def test_has_these_surprises(self, text: str, value: object) -> None:
        found = read(text).value
        assert (found, type(found)) == (value, type(value))


class TestYaml12Core:
    """The examples and the table of yaml.org/spec/1.2.2, section 10.3.2."""

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            *((text, None) for text in ("null", "Null", "NULL", "~", "")),
            *((text, True) for text in ("true", "True", "TRUE")),
            *((text, False) for text in ("false", "False", "FALSE")),
            ("0", 0), ("-19", -19), ("+12", 12), ("0o7", 7), ("0o14", 12), ("0x3A", 58), ("0xfF", 255), ("0123", 123),
            ("0.", 0.0), ("-0.0", -0.0), (".5", 0.5), ("+12e03", 12000.0), ("-2E+05", -200000.0), ("1e3", 1000.0),
            (".inf", math.inf), ("-.Inf", -math.inf), ("+.INF", math.inf),
            *((text, text) for text in (
                "yes", "no", "on", "off", "y", "n", "nUll", "tRUE", "10:30", "1_000", "2031-05-06", "0b11", "=", "<<",
                "0o8", "0xG", "-0o7", "-0x1", ".", "+", "e3", ".e3", "inf", "nan", "1.2.3", "0x", "0o",
            )),
        ],
    )  # fmt: skip
    def test_reads(self, text: str, value: object) -> None:
        found = read(f"x: {text}\n", NEW).value["x"]
        assert (repr(found), type(found)) == (repr(value), type(value))

    @pytest.mark.parametrize("text", [".nan", ".NaN", ".NAN"])
    def test_reads_no_number(self, text: str) -> None:
        assert math.isnan(read(text, NEW).value)

    @given(some_documents.filter(lambda value: "date" not in repr(value) and "inf" not in repr(value)))
    def test_reads_what_json_can_say_as_json_does(self, value: Any) -> None:
        import json

        text = json.dumps(value, ensure_ascii=False)
        assert repr(read(text, NEW).value) == repr(json.loads(text))
