"""A data set as questions for an agent: each row is a case of one turn, its ``input``, played as often as is asked.

One row is one case, whatever its ``case_id``: rows that ask the same are asked apart, so that no answer stands for two
questions which differ in a field that nobody compared.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from proctor.checks.dimensions.base import Row, RowIssue
from proctor.checks.dimensions.row_fields import is_filled
from proctor.dataset import RowSettings
from proctor.errors import Problem, Severity
from proctor.formats.assevra.lines import Digest, file_digest, scan_lines
from proctor.formats.assevra.observed import OBSERVED
from proctor.formats.assevra.row_text import read_line
from proctor.formats.assevra.scan import row_problem
from proctor.formats.assevra.states import Checked, check_row, id_of
from proctor.formats.problem_list import ProblemList
from proctor.formats.strict_json.text import JsonFault
from proctor.plan import Case, Outline, Source, Turn
from proctor.stages.selection import RowFilter
from proctor.stages.target import shown

_TO_COME: Final[Row] = {"agent_output": "-", "tool_calls": [{"name": "-"}], "cost_usd": 0, "latency_ms": 0}
"""Stands for what will be observed."""

_NO_INPUT: Final = RowIssue(
    "missing_input",
    ("input",),
    "the row has no input, so there is nothing to ask the agent",
    "add what a user says, or leave the row out with --select or --tag",
)
_NO_STATE: Final = RowIssue(
    "no_observed_state",
    ("expected_state",),
    "expected_state cannot be verified in what is captured: an agent does not report observed_state",
    "add observed_state to the captured row",
    is_error=False,
)


def check_question(row: Any, settings: RowSettings, first_use: str | None = None) -> Checked:
    """What a row is, once an answer is recorded for it: `check_row` for rows that are still to be asked."""
    if type(row) is dict:
        row = {**definition_fields(row), **_TO_COME}
    return check_row(row, settings, first_use)


def definition_fields(row: Row) -> dict[str, Any]:
    """The row without what was observed: what is asked, and how the answer is scored."""
    return {name: value for name, value in row.items() if name not in OBSERVED}


def file_rows(path: Path, whole: Digest) -> Iterator[tuple[int, bytes, Row]]:
    """Every row of a file with the number and the bytes of its line. Lines that hold no row are passed over.

    ``whole`` takes the bytes of the file on the way.

    Raises:
        OSError: the file cannot be read.
    """
    for stretch in scan_lines(path, whole):
        for number, data in enumerate(stretch.lines, stretch.line):
            try:
                row = read_line(data)
            except JsonFault:
                continue
            if id_of(row) is not None:
                yield number, data or b"", row


def row_cases(source: Source, runs: int = 1) -> Iterator[Case]:
    """Every row of a file as a case, by its position.

    Raises:
        OSError: the file cannot be read.
    """
    for index, (number, _, row) in enumerate(file_rows(source.path, hashlib.sha256())):
        said = row.get("input")
        outline = Outline(
            key=row["id"],
            id=row["id"],
            runs=runs,
            threshold=1.0,
            index=index,
            line=number,
            tags=_tags(row),
        )
        yield Case(outline, (Turn(said if isinstance(said, str) else ""),))


def read_row_cases(source: Source) -> tuple[str, list[Case]]:
    """Read a source again, as `proctor.stages.cases.Reader` has it.

    Raises:
        SourceChanged: the file can no longer be read.
    """
    digest = file_digest(source.path)
    return digest, list(row_cases(source)) if digest == source.digest else []


def input_problems(source: Source, wanted: RowFilter | None) -> tuple[Problem, ...]:
    """The wanted rows without an input, and those whose answer key needs what an agent does not report.

    Raises:
        OSError: the file cannot be read.
    """
    problems = ProblemList(shown(source.path))
    for number, data, row in file_rows(source.path, hashlib.sha256()):
        if wanted is not None and not wanted(source.name, {**row, "tags": _tags(row)}):
            continue
        for issue in _input_issues(row):
            severity = Severity.ERROR if issue.is_error else Severity.WARNING
            if problems.has_room(severity):
                problems.add(row_problem(shown(source.path), number, data, issue, severity))
    return problems.all()


def _input_issues(row: Row) -> Iterator[RowIssue]:
    said = row.get("input")
    if said is None or (isinstance(said, str) and not said.strip()):
        yield _NO_INPUT
    if is_filled(row.get("expected_state")):
        yield _NO_STATE


def _tags(row: Row) -> tuple[str, ...]:
    """The tags of a row; none if they are not a list of texts, which is told elsewhere."""
    tags = row.get("tags")
    return tuple(tags) if isinstance(tags, list) and all(isinstance(tag, str) for tag in tags) else ()
