"""JSON files (RFC 8259), strictly read: a value with the places of its parts, or one problem that says what is wrong.

Refused are NaN and Infinity, numbers that no double holds, members that stand twice in one object, deep nesting and
anything that is not UTF-8. A byte order mark is skipped. Unpaired surrogates, which JSON can escape and UTF-8 cannot
hold, become U+FFFD.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from proctor.errors import Problem, Severity
from proctor.excerpt import mark_controls, quote, shorten
from proctor.formats.pointers import Pointer, json_pointer
from proctor.formats.strict_json.places import Places
from proctor.formats.strict_json.text import JsonFault, decoded, parsed, said, tokens, too_deep_at
from proctor.jsonvalue import well_formed_value

MAX_BYTES: Final = 64 * 2**20
"""Of one JSON text: a file, or one of its lines."""
MAX_DEPTH: Final = 200
"""Levels of arrays and objects."""

_BOM: Final = b"\xef\xbb\xbf"
_LINES: Final = (".jsonl", ".ndjson")
_ESCAPED_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")


class JsonDocument:
    """One JSON text. ``first_line`` is the number of its first line in its file."""

    def __init__(self, path: Path, text: str, value: Any, first_line: int = 1) -> None:
        self.path, self.value, self.first_line = path, value, first_line
        self._places = Places(text)

    def place(self, pointer: Pointer) -> tuple[int, int]:
        """The line and the column, from 1, of a part; of the nearest parent for a part that is not there."""
        line, column = self._places.line_and_column(self._places.offset(pointer))
        return self.first_line + line - 1, column

    def problem(
        self,
        pointer: Pointer,
        code: str,
        message: str,
        hint: str | None = None,
        severity: Severity = Severity.ERROR,
    ) -> Problem:
        """A problem at the value that a pointer names."""
        line, column = self.place(pointer)
        shown = mark_controls(shorten(json_pointer(pointer)))
        return Problem(self.path, code, message, line, column, shown, hint, severity)


def read_json_file(path: Path, data: bytes) -> tuple[tuple[JsonDocument, ...], tuple[Problem, ...]]:
    """The documents of a file: one, or one for each line that is not blank where each line is a JSON text of its own.

    Files named ``.jsonl`` and ``.ndjson`` have such lines, and others where more follows on a first line that is one.
    Each text that cannot be read is one problem.
    """
    data = data.removeprefix(_BOM)
    if not data.strip():
        return (), (Problem(path, "empty", "the file is empty"),)
    is_named_so = path.name.lower().endswith(_LINES)
    if is_named_so or _has_records(data):
        read = [_read(path, line, number) for number, line in enumerate(data.split(b"\n"), 1) if line.strip()]
    else:
        read = [_read(path, data, 1)]
    documents = tuple(found for found in read if isinstance(found, JsonDocument))
    problems = tuple(found for found in read if isinstance(found, Problem))
    if problems and is_named_so and isinstance(_read(path, data, 1), JsonDocument):
        message = "the file is one JSON text over several lines, not one a line"
        return (), (Problem(path, "invalid_json", message, 1, 1, hint="give it the ending .json"),)
    return documents, problems


class _Repeated(Exception):
    """An object has two members of the same name."""


def _read(path: Path, data: bytes, first_line: int) -> JsonDocument | Problem:
    if len(data) > MAX_BYTES:
        message = f"a JSON text of {len(data):,} bytes; the limit is {MAX_BYTES:,}"
        return Problem(path, "too_large", message, first_line, 1, hint="split it into several files")
    try:
        text = decoded(data)
        return JsonDocument(path, text, _value(text), first_line)
    except JsonFault as fault:
        line, column = Places(data.decode("utf-8", "replace")).line_and_column(fault.at)
        return Problem(path, fault.code, fault.message, first_line + line - 1, column, hint=fault.hint)


def _value(text: str) -> Any:
    try:
        value = parsed(text, _object)
    except json.JSONDecodeError as error:
        hint = "is the file cut off?" if error.pos >= len(text.rstrip()) else None
        raise JsonFault("invalid_json", f"no JSON: {said(error)}", error.pos, hint) from None
    except _Repeated:
        raise _repeated_member(text) from None
    except RecursionError:
        raise _too_deep(too_deep_at(text, MAX_DEPTH) or 0) from None
    if (at := too_deep_at(text, MAX_DEPTH)) is not None:
        raise _too_deep(at)
    return well_formed_value(value) if _ESCAPED_SURROGATE.search(text) else value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Repeated
    return found


def _repeated_member(text: str) -> JsonFault:
    """The fault of the first name that stands twice in its object."""
    name, at = next(_repeated_names(text))
    return JsonFault("duplicate_key", f"the member {quote(name, 80)} stands twice in this object", at)


def _repeated_names(text: str) -> Iterator[tuple[str, int]]:
    open_names: list[set[str]] = []
    last: re.Match[str] | None = None
    for token in tokens(text):
        mark = token.group()
        if mark in "[{":
            open_names.append(set())
        elif mark in "]}":
            open_names.pop()
        elif mark == ":" and last is not None:
            name = json.loads(last.group())
            if name in open_names[-1]:
                yield name, last.start()
            open_names[-1].add(name)
        last = token


def _too_deep(at: int) -> JsonFault:
    return JsonFault("too_deep", f"nested deeper than {MAX_DEPTH} levels", at)


def _has_records(data: bytes) -> bool:
    """Whether the first line that is not blank is a JSON text, and more follow."""
    first, _, rest = data.lstrip().partition(b"\n")
    if not rest.strip() or len(first) > MAX_BYTES:
        return False
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return False
    return True
