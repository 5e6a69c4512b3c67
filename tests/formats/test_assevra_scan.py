"""One pass over a data set: counts, spans, problems with their places, and ids over several files."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.dataset import RowSettings, Span
from proctor.errors import Problem, Severity
from proctor.formats.assevra.scan import Scan, Tally, read_rows, scan
from proctor.formats.assevra.seen_ids import SeenIds
from proctor.formats.problem_list import MOST_LISTED

SHOWN = Path("data/rows.jsonl")


def row(row_id: str, **fields: Any) -> dict[str, Any]:
    return {"id": row_id, "dimension": "pii", "agent_output": "fine", **fields}


class Folder:
    """Writes data sets and scans them."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, *rows: Any) -> Path:
        lines = (line if isinstance(line, str) else json.dumps(line) for line in rows)
        self.path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        return self.path

    def scan(self, *rows: Any, **options: Any) -> Scan:
        options = {"strict": False, "ids": SeenIds(), **options}
        return scan(self.write(*rows), SHOWN, RowSettings(), **options)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path / "rows.jsonl")


def told(found: Scan) -> list[str]:
    return [str(problem) for problem in found.problems]


class TestAGoodDataSet:
    def test_is_counted_and_has_spans(self, folder: Folder) -> None:
        rows = [row("a"), "", row("b", dimension="task_completion", must_include=["fine"]), row("c")]
        found = folder.scan(*rows)
        data = folder.path.read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        assert found.spans == (Span(0, len(data), 1, 3, digest),)
        assert found.digest == digest
        assert found.tallies == {"pii": Tally(2), "task_completion": Tally(1)}
        assert found.scored == {"pii": 2, "task_completion": 1}
        assert found.total == Tally(3)
        assert found.problems == ()
        assert list(read_rows(folder.path, found.spans[0])) == [(1, rows[0]), (3, rows[2]), (4, rows[3])]

    def test_may_be_empty(self, folder: Folder) -> None:
        found = folder.scan("", "  ")
        assert (found.spans, found.tallies, found.total, found.problems) == ((), {}, Tally(), ())

    def test_tells_whether_a_judge_may_be_asked(self, folder: Folder) -> None:
        assert folder.scan(row("a")).asking == 0
        assert folder.scan(row("a", dimension="grounding", context="x")).asking == 1

    def test_has_the_rows_that_are_wanted(self, folder: Folder) -> None:
        rows = [row(f"r{number}") for number in range(20_000)]
        found = folder.scan(*rows, wanted=lambda value: value["id"] in ("r3", "r19999"))
        assert [span.rows for span in found.spans] == [1, 1]
        assert found.scored == {"pii": 2}
        assert found.total == Tally(20_000)

    def test_begins_with_a_byte_order_mark(self, folder: Folder) -> None:
        folder.path.write_bytes(b"\xef\xbb\xbf" + json.dumps(row("a")).encode() + b"\r\n")
        found = scan(folder.path, SHOWN, RowSettings(), strict=True, ids=SeenIds())
        assert found.total == Tally(1)
        assert list(read_rows(folder.path, found.spans[0])) == [(1, row("a"))]


