"""From files to JSON values: lines, whole documents, places of problems, and which kind a file is."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from trace_files import problems, read, write

from proctor.errors import SpecError, UsageError
from proctor.traces.base import MAX_PROBLEMS, Notes
from proctor.traces.documents import read_records
from proctor.traces.field_names import FieldNames


def values(path: Path) -> list[Any]:
    notes = Notes(path)
    found = [record.value for record in read_records(path, notes)]
    assert notes.told() == ()
    return found


class TestReading:
    def test_lines_blank_ones_and_a_byte_order_mark(self, tmp_path: Path) -> None:
        path = write(tmp_path, b'\xef\xbb\xbf{"a": 1}\r\n\r\n  \n [2] \n"x"', "log.txt")
        records = list(read_records(path, Notes(path)))
        assert [(record.value, record.line, record.column) for record in records] == [
            ({"a": 1}, 1, 1),
            ([2], 4, 2),
            ("x", 5, 1),
        ]

    def test_one_document_over_many_lines(self, tmp_path: Path) -> None:
        assert values(write(tmp_path, '{\n "a":\n 1}\n', "log.json")) == [{"a": 1}]

    def test_several_documents_one_after_another(self, tmp_path: Path) -> None:
        path = write(tmp_path, '{\n "a": 1\n}\n{\n "a": 2\n}  {"a": 3}', "log.json")
        records = list(read_records(path, Notes(path)))
        assert [(record.value["a"], record.line, record.column) for record in records] == [
            (1, 1, 1),
            (2, 4, 1),
            (3, 6, 4),
        ]

    def test_numbers_that_json_does_not_have_are_texts(self, tmp_path: Path) -> None:
        assert values(write(tmp_path, '{"a": [NaN, Infinity, -Infinity]}')) == [{"a": ["NaN", "Infinity", "-Infinity"]}]

    def test_every_bad_line_is_a_problem_with_its_place(self, tmp_path: Path) -> None:
        lines = b'{"output": "a"}\n{"output": b}\n\xff\n {"output": "c"\n' + b"[" * 100_000 + b"\n" + b"1" * 5_000
        found = problems(write(tmp_path, lines))
        assert found[:3] == [
            "traces.jsonl:2:12: error [invalid_json] is no JSON: Expecting value",
            "traces.jsonl:3:1: error [invalid_utf8] is no UTF-8 text (save the file as UTF-8)",
            (
                "traces.jsonl:4:16: error [invalid_json] is no JSON: Expecting ',' delimiter "
                "(the line ends too early: was the file cut off?)"
            ),
        ]
        assert found[3] == "traces.jsonl:5:1: error [too_deep] is nested too deeply to be read"
        assert found[4].startswith(
            "traces.jsonl:6:1: error [invalid_json] is no JSON that can be read: Exceeds the limit"
        )
        assert len(found) == 5

    def test_a_document_that_is_cut_off_says_so(self, tmp_path: Path) -> None:
        assert problems(write(tmp_path, '{\n "output": "a",\n', "log.json")) == [
            (
                "log.json:3:1: error [invalid_json] is no JSON: Expecting property name enclosed in double quotes "
                "(the text ends too early: was the file cut off?)"
            )
        ]

    def test_of_very_many_problems_most_are_counted(self, tmp_path: Path) -> None:
        found = problems(write(tmp_path, '{"output": "a"}\n' + "x\n" * (MAX_PROBLEMS + 500)))
        assert len(found) == MAX_PROBLEMS + 1
        assert found[-1] == "traces.jsonl: error [more_problems] 500 more problems are not told one by one"

    def test_lines_are_read_one_by_one(self, tmp_path: Path) -> None:
        path = write(tmp_path, f'{{"output": "{"a" * 1_000}"}}\n' * 5_000)
        tracemalloc.start()
        assert sum(1 for _ in read_records(path, Notes(path))) == 5_000
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 1_000_000 < path.stat().st_size


class TestDetection:
    @pytest.mark.parametrize(
        ("value", "kind"),
        [
            ({"resourceSpans": []}, "otel"),
            ({"spans": [{"traceId": "1", "spanId": "2"}]}, "otel"),
            ({"data": {"resourceSpans": []}}, "otel"),
            ({"trace_id": "1", "span_id": "2", "input": "x", "output": "y"}, "otel"),
            ({"trace_id": "1", "input": "x", "output": "y"}, "generic"),
            ({"choices": [{"message": {"content": "x"}}]}, "openai"),
            ({"object": "response", "output": []}, "openai"),
            ({"type": "message", "content": [], "stop_reason": "end_turn"}, "anthropic"),
            ({"messages": [{"role": "user", "content": [{"type": "tool_result", "content": "x"}]}]}, "anthropic"),
            ({"messages": [{"role": "user", "content": "x"}]}, "openai"),
            ({"latency_ms": 3}, "generic"),
        ],
    )
    def test_by_content(self, tmp_path: Path, value: Any, kind: str) -> None:
        assert read(write(tmp_path, [value]))[2] == kind

    def test_the_first_record_of_a_known_kind_decides(self, tmp_path: Path) -> None:
        assert read(write(tmp_path, [{"log": "started"}, {"resourceSpans": []}]))[2] == "otel"

    def test_nothing_that_fits_says_what_was_looked_for(self, tmp_path: Path) -> None:
        (problem,) = problems(write(tmp_path, [{"level": "info"}]))
        assert problem.startswith(
            "traces.jsonl:1:1: error [unknown_format] no known kind of trace; looked for otel: resourceSpans, or spans "
            "with a traceId and a spanId; anthropic: "
        )
        assert problem.endswith(
            "(say what it is with --format, or name its fields with --output-field and --input-field)"
        )

    @pytest.mark.parametrize("text", ["", " \n\n"])
    def test_nothing_at_all_says_so(self, tmp_path: Path, text: str) -> None:
        assert problems(write(tmp_path, text)) == ["traces.jsonl: error [no_traces] holds nothing"]

    def test_a_file_that_cannot_be_read_has_no_other_problem(self, tmp_path: Path) -> None:
        assert [line.split("[")[1].split("]")[0] for line in problems(write(tmp_path, "hello"))] == ["invalid_json"]

    def test_fields_can_be_named_where_no_kind_says_which(self, tmp_path: Path) -> None:
        path = write(tmp_path, [{"messages": [{"role": "user", "content": "x"}], "said": "y"}])
        assert read(path, own=FieldNames(output="said"))[2] == "generic"
        with pytest.raises(UsageError, match="fields can be named for csv and generic only, not for openai"):
            read(path, "openai", FieldNames(output="said"))

    def test_an_unknown_name_says_which_there_are(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError) as raised:
            read(write(tmp_path, [{}]), "jaeger")
        assert str(raised.value) == (
            "there is no trace format 'jaeger'\n"
            "  hint: known: otel, openai, anthropic, csv, generic; and pi, for fixtures"
        )

    def test_problems_are_all_told_before_the_kind_is_doubted(self, tmp_path: Path) -> None:
        path = write(tmp_path, json.dumps({"level": "info"}) + "\nx\n")
        _, notes, _ = read(path)
        assert notes.has_errors
        with pytest.raises(SpecError):
            read(write(tmp_path, [{"level": "info"}]))
