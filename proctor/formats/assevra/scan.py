"""One pass over a data set: every row is checked and nothing is kept but counts, spans, ids and problems."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from proctor.checks.dimensions import DIMENSIONS
from proctor.checks.dimensions.base import Row, RowIssue
from proctor.dataset import RowSettings, RowState, Span
from proctor.errors import Problem, Severity
from proctor.excerpt import mark_controls, quote, shorten
from proctor.formats.assevra.lines import Stretch, read_span, scan_lines, span_lines
from proctor.formats.assevra.places import offset_of
from proctor.formats.assevra.row_text import BLANK, line_text, read_line
from proctor.formats.assevra.seen_ids import SeenIds
from proctor.formats.assevra.states import RowCheck, check_row, id_of
from proctor.formats.pointers import pointer_text
from proctor.formats.problem_list import ProblemList
from proctor.formats.strict_json.text import JsonFault

CAPTURE_ERROR: Final = "_capture_error"
"""The field in which a recorder says that the agent could not be run; empty where all went well."""
NO_DIMENSION: Final = "(none)"
OTHER_DIMENSIONS: Final = "(other)"

_BLOCKS_RELEASE: Final = frozenset({"missing_answer_key", "unconfirmed_labels", "capture_error"})
_MOST_NAMES: Final = 100
_MOST_LOCATED: Final = 2**20  # bytes of a line in which columns are looked for: each problem reads it again


@dataclass(slots=True)
class Tally:
    """How many rows are in each state."""

    labeled: int = 0
    unlabeled: int = 0
    invalid: int = 0

    def add(self, state: RowState) -> None:
        """Count a row."""
        setattr(self, state.value, getattr(self, state.value) + 1)


@dataclass(frozen=True, slots=True)
class Scan:
    """What a pass found.

    ``spans`` cover the rows that are scored: wanted, and not invalid. ``tallies`` count every row by the name of its
    dimension (`NO_DIMENSION` for a line that names none), ``scored`` the rows that are scored. ``digest`` is the
    SHA-256 of the file.
    """

    spans: tuple[Span, ...]
    digest: str
    tallies: Mapping[str, Tally]
    scored: Mapping[str, int]
    capture_errors: int
    problems: tuple[Problem, ...]

    @property
    def total(self) -> Tally:
        """The states of all rows."""
        found = self.tallies.values()
        return Tally(
            sum(tally.labeled for tally in found),
            sum(tally.unlabeled for tally in found),
            sum(tally.invalid for tally in found),
        )

    @property
    def asking(self) -> int:
        """The number of rows to score whose dimension a judge decides, if there is one."""
        return sum(number for name, number in self.scored.items() if DIMENSIONS[name].is_judged)


def scan(
    path: Path,
    shown: Path,
    settings: RowSettings,
    *,
    strict: bool,
    ids: SeenIds,
    wanted: Callable[[Row], bool] | None = None,
    check: RowCheck | None = None,
) -> Scan:
    """Check every row of a file. ``shown`` is its path in problems, ``ids`` hold those of the spec's other files.

    With ``strict``, as a release has it, rows without a confirmed answer key and rows whose answer could not be
    recorded are errors, not warnings. ``check`` says what a row is, in place of `check_row`.

    Raises:
        OSError: the file cannot be read.
    """
    scanner = _Scanner(shown, settings, strict, ids, wanted, check or check_row)
    whole = hashlib.sha256()
    spans = tuple(
        Span(stretch.offset, stretch.size, stretch.line, rows, stretch.digest)
        for stretch in scan_lines(path, whole)
        if (rows := scanner.take(stretch))
    )
    problems = scanner.problems.all()
    return Scan(spans, whole.hexdigest(), scanner.tallies, scanner.scored, scanner.capture_errors, problems)


def read_rows(path: Path, span: Span) -> Iterator[tuple[int, Row]]:
    """The rows of a span with their line numbers. Rows that a selection leaves out are among them.

    Raises:
        SourceChanged: the span is not what it was.
    """
    for number, data in enumerate(span_lines(read_span(path, span), span), span.line):
        row = read_line(data)
        if row is not BLANK:
            yield number, row


def row_problem(shown: Path, number: int, data: bytes, issue: RowIssue, severity: Severity) -> Problem:
    """An issue of the row that stands in a line of a file, with its place."""
    column = offset_of(line_text(data), issue.pointer) + 1 if len(data) <= _MOST_LOCATED else 1
    where = mark_controls(shorten(pointer_text(issue.pointer)))
    return Problem(shown, issue.code, issue.message, number, column, where, issue.hint, severity)


class _Scanner:
    """Checks stretch after stretch, and counts."""

    def __init__(
        self,
        shown: Path,
        settings: RowSettings,
        strict: bool,
        ids: SeenIds,
        wanted: Callable[[Row], bool] | None,
        check: RowCheck,
    ) -> None:
        self.problems = ProblemList(shown)
        self.tallies: dict[str, Tally] = {}
        self.scored: Counter[str] = Counter()
        self.capture_errors = 0
        self._shown, self._settings, self._ids = shown, settings, ids
        self._wanted, self._check = wanted, check
        self._errors = _BLOCKS_RELEASE if strict else frozenset[str]()
        ids.open(str(shown))

    def take(self, stretch: Stretch) -> int:
        """Check the rows of a stretch; the number of those that are scored."""
        scored = 0
        for number, data in enumerate(stretch.lines, stretch.line):
            try:
                row = read_line(data)
            except JsonFault as fault:
                self._take_fault(fault, number)
                continue
            if row is not BLANK:
                scored += self._take_row(row, number, data or b"")
        return scored

    def _take_row(self, row: Any, number: int, data: bytes) -> int:
        row_id = id_of(row)
        first_use = None if row_id is None else self._ids.add(row_id, number)
        state, issues = self._check(row, self._settings, first_use)
        for issue in issues:
            self._tell(issue, number, data)
        if state is not RowState.LABELED:
            self._tally(_dimension_name(row)).add(state)
            if state is RowState.INVALID:
                return 0
        else:
            self._tally(row["dimension"]).labeled += 1
        if row.get(CAPTURE_ERROR):
            self.capture_errors += 1
            self._tell(_capture_issue(row[CAPTURE_ERROR]), number, data)
        if self._wanted is not None and not self._wanted(row):
            return 0
        self.scored[row["dimension"]] += 1
        return 1

    def _take_fault(self, fault: JsonFault, number: int) -> None:
        self._tally(NO_DIMENSION).invalid += 1
        if self.problems.has_room(Severity.ERROR):
            problem = Problem(self._shown, fault.code, fault.message, number, fault.column, hint=fault.hint)
            self.problems.add(problem)

    def _tally(self, name: str) -> Tally:
        found = self.tallies.get(name)
        if found is None:
            if len(self.tallies) >= _MOST_NAMES and name not in DIMENSIONS:
                name = OTHER_DIMENSIONS
            found = self.tallies.setdefault(name, Tally())
        return found

    def _tell(self, issue: RowIssue, number: int, data: bytes) -> None:
        severity = Severity.ERROR if issue.is_error or issue.code in self._errors else Severity.WARNING
        if self.problems.has_room(severity):
            self.problems.add(row_problem(self._shown, number, data, issue, severity))


def _dimension_name(row: Any) -> str:
    name = row.get("dimension") if isinstance(row, dict) else None
    return name if isinstance(name, str) and name.strip() else NO_DIMENSION


def _capture_issue(value: Any) -> RowIssue:
    said = quote(value if isinstance(value, str) else repr(value), 120)
    message = f"the agent could not be run for this row: {said}"
    return RowIssue("capture_error", (CAPTURE_ERROR,), message, "record the row again, or leave it out", is_error=False)
