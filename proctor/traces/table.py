"""Tables in CSV: from a header and its rows to records with texts."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Final

from proctor.excerpt import quote
from proctor.traces import field_names as names
from proctor.traces.base import Notes, Record
from proctor.traces.documents import text_lines
from proctor.traces.field_names import FieldNames, usual_name
from proctor.wording import count, listed

SUFFIXES: Final = (".csv", ".tsv")

MAX_CELL: Final = 2**30
"""Characters of one cell; the csv module would stop at 131,072."""

_DELIMITERS: Final = (",", ";", "\t", "|")
_KNOWN: Final = frozenset((
    *names.INPUT, *names.OUTPUT, *names.CONTEXT, *names.TOOL_CALLS, *names.TRACE_ID, *names.COST, *names.LATENCY_MS,
    *names.LATENCY_S, *names.USAGE, *names.INPUT_TOKENS, *names.OUTPUT_TOKENS,
))  # fmt: skip


def delimiter_of(header: str, own: FieldNames) -> str | None:
    """What separates the columns of a header: what makes most of the names known. None where none is known."""
    best = max(_DELIMITERS, key=lambda delimiter: _score(header, delimiter, own))
    return best if _score(header, best, own)[0] else None


def read_table(path: Path, own: FieldNames, notes: Notes) -> Iterator[Record]:
    """The rows of a table as objects. Raises OSError."""
    lines = text_lines(path, notes)
    first = next(((number, text) for number, text in lines if text is None or text.strip()), None)
    if first is None or first[1] is None:
        return
    delimiter = delimiter_of(first[1], own)
    if delimiter is None:
        _note_unknown_header(first[1], first[0], notes)
        return
    with _long_cells():
        yield from _rows(first, lines, delimiter, notes)


def _rows(
    first: tuple[int, str | None], lines: Iterable[tuple[int, str | None]], delimiter: str, notes: Notes
) -> Iterator[Record]:
    texts = (text or "" for _, text in chain([first], lines))
    reader = csv.reader(texts, delimiter=delimiter, strict=True)
    header = [name.strip() for name in next(reader)]
    if len(set(header)) < len(header):
        twice = next(name for name in header if header.count(name) > 1)
        notes.error("duplicate_column", f"there are two columns {quote(twice, 60)}", Record(None, first[0]))
        return
    start = first[0] + reader.line_num
    try:
        for cells in reader:
            if cells and len(cells) != len(header):
                message = f"has {count(len(cells), 'cell')}, and the header has {count(len(header), 'column')}"
                notes.error("bad_columns", message, Record(None, start), "put cells with separators in quotes")
            elif cells:
                yield Record(dict(zip(header, cells, strict=True)), start)
            start = first[0] + reader.line_num
    except csv.Error as error:
        notes.error("invalid_csv", f"is no CSV: {error}", Record(None, start), "a quote may be open")


def _note_unknown_header(header: str, line: int, notes: Notes) -> None:
    columns = [name.strip() for name in max((header.split(delimiter) for delimiter in _DELIMITERS), key=len)]
    message = f"no column is known: there are {quote(listed(columns, 20), 300)}; looked for {', '.join(names.OUTPUT)}"
    notes.error("unknown_columns", message, Record(None, line), "name the column of the answer with --output-field")


def _score(header: str, delimiter: str, own: FieldNames) -> tuple[int, int]:
    try:
        columns = [name.strip() for name in next(csv.reader([header], delimiter=delimiter), [])]
    except csv.Error:
        return 0, 0
    given = {own.input, own.output, own.context}
    return sum(name in given or usual_name(name) in _KNOWN for name in columns), len(columns)


@contextmanager
def _long_cells() -> Iterator[None]:
    """Lift the csv module's limit, which holds for the whole process."""
    before = csv.field_size_limit(MAX_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)
