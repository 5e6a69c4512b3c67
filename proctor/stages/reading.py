"""The files of a spec, read: cases are parsed, rows are checked where they lie. Nothing stops at the first problem."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field, replace
from pathlib import Path

from proctor.dataset import DatasetSettings
from proctor.errors import Problem, Severity, SpecError, UsageError
from proctor.formats import CaseFormat, Defaults, RowFormat, format_of
from proctor.formats.assevra.seen_ids import SeenIds
from proctor.formats.assevra.states import RowCheck, check_row
from proctor.plan import Case, Source
from proctor.real_path import real_path
from proctor.regular_file import read_regular, refuse_others
from proctor.stages.selection import RowFilter
from proctor.stages.target import Target, shown


@dataclass(slots=True)
class Reading:
    """All sources of a spec, its cases by key, and its problems."""

    sources: list[Source] = field(default_factory=list)
    cases: dict[str, Case] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    @property
    def rows(self) -> int:
        """The number of recorded rows that are scored."""
        return sum(source.rows for source in self.sources)

    def refuse_errors(self) -> None:
        """Raise SpecError, which carries the warnings too, if there is an error."""
        if any(problem.severity is Severity.ERROR for problem in self.problems):
            raise SpecError(self.problems)


def read_files(
    target: Target, root: Path, defaults: Defaults, dataset: DatasetSettings, row_filter: RowFilter | None = None
) -> Reading:
    """Read every file of a spec."""
    found = Reading(problems=list(target.problems))
    places: dict[str, Problem] = {}
    ids = SeenIds()
    for path in target.files:
        if isinstance(format_of(path), RowFormat):
            source, problems = scan_source(path, root, dataset, ids, row_filter)
            found.sources.append(source)
            found.problems += problems
            continue
        source, cases, more = read_source(path, root, defaults)
        found.problems += more
        keyed = [_unique(case, source, places, found.problems, defaults.upstream) for case in cases]
        found.cases |= {case.key: case for case in keyed}
        found.sources.append(replace(source, cases=tuple(case.outline for case in keyed)))
    return found


def scan_source(
    path: Path,
    root: Path,
    dataset: DatasetSettings,
    ids: SeenIds,
    row_filter: RowFilter | None = None,
    check: RowCheck = check_row,
) -> tuple[Source, tuple[Problem, ...]]:
    """Check the rows of one file: the source with its spans, and its problems. ``check`` says what a row is."""
    format_, name = format_of(path), _name_below(path, root)
    if not isinstance(format_, RowFormat):
        raise UsageError(f"{path} is no data set of recorded rows")
    source = Source(format_.name, real_path(path), name, "")
    wanted = None if row_filter is None else lambda row: row_filter(name, row)
    try:
        refuse_others(path)
        found = format_.scan(path, shown(path), dataset.row, strict=dataset.strict, ids=ids, wanted=wanted, check=check)
    except OSError as error:
        return source, (_unreadable(path, error),)
    return replace(source, digest=found.digest, spans=found.spans, asking=found.asking), found.problems


def read_source(path: Path, root: Path, defaults: Defaults) -> tuple[Source, tuple[Case, ...], tuple[Problem, ...]]:
    """Read one file: the source (without outlines), its cases and its problems."""
    format_ = format_of(path)
    if not isinstance(format_, CaseFormat):
        raise UsageError(f"{path} is not a spec file")
    source = Source(format_.name, real_path(path), _name_below(path, root), "")
    try:
        data = read_regular(path)
    except OSError as error:
        return source, (), (_unreadable(path, error),)
    loaded = format_.load(shown(path), data, defaults)
    return replace(source, digest=hashlib.sha256(data).hexdigest()), loaded.cases, loaded.problems


def _unreadable(path: Path, error: OSError) -> Problem:
    return Problem(shown(path), "unreadable", f"cannot be read: {error.strerror or error}")


def _unique(case: Case, source: Source, places: dict[str, Problem], problems: list[Problem], upstream: bool) -> Case:
    """The case with a key of its own. A repeated id is a problem, unless the format's own tool is followed."""
    outline = case.outline
    here = Problem(shown(source.path), "duplicate_id", "", outline.line, 1, "id")
    first = places.setdefault(outline.id, here)
    if first is here:
        return case
    if upstream:
        return replace(case, outline=replace(outline, key=f"{source.name}::{outline.id}"))
    message = f"the id {outline.id!r} is already used in {first.place}"
    problems.append(replace(here, message=message, hint="give each case an id of its own: results are filed under it"))
    return case


def _name_below(path: Path, root: Path) -> str:
    """The path below the root, read as UTF-8 whatever the machine's own encoding is: it is part of cache keys."""
    path = real_path(path)
    name = path.relative_to(root) if path.is_relative_to(root) else path
    return os.fsencode(name.as_posix()).decode("utf-8", "replace")
