"""Which kind of traces a file holds, by its content; tables also by their name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any, Final

from proctor.errors import Problem, SpecError, UsageError
from proctor.traces.base import Notes, Record, TraceFormat
from proctor.traces.chat_kinds import ANTHROPIC, OPENAI
from proctor.traces.documents import read_records, text_lines
from proctor.traces.field_names import FieldNames
from proctor.traces.generic import Generic
from proctor.traces.messages import is_message_list
from proctor.traces.otel import OpenTelemetry
from proctor.traces.table import SUFFIXES, delimiter_of, read_table

FORMATS: Final = ("otel", "openai", "anthropic", "csv", "generic")
"""What a file can be said to be."""

LOOKED_AT: Final = 20
"""How many records are looked at until one is of a known kind."""

_WRAPPERS: Final = ("data", "traces", "records", "items", "logs", "entries", "results", "conversations", "runs")


def open_traces(path: Path, notes: Notes, name: str | None, own: FieldNames) -> tuple[TraceFormat, Iterable[Record]]:
    """The kind of a file, said or found, and its records.

    Raises UsageError for an unknown name, or own fields where the kind has fields of its own; SpecError where the
    content is of no known kind; OSError.
    """
    if name is not None and name not in FORMATS:
        known_names = f"{', '.join(FORMATS)}; and pi, for fixtures"
        raise UsageError(f"there is no trace format {name!r}", hint=f"known: {known_names}")
    if own and name not in (None, "csv", "generic"):
        raise UsageError(f"fields can be named for csv and generic only, not for {name}")
    if name == "csv" or (name is None and _is_table(path, own)):
        return Generic(own, "csv", "CSV"), read_table(path, own, notes)
    records = unwrapped(read_records(path, notes))
    known: dict[str, TraceFormat] = {kind.name: kind for kind in (OpenTelemetry(), ANTHROPIC, OPENAI, Generic(own))}
    if name is not None:
        return known[name], records
    head = list(islice(records, LOOKED_AT))
    kinds = [known["generic"]] if own else list(known.values())
    found = next((kind for record in head for kind in kinds if kind.recognises(record.value)), None)
    if found is None and not notes.has_errors:
        raise SpecError([_unknown(path, head, kinds)])
    return found or kinds[-1], chain(head, records)


def unwrapped(records: Iterable[Record]) -> Iterator[Record]:
    """The records inside of lists, and of objects whose one list holds them."""
    for record in records:
        inner, name = _inner(record.value)
        if inner is None:
            yield record
        else:
            for position, value in enumerate(inner):
                yield record._replace(value=value, pointer=f"{name}[{position}]")


def _inner(value: Any) -> tuple[list[Any] | None, str]:
    if isinstance(value, list):
        return (None, "") if is_message_list(value) else (value, "")
    if isinstance(value, dict):
        for name in _WRAPPERS:
            entries = value.get(name)
            if isinstance(entries, list) and entries and all(isinstance(entry, dict) for entry in entries):
                return (None, "") if is_message_list(entries) else (entries, name)
    return None, ""


def _is_table(path: Path, own: FieldNames) -> bool:
    if path.suffix.lower() in SUFFIXES:
        return True
    first = next((text for _, text in text_lines(path, Notes(path)) if text is None or text.strip()), None)
    return first is not None and first.lstrip()[0] not in "[{" and delimiter_of(first, own) is not None


def _unknown(path: Path, head: list[Record], kinds: list[TraceFormat]) -> Problem:
    if not head:
        return Problem(path, "no_traces", "holds nothing")
    looked_for = "; ".join(f"{kind.name}: {kind.marks}" for kind in kinds)
    hint = "say what it is with --format, or name its fields with --output-field and --input-field"
    first = head[0]
    message = f"no known kind of trace; looked for {looked_for}"
    return Problem(path, "unknown_format", message, first.line, first.column, first.pointer, hint)
