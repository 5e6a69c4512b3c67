"""The files of a spec, read: cases are parsed, rows are checked where they lie. Nothing stops at the first problem."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from proctor.dataset import DatasetSettings
from proctor.errors import Problem, Severity, SpecError, UsageError
from proctor.formats import Defaults, Format, format_of, has_cases, has_rows
from proctor.formats.assevra.seen_ids import SeenIds
from proctor.formats.pi.pi_format import PiFormat
from proctor.plan import RECORDING, Case, Outline, Source
from proctor.real_path import real_path
from proctor.regular_file import read_regular, refuse_others
from proctor.results import TrialRef
from proctor.stages.selection import RowFilter
from proctor.stages.target import Target, shown

if TYPE_CHECKING:
    from proctor.formats.assevra.states import RowCheck

KEPT_BYTES: Final = 128 * 2**20
"""The size of the files whose cases stay in memory, where they take some three times as much."""
_LEAST_BYTES: Final = 4_096
"""What a case counts at least: in memory, a small one takes more room than in its file."""


class SourceRead(NamedTuple):
    """One file that was read: the source without outlines, its cases and problems, and its size in bytes."""

    source: Source
    cases: tuple[Case, ...] = ()
    problems: tuple[Problem, ...] = ()
    size: int = 0


@dataclass(slots=True)
class Reading:
    """All sources of a spec, its cases by key as far as they are kept, and its problems.

    ``has_traces``: among the files are trace fixtures, whose trials can be replayed.
    """

    sources: list[Source] = field(default_factory=list)
    cases: dict[str, Case] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    has_traces: bool = False
    _kept_bytes: int = 0

    @property
    def rows(self) -> int:
        """The number of recorded rows that are scored."""
        return sum(source.rows for source in self.sources)

    @property
    def outlines(self) -> list[Outline]:
        """The outlines of all cases."""
        return [outline for source in self.sources for outline in source.cases]

    def add(self, source: Source, cases: Sequence[Case], size: int) -> None:
        """Add a file of ``size`` bytes with its cases. The first ones are kept: each stage begins with them."""
        self.sources.append(replace(source, cases=tuple(case.outline for case in cases)))
        self.has_traces = self.has_traces or source.format == PiFormat.name
        self._kept_bytes += max(size, _LEAST_BYTES * len(cases))
        if self._kept_bytes <= KEPT_BYTES:
            self.cases |= {case.key: case for case in cases}

    def refuse_errors(self) -> None:
        """Raise SpecError, which carries the warnings too, if there is an error."""
        if any(problem.severity is Severity.ERROR for problem in self.problems):
            raise SpecError(self.problems)


def read_files(
    target: Target, root: Path, defaults: Defaults, dataset: DatasetSettings, row_filter: RowFilter | None = None
) -> Reading:
    """Read every file of a spec."""
    found = Reading(problems=list(target.problems))
    keys = _Keys(found.problems, upstream=defaults.upstream)
    ids = SeenIds()
    for path in target.files:
        if has_rows(format_of(path)):
            source, problems = scan_source(path, root, dataset, ids, row_filter)
            found.sources.append(source)
            found.problems += problems
            continue
        source, cases, problems, size = read_source(path, root, defaults)
        found.problems += problems
        found.add(source, [keys.keyed(case, source) for case in cases], size)
    return found


def scan_source(
    path: Path,
    root: Path,
    dataset: DatasetSettings,
    ids: SeenIds,
    row_filter: RowFilter | None = None,
    check: RowCheck | None = None,
) -> tuple[Source, tuple[Problem, ...]]:
    """Check the rows of one file: the source with its spans, and its problems. ``check`` says what a row is."""
    format_ = format_of(path)
    if not has_rows(format_):
        raise UsageError(f"{path} is no data set of recorded rows")
    source = _source(format_, path, root)
    wanted = None if row_filter is None else lambda row: row_filter(source.name, row)
    try:
        refuse_others(path)
        found = format_.scan(path, shown(path), dataset.row, strict=dataset.strict, ids=ids, wanted=wanted, check=check)
    except OSError as error:
        return source, (_unreadable(path, error),)
    return replace(source, digest=found.digest, spans=found.spans, asking=found.asking), found.problems


def read_source(path: Path, root: Path, defaults: Defaults) -> SourceRead:
    """Read one file of cases."""
    format_ = format_of(path)
    if not has_cases(format_):
        raise UsageError(f"{path} is not a spec file")
    source = _source(format_, path, root)
    try:
        data = read_regular(path)
    except OSError as error:
        return SourceRead(source, problems=(_unreadable(path, error),))
    loaded = format_.load(shown(path), data, defaults)
    source = replace(source, digest=hashlib.sha256(data).hexdigest())
    return SourceRead(source, loaded.cases, loaded.problems, len(data))


def _unreadable(path: Path, error: OSError) -> Problem:
    return Problem(shown(path), "unreadable", f"cannot be read: {error.strerror or error}")


class _Keys:
    """Gives each case a key of its own.

    A repeated id is a problem, unless the format's own tool is followed. Recorded trials of agents may share a case:
    they are its trials, in the order of the files.
    """

    def __init__(self, problems: list[Problem], *, upstream: bool) -> None:
        self._problems = problems
        self._upstream = upstream
        self._places: dict[str, Problem] = {}
        self._shared: dict[str, Problem] = {}
        self._trials: Counter[tuple[str, str]] = Counter()

    def keyed(self, case: Case, source: Source) -> Case:
        """The case with its key, and its place if it is recorded."""
        outline = case.outline
        here = Problem(shown(source.path), "duplicate_id", "", outline.line, 1, "id")
        if outline.recorded is not None and outline.recorded.agent != RECORDING:
            first = self._places.get(outline.id)
            self._shared.setdefault(outline.id, here)
            if first is None:
                return replace(case, outline=self._numbered(outline, outline.recorded))
        else:
            first = self._shared.get(outline.id) or self._places.get(outline.id)
            self._places.setdefault(outline.id, here)
        if first is None:
            return case
        if self._upstream:
            return replace(case, outline=_renamed(outline, f"{source.name}::{outline.id}"))
        message = f"the id {outline.id!r} is already used in {first.place}"
        hint = "give each case an id of its own: results are filed under it"
        self._problems.append(replace(here, message=message, hint=hint))
        return case

    def _numbered(self, outline: Outline, place: TrialRef) -> Outline:
        number = self._trials[place.agent, place.case]
        self._trials[place.agent, place.case] += 1
        key = f"{outline.id}@{place.agent}#{number + 1}"
        return replace(outline, key=key, recorded=place._replace(trial=number))


def _renamed(outline: Outline, key: str) -> Outline:
    place = outline.recorded
    return replace(outline, key=key, recorded=None if place is None else place._replace(case=key))


def _source(format_: Format, path: Path, root: Path) -> Source:
    """A source before its file is read.

    Its name is the path below the root, read as UTF-8 whatever the machine's own encoding is: it is part of cache keys.
    """
    path = real_path(path)
    try:
        name = path.relative_to(root)
    except ValueError:
        name = path
    return Source(format_.name, path, os.fsencode(name.as_posix()).decode("utf-8", "replace"), "")
