"""What is read of a file: transcripts with their places, or problems with theirs."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recorded_transcripts import answer, model, transcript, usual

from proctor.brainbench.eras import Era
from proctor.errors import Problem, Severity
from proctor.formats.brainbench.dialects import accepts
from proctor.formats.brainbench.reading import Reading, read_transcripts
from proctor.formats.pointers import json_pointer, pointer_in
from proctor.formats.problem_list import MOST_LISTED


def read(text: str | bytes, name: str = "t.json", dialect: Era = Era.SEED) -> Reading:
    return read_transcripts(Path(name), text if isinstance(text, bytes) else text.encode(), dialect)


def written(value: Any) -> str:
    return json.dumps(value, indent=2)


def told(reading: Reading) -> list[tuple[int, int, str, str]]:
    assert reading.transcripts == ()
    return [(problem.line, problem.column, problem.code, problem.pointer) for problem in reading.problems]


def only(reading: Reading) -> Problem:
    (problem,) = reading.problems
    assert problem.severity is Severity.ERROR
    return problem


class TestAFile:
    def test_holds_one_transcript(self) -> None:
        reading = read(f"\n\n {written(usual())}\n")
        (found,) = reading.transcripts
        assert (found.data, found.line, found.pointer) == (usual(), 3, "")
        assert reading.problems == ()

    def test_holds_an_array_of_them(self) -> None:
        reading = read(f"[\n{json.dumps(usual())},\n\n {written(transcript())}]")
        assert [(found.data, found.line, found.pointer) for found in reading.transcripts] == [
            (usual(), 2, "/0"),
            (transcript(), 4, "/1"),
        ]

    @pytest.mark.parametrize("name", ["t.jsonl", "t.json"])
    def test_holds_one_a_line(self, name: str) -> None:
        lines = f"\n{json.dumps(usual())}\r\n \n{json.dumps(transcript())}"
        assert [(found.data, found.line, found.pointer) for found in read(lines, name).transcripts] == [
            (usual(), 2, ""),
            (transcript(), 4, ""),
        ]

    def test_may_begin_with_a_byte_order_mark(self) -> None:
        data = b"\xef\xbb\xbf" + json.dumps(usual()).encode()
        assert [len(read(data, name).transcripts) for name in ("t.json", "t.jsonl")] == [1, 1]

    def test_may_hold_half_a_surrogate_pair(self) -> None:
        (found,) = read(json.dumps(usual("\ud83d 😀"))).transcripts
        assert found.data["turns"][2]["tool_result"]["content"] == "\ufffd 😀"

    def test_may_hold_structured_output_of_any_shape(self) -> None:
        (found,) = read(json.dumps(usual({"": [None, 1e300, {"~/": 10**30}]}))).transcripts
        assert found.data == usual({"": [None, 1e300, {"~/": 10**30}]})

    def test_gives_the_good_transcripts_beside_the_problems_of_others(self) -> None:
        reading = read(json.dumps([usual(), {}, usual()]))
        assert [found.pointer for found in reading.transcripts] == ["/0", "/2"]
        assert {problem.pointer.split("/")[1] for problem in reading.problems} == {"1"}
        lines = read("\n".join([json.dumps(usual()), "{", json.dumps(usual())]), "t.jsonl")
        assert [found.line for found in lines.transcripts] == [1, 3]
        assert (only(lines).line, only(lines).code) == (2, "invalid_json")


class TestAFileThatIsNoJson:
    @pytest.mark.parametrize(
        ("text", "line", "column", "code"),
        [
            ('{"schema_version": 1,\n "probe_id": ', 2, 14, "invalid_json"),
            ('{"schema_version": 1,\n "cost": NaN}', 2, 10, "invalid_json"),
            ('[{"schema_version": 1},\n {"cost": -Infinity}]', 2, 11, "invalid_json"),
            ('{"schema_version": 1,\n "elapsed_ms": 1e999}', 2, 16, "out_of_range"),
            ('{"turns": [\n {"kind": 1, "kind": 2}]}', 2, 14, "duplicate_key"),
            ('{"a": "x",\n "\\u0061": "x"}', 2, 2, "duplicate_key"),
            ("{'schema_version': 1}", 1, 2, "invalid_json"),
            ("\n" + "[" * 201 + "]" * 201, 2, 201, "too_deep"),
        ],
    )
    def test_is_told_with_line_and_column(self, text: str, line: int, column: int, code: str) -> None:
        assert told(read(text)) == [(line, column, code, "")]

    def test_is_told_of_the_byte_that_is_no_utf8(self) -> None:
        problem = only(read(b'{"schema_version": 1,\n "\xc3\xa9": "\xff"}'))
        assert (problem.line, problem.column, problem.code) == (2, 8, "invalid_utf8")
        assert problem.message == "byte 0xFF is not UTF-8 text"

    def test_is_asked_whether_it_is_cut_off(self) -> None:
        assert only(read(written(usual())[:-1])).hint == "is the file cut off?"

    def test_is_told_in_one_problem_where_one_transcript_is_spread_over_lines(self) -> None:
        problem = only(read(written(usual()), "t.jsonl"))
        assert (problem.line, problem.column, problem.code) == (1, 1, "invalid_json")
        assert problem.message == "the file is one JSON text over several lines, not one a line"
        assert problem.hint == "give it the ending .json"

    @pytest.mark.parametrize("name", ["t.json", "t.jsonl"])
    def test_is_told_to_be_empty(self, name: str) -> None:
        assert [only(read(text, name)).message for text in ("", " \n\n")] == ["the file is empty"] * 2

    def test_is_told_to_hold_no_transcripts(self) -> None:
        problem = only(read("\n[]"))
        assert (problem.line, problem.column, problem.code) == (2, 1, "no_transcripts")
        assert problem.message == "the array is empty: there is no transcript in it"


class TestAValueThatIsNoTranscript:
    def broken(self, place: str, change: Any) -> Problem:
        """The problem of a usual transcript in which the value at a place is another one."""
        value = usual()
        *parents, name = pointer_in(value, place)
        inner: Any = value
        for step in parents:
            inner = inner[step]
        inner[name] = change
        text = written([transcript(), value])
        reading = read(text)
        problem = only(reading)
        assert len(reading.transcripts) == 1
        assert problem.pointer == f"/1{place}"
        at = text.splitlines()[problem.line - 1][problem.column - 1 :]
        assert at.startswith(json.dumps(change, indent=2).splitlines()[0])
        return problem

    @pytest.mark.parametrize(
        ("place", "change", "code", "message"),
        [
            ("/schema_version", 2, "bad_choice", "must be 1, got 2"),
            ("/schema_version", "1", "wrong_type", 'must be an integer, got "1"'),
            ("/adapter", "ferry", "wrong_type", 'must be an object, got "ferry"'),
            ("/adapter/name", None, "wrong_type", "must be a string, got null"),
            ("/turns", {"0": {}}, "wrong_type", "must be an array, got an object"),
            ("/turns/2", [], "wrong_type", "must be an object, got an array"),
            ("/turns/1/turn_index", -1, "out_of_range", "must be 0 or more, got -1"),
            ("/turns/1/turn_index", True, "wrong_type", "must be an integer, got true"),
            (
                "/turns/3/kind",
                "end",
                "bad_choice",
                'must be "model_call", "tool_call", "tool_result" or "final_answer", got "end"',
            ),
            ("/turns/1/tool_call/tool_input", "x", "wrong_type", 'must be an object, got "x"'),
            ("/turns/4/final_answer/evidence_refs", "a/b", "wrong_type", 'must be an array, got "a/b"'),
            ("/elapsed_ms", 1.5, "wrong_type", "must be an integer, got 1.5"),
        ],
    )
    def test_is_told_at_its_place(self, place: str, change: Any, code: str, message: str) -> None:
        problem = self.broken(place, change)
        assert (problem.code, problem.message) == (code, message)

    def test_is_told_how_a_time_is_written(self) -> None:
        problem = self.broken("/started_at", "yesterday")
        assert (problem.code, problem.hint) == ("bad_value", "write it like 2026-02-11T09:00:00.250Z")

    def test_is_told_of_the_setting_that_takes_its_id(self) -> None:
        problem = self.broken("/probe_id", "sig-0001")
        assert problem.code == "bad_value"
        assert problem.message == 'must match ^q-[0-9]{4}$, got "sig-0001"'
        assert problem.hint == 'write "dialect: post-audit" in the brainbench block of a suite'

    def test_is_told_what_ids_are_where_no_dialect_takes_it(self) -> None:
        assert self.broken("/probe_id", "q-0001\n").hint == "ids are q- and four digits, like q-0001"
        other = only(read(json.dumps(usual() | {"probe_id": "a/b"}), dialect=Era.POST_AUDIT))
        assert other.hint == "an id is a letter or digit, then letters, digits, dots, underscores and hyphens"

    def test_is_told_what_is_missing_at_the_nearest_parent(self) -> None:
        value = usual()
        del value["turns"][1]["kind"], value["adapter"]["name"], value["probe_id"]
        reading = read(written(value))
        assert [(code, pointer) for _, _, code, pointer in told(reading)] == [
            ("missing_field", "/probe_id"),
            ("missing_field", "/adapter/name"),
            ("missing_field", "/turns/1/kind"),
        ]
        assert reading.problems[0].message == 'the member "probe_id" is missing'
        assert (reading.problems[0].line, reading.problems[0].column) == (1, 1)
        assert written(value).splitlines()[reading.problems[1].line - 1].strip() == '"adapter": {'

    def test_is_told_which_dialect_does_without_a_total(self) -> None:
        value = usual()
        del value["elapsed_ms"], value["turns"]
        problems = read(json.dumps(value), dialect=Era.POST_AUDIT).problems
        assert {problem.pointer: problem.hint for problem in problems} == {
            "/elapsed_ms": 'the dialect "seed" does without it',
            "/turns": None,
        }

    def test_is_told_of_each_unknown_member(self) -> None:
        value = usual() | {"turn": 1, "~/\u202e": 2}
        reading = read(written(value))
        assert [(code, pointer) for _, _, code, pointer in told(reading)] == [
            ("unknown_field", "/turn"),
            ("unknown_field", "/~0~1<202E>"),
        ]
        assert [(problem.message, problem.hint) for problem in reading.problems] == [
            ('unknown member "turn"', "did you mean 'turns'?"),
            ('unknown member "~/<202E>"', "members of your own belong into the adapter or into a turn"),
        ]
        assert [written(value).splitlines()[problem.line - 1][-2:] for problem in reading.problems] == ["1,", " 2"]

    @pytest.mark.parametrize("text", ["7", "null", '"turns"', "[7]", "[[]]", "\t\n 7"])
    def test_has_to_be_an_object(self, text: str) -> None:
        problem = only(read(text))
        assert (problem.code, problem.message[:21]) == ("wrong_type", "must be an object, go")
        assert text.splitlines()[problem.line - 1][problem.column - 1 :].startswith(text.strip("[]\t\n ") or "[")

    def test_is_told_with_its_first_problems_and_the_number_of_the_others(self) -> None:
        reading = read("\n".join(["{"] * 1500), "t.jsonl")
        assert len(reading.problems) == MOST_LISTED + 1
        assert reading.problems[-1].message == "500 more errors of this file are not listed"
        value = transcript() | {"turns": [{"turn_index": -1, "kind": "model_call"}] * 700}
        many = read(json.dumps([value, value])).problems
        assert len(many) == MOST_LISTED + 1
        assert many[-1].message == "400 more errors of this file are not listed"
        assert (many[699].pointer[:8], many[700].pointer[:8]) == ("/0/turns", "/1/turns")


class TestAProblemInATranscript:
    def test_has_the_place_that_a_pointer_names(self) -> None:
        text = written([transcript(), usual("[]", "`a/b`", "a/b", "c/d")])
        reading = read(text)
        pointer = "/turns/4/final_answer/evidence_refs/1"
        problem = reading.problem(reading.transcripts[1], "some_code", pointer, "Said.", "Hint.", Severity.WARNING)
        assert (problem.code, problem.message, problem.hint) == ("some_code", "Said.", "Hint.")
        assert (problem.pointer, problem.severity, problem.path) == (f"/1{pointer}", Severity.WARNING, Path("t.json"))
        assert text.splitlines()[problem.line - 1][problem.column - 1 :] == '"c/d"'

    def test_has_the_line_of_its_transcript_in_a_file_of_lines(self) -> None:
        reading = read(f"{json.dumps(usual())}\n{json.dumps(usual())}\n", "t.jsonl")
        problem = reading.problem(reading.transcripts[1], "c", "/turns/1/kind", "m")
        assert (problem.line, problem.pointer) == (2, "/turns/1/kind")
        assert json.dumps(usual())[problem.column - 1 :].startswith('"tool_call"')

    def test_has_the_place_of_the_nearest_parent_for_what_is_not_there(self) -> None:
        value = usual()
        del value["elapsed_ms"]
        reading = read(f"\n{written(value)}")
        problem = reading.problem(reading.transcripts[0], "c", "/elapsed_ms", "m", "")
        assert (problem.line, problem.column, problem.pointer, problem.hint) == (2, 1, "/elapsed_ms", None)

    @given(st.lists(st.text(max_size=3) | st.integers(0, 3), max_size=4))
    def test_has_a_pointer_that_can_be_read_again(self, path: list[str | int]) -> None:
        value: Any = None
        for step in reversed(path):
            value = [value] * (step + 1) if isinstance(step, int) else {step: value}
        assert pointer_in(value, json_pointer(tuple(path))) == tuple(path)
        assert pointer_in(value, json_pointer(tuple(path)) + "/x/y") == (*path, "x")


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*usual()]) | st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=8,
)


class TestAnyFile:
    @given(anything, st.sampled_from(Era), st.sampled_from(["t.json", "t.jsonl"]), st.sampled_from([None, 1]))
    def test_of_json_has_transcripts_or_problems(self, value: Any, dialect: Era, name: str, indent: Any) -> None:
        text = json.dumps(value, indent=indent)
        reading = read(text, name, dialect)
        assert reading.problems
        assert all(problem.line > 0 and problem.column > 0 and problem.message for problem in reading.problems)
        assert all(accepts(found.data, dialect) for found in reading.transcripts)

    @given(
        st.binary() | st.text(st.sampled_from('{}[]":,\\ \n10e-.NaN')).map(str.encode),
        st.sampled_from(["t.json", "t.jsonl"]),
    )
    def test_of_bytes_has_problems(self, data: bytes, name: str) -> None:
        reading = read(data, name)
        assert reading.problems
        assert reading.transcripts == ()

    @given(st.integers(0, 400), st.sampled_from(["t.json", "t.jsonl"]))
    def test_that_is_cut_off_has_problems(self, left: int, name: str) -> None:
        text = json.dumps(usual())
        assert read(text[: -left or None], name).problems or left == 0

    def test_with_many_problems_is_read_once(self) -> None:
        value = transcript(*[model() for _ in range(3_000)], answer())
        for turn in value["turns"][:1_000]:
            turn["model_call"]["model_id"] = 7
        start = time.process_time()
        problems = read(written(value)).problems
        assert len(problems) == 1_000
        assert len({problem.line for problem in problems}) == 1_000
        assert time.process_time() - start < 10
