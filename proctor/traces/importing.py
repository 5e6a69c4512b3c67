"""Import a file of traces: read it, draft rows, and put them into a new file, all of them or none."""

from __future__ import annotations

import json
import math
import os
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, Final, TextIO

from proctor.errors import Problem, SpecError, UsageError
from proctor.excerpt import quote
from proctor.traces.base import Notes, Record, TraceRow
from proctor.traces.detection import open_traces
from proctor.traces.field_names import NO_NAMES, FieldNames
from proctor.traces.rows import DRAFTS, can_draft, to_rows
from proctor.wording import count

_WRITER: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


@dataclass(slots=True)
class Imported:
    """What came of an import. ``not_observed`` counts traces without what an asked dimension needs."""

    title: str
    traces: int = 0
    rows: Counter[str] = field(default_factory=Counter)
    not_observed: Counter[str] = field(default_factory=Counter)
    left_out: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()
    warnings: tuple[Problem, ...] = ()


def import_traces(
    path: Path,
    out: Path,
    *,
    format_name: str | None = None,
    dimensions: Sequence[str] | None = None,
    id_prefix: str = "",
    limit: int | None = None,
    own: FieldNames = NO_NAMES,
) -> Imported:
    """Draft rows from the traces in ``path`` into the new file ``out``.

    Nothing is written if there is any error. Raises SpecError with all problems of the file, UsageError for what cannot
    be asked, and for files that cannot be read or written.
    """
    _check(path, out, dimensions)
    notes = Notes(path)
    try:
        with _new_file(out) as file:
            kind, records = open_traces(path, notes, format_name, own)
            done = Imported(kind.title)
            traces = _named(islice(kind.traces(records, notes), limit), id_prefix)
            for trace in traces:
                _write(_checked(trace, notes), dimensions, file, done, notes)
            _check_result(notes, done)
    except OSError as error:
        where, verb = (path, "read") if error.filename == str(path) else (out, "written")
        raise UsageError(f"{where} cannot be {verb}: {error.strerror or error}") from error
    done.left_out, done.unused, done.warnings = _left_out(notes), tuple(notes.unused), notes.told()
    return done


def _check(path: Path, out: Path, dimensions: Sequence[str] | None) -> None:
    for name in dimensions or ():
        if name not in DRAFTS:
            raise UsageError(f"there is no dimension {name!r}", hint=f"known: {', '.join(DRAFTS)}")
    if not path.exists():
        raise UsageError(f"{path} does not exist", hint="name a file with traces")
    if not path.is_file():
        raise UsageError(f"{path} is no regular file", hint="name a file with traces")
    if out.exists():
        raise _taken(out)


def _check_result(notes: Notes, done: Imported) -> None:
    """Raise SpecError if nothing may be written."""
    for name in sorted(notes.wanted) if done.traces else ():
        hint = "correct the name that was given, or leave it out: the usual names are looked for"
        notes.error("no_such_field", f"no trace has anything in the field {quote(name, 60)}", Record(None, 0, 0), hint)
    if notes.has_errors:
        raise SpecError(notes.told())
    if sum(done.rows.values()):
        return
    left_out = "".join(f"; left out: {what}" for what in _left_out(notes))
    what = f"{count(done.traces, 'trace')} and nothing to draft a row from" if done.traces else "no trace"
    raise SpecError([*notes.told(), Problem(notes.path, "no_rows", f"holds {what}{left_out}")])


def _left_out(notes: Notes) -> tuple[str, ...]:
    return tuple(f"{count(number, noun)} {why}" for (noun, why), number in notes.left_out.items())


def _named(traces: Iterable[TraceRow], prefix: str) -> Iterator[TraceRow]:
    """Traces with an id that no other has: their own, or their number where they have none."""
    used: set[str] = set()
    for number, trace in enumerate(traces, 1):
        own = trace.trace_id or str(number)
        name, again = own, 1
        while name in used:
            again += 1
            name = f"{own}#{again}"
        used.add(name)
        yield replace(trace, id=prefix + name)


def _checked(trace: TraceRow, notes: Notes) -> TraceRow:
    """A trace without calls that name no tool."""
    calls = trace.tool_calls
    if not calls or all(call.name for call in calls):
        return trace
    named = tuple(call for call in calls if call.name)
    lost = count(len(calls) - len(named), "tool call")
    notes.warn("nameless_call", f"trace {quote(trace.id, 60)}: {lost} without a name left out", trace.line)
    return replace(trace, tool_calls=named)


def _write(trace: TraceRow, dimensions: Sequence[str] | None, file: TextIO, done: Imported, notes: Notes) -> None:
    done.traces += 1
    for name in dimensions or ():
        done.not_observed[name] += not can_draft(trace, name)
    try:
        for row in to_rows(trace, dimensions):
            file.write(_line(row) + "\n")
            done.rows[row["dimension"]] += 1
    except RecursionError:
        notes.error(
            "too_deep", f"trace {quote(trace.id, 60)} is nested too deeply to be written", Record(None, trace.line)
        )


def _line(row: dict[str, Any]) -> str:
    try:
        return _WRITER.encode(row)
    except ValueError:
        return _WRITER.encode(_finite(row))


def _finite(value: Any) -> Any:
    """The value with infinite numbers as texts: JSON has none."""
    if isinstance(value, float) and not math.isfinite(value):
        return "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, dict):
        return {key: _finite(entry) for key, entry in value.items()}
    return [_finite(entry) for entry in value] if isinstance(value, list) else value


@contextmanager
def _new_file(path: Path) -> Iterator[TextIO]:
    """Open a file beside ``path`` that takes its place when the block ends well, unless somebody was quicker."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        # Only lone surrogates cannot be encoded; their backslash form is what JSON wants.
        with temporary.open("x", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            yield file
        _put(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _put(temporary: Path, path: Path) -> None:
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise _taken(path) from None
    except OSError:  # a file system without links
        if path.exists():
            raise _taken(path) from None
        temporary.replace(path)


def _taken(path: Path) -> UsageError:
    return UsageError(f"{path} exists already", hint="name another file with --out, or move that one away")