class TestProblems:
    def test_say_where_and_what(self, folder: Folder) -> None:
        found = folder.scan(
            row("a"),
            "{bad",
            "",
            '{"id": "b", "dimension": "pii", "agent_output": "x", "tags": ["ok", 7]}',
            "[1]",
            row("c", agent_output=None),
            row("a"),
        )
        assert told(found) == [
            "data/rows.jsonl:2:2: error [invalid_json] no JSON: expecting property name enclosed in double quotes",
            "data/rows.jsonl:4:69: error [bad_type] tags[1]: must be a text, not a number (put the name in quotes)",
            (
                "data/rows.jsonl:5:1: error [not_an_object] a row is an object, not a list "
                "(write one object a line, without a list around them)"
            ),
            (
                "data/rows.jsonl:6:49: error [missing_field] agent_output: the field 'agent_output' is required for a "
                "row of the dimension pii"
            ),
            (
                'data/rows.jsonl:7:8: error [duplicate_id] id: the id "a" is used already in data/rows.jsonl:1 '
                "(give each row its own id; trials of a case share a case_id)"
            ),
        ]
        assert found.tallies == {"pii": Tally(1, 0, 3), "(none)": Tally(0, 0, 2)}
        assert [span.rows for span in found.spans] == [1]

    def test_of_unlabelled_rows_are_errors_in_a_release_alone(self, folder: Folder) -> None:
        rows = [row("a", dimension="task_completion"), row("b", _suggested=["x"])]
        loose, strict = folder.scan(*rows), folder.scan(*rows, strict=True)
        assert [problem.severity for problem in loose.problems] == [Severity.WARNING] * 2
        assert [problem.severity for problem in strict.problems] == [Severity.ERROR] * 2
        assert [problem.code for problem in strict.problems] == ["missing_answer_key", "unconfirmed_labels"]
        assert loose.total == Tally(0, 2)
        assert loose.scored == {"task_completion": 1, "pii": 1}

    def test_of_other_warnings_stay_warnings(self, folder: Folder) -> None:
        found = folder.scan(row("a", dimension="injection", canary="CANARY-1-LONG"), strict=True)
        assert [(problem.code, problem.severity) for problem in found.problems] == [
            ("no_injection_recorded", Severity.WARNING)
        ]

    def test_of_rows_that_could_not_be_recorded(self, folder: Folder) -> None:
        found = folder.scan(row("a", _capture_error="timed out\x1b[2J"), row("b", _capture_error=""), strict=True)
        assert told(found) == [
            (
                "data/rows.jsonl:1:75: error [capture_error] _capture_error: the agent could not be run for this row: "
                '"timed out<1B>[2J" (record the row again, or leave it out)'
            )
        ]
        assert found.capture_errors == 1
        assert folder.scan(row("a", _capture_error="x")).problems[0].severity is Severity.WARNING

    def test_of_ids_look_at_all_files_and_at_bad_rows(self, folder: Folder, tmp_path: Path) -> None:
        ids = SeenIds()
        folder.scan(row("a"), row("b", dimension="nope"), ids=ids)
        other = Folder(tmp_path / "more.jsonl").write(row("c"), row("b"), row(" b"), row("a"))
        found = scan(other, Path("more.jsonl"), RowSettings(), strict=False, ids=ids)
        assert [(problem.line, problem.message) for problem in found.problems] == [
            (2, 'the id "b" is used already in data/rows.jsonl:2'),
            (4, 'the id "a" is used already in data/rows.jsonl:1'),
        ]
        assert len(ids) == 4

    def test_show_no_controls_of_hostile_rows(self, folder: Folder) -> None:
        contract = {"\x1b[31mtool\n": {"required": "x"}}
        calls = row("a", dimension="tool_call", tool_calls=[{"name": "a"}], tool_schemas=contract)
        assert all("\x1b" not in text for text in told(folder.scan(calls, {**row("b"), "dimension": "\x1b"})))

    def test_beyond_a_thousand_are_counted(self, folder: Folder) -> None:
        many = MOST_LISTED + 200
        warnings = [row(f"w{number}", dimension="task_completion") for number in range(many)]
        found = folder.scan(*warnings, *["{"] * (MOST_LISTED + 1), row("last", case_id=3))
        listed = [problem.code for problem in found.problems]
        assert (listed.count("missing_answer_key"), listed.count("invalid_json")) == (MOST_LISTED, MOST_LISTED)
        assert listed[-2:] == ["more_problems", "more_problems"]
        assert [problem.message for problem in found.problems[-2:]] == [
            "2 more errors of this file are not listed",
            "200 more warnings of this file are not listed",
        ]
        assert found.total == Tally(0, many, MOST_LISTED + 2)

    def test_of_odd_dimensions_do_not_fill_the_memory(self, folder: Folder) -> None:
        found = folder.scan(*(row(f"r{number}", dimension=f"d{number}") for number in range(300)), row("x"))
        assert found.tallies["(other)"] == Tally(0, 0, 200)
        assert found.tallies["pii"] == Tally(1)

    def test_in_a_very_long_line_have_no_column(self, folder: Folder) -> None:
        (problem,) = folder.scan(row("a", input="x" * 2**20, case_id=5)).problems
        assert (problem.line, problem.column, problem.pointer) == (1, 1, "case_id")

    def test_of_a_line_that_is_no_utf_8(self, folder: Folder) -> None:
        folder.path.write_bytes(json.dumps(row("a")).encode() + b'\n{"id": "\xe9"}\n')
        found = scan(folder.path, SHOWN, RowSettings(), strict=True, ids=SeenIds())
        assert told(found) == [
            "data/rows.jsonl:2:9: error [invalid_utf8] byte 0xE9 is not UTF-8 text (save the file as UTF-8)"
        ]

    def test_of_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(FileNotFoundError):
            scan(tmp_path / "none.jsonl", SHOWN, RowSettings(), strict=True, ids=SeenIds())


@given(
    st.lists(
        st.binary(max_size=30)
        | st.fixed_dictionaries(
            {"id": st.text(max_size=2), "dimension": st.sampled_from(["pii", "cost", "x", ""])},
            optional={"agent_output": st.text(max_size=3), "tags": st.lists(st.text(max_size=2))},
        ).map(lambda value: json.dumps(value).encode()),
        max_size=12,
    )
)
def test_every_problem_has_a_place_and_every_row_a_state(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]
) -> None:
    path = tmp_path_factory.mktemp("scan") / "rows.jsonl"
    data = b"\n".join(lines)
    path.write_bytes(data)
    found = scan(path, SHOWN, RowSettings(), strict=False, ids=SeenIds())
    rows = data.split(b"\n")
    for problem in found.problems:
        assert 1 <= problem.line <= len(rows)
        assert 1 <= problem.column <= len(rows[problem.line - 1]) + 1
    total = found.total
    assert total.labeled + total.unlabeled == sum(found.scored.values()) == sum(span.rows for span in found.spans)
    wrong = {problem.line for problem in found.problems if problem.severity is Severity.ERROR}
    assert total.invalid == len(wrong)


class TestSeenIds:
    @given(st.lists(st.lists(st.integers(0, 30), max_size=20), max_size=6))
    def test_gives_the_first_place(self, files: list[list[int]]) -> None:
        ids, first = SeenIds(), dict[int, str]()
        for number, values in enumerate(files):
            ids.open(f"f{number}")
            for line, value in enumerate(values, 1):
                assert ids.add(str(value), 2 * line) == first.get(value)
                first.setdefault(value, f"f{number}:{2 * line}")
        assert len(ids) == len(first)


def test_problems_are_hashable(folder: Folder) -> None:
    assert isinstance(hash(folder.scan("{").problems[0]), int)
    assert isinstance(folder.scan("{").problems[0], Problem)
