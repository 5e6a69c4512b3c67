"""JSON files (RFC 8259), strictly read: a value with the places of its parts, or one problem that says what is wrong.

Refused are NaN and Infinity, numbers that no double holds, members that stand twice in one object, deep nesting and
anything that is not UTF-8. A byte order mark is skipped. Unpaired surrogates, which JSON can escape and UTF-8 cannot
hold, become U+FFFD.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from proctor.errors import Problem, Severity
from proctor.excerpt import mark_controls, quote, shorten
from proctor.formats.brainbench.json_places import Places
from proctor.formats.brainbench.json_pointer import json_pointer
from proctor.formats.brainbench.schema_errors import Path as Pointer
from proctor.jsonvalue import well_formed_value

MAX_BYTES: Final = 64 * 2**20
"""Of one JSON text: a file, or one of its lines."""
MAX_DEPTH: Final = 200
"""Levels of arrays and objects."""

_LONGEST_INTEGER: Final = 308
_BOM: Final = b"\xef\xbb\xbf"
_LINES: Final = (".jsonl", ".ndjson")
_STRING: Final = r'"(?:[^"\\]++|\\.)*+"'
_TOKEN: Final = re.compile(rf'{_STRING}|[\[\]{{}}:,]|[^\s,:\[\]{{}}"]++', re.DOTALL)
_NO_BRACKETS: Final = re.compile(rf'{_STRING}|[^\[\]{{}}"]++', re.DOTALL)
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


class _Fault(Exception):
    """Why a text cannot be read. ``at`` is the position in it."""

    def __init__(self, code: str, message: str, at: int, hint: str | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.at, self.hint = code, message, at, hint


class _Refused(Exception):
    """A literal that no JSON number is."""


class _Repeated(Exception):
    """An object has two members of the same name."""


def _read(path: Path, data: bytes, first_line: int) -> JsonDocument | Problem:
    if len(data) > MAX_BYTES:
        message = f"a JSON text of {len(data):,} bytes; the limit is {MAX_BYTES:,}"
        return Problem(path, "too_large", message, first_line, 1, hint="split it into several files")
    text = data.decode("utf-8", "replace")
    try:
        _refuse_bytes(data)
        return JsonDocument(path, text, _value(text), first_line)
    except _Fault as fault:
        line, column = Places(text).line_and_column(fault.at)
        return Problem(path, fault.code, fault.message, first_line + line - 1, column, hint=fault.hint)


def _refuse_bytes(data: bytes) -> None:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        at = len(data[: error.start].decode("utf-8"))
        message = f"byte 0x{data[error.start]:02X} is not UTF-8 text"
        raise _Fault("invalid_utf8", message, at, "save the file as UTF-8") from None


def _value(text: str) -> Any:
    try:
        value = json.loads(
            text, object_pairs_hook=_object, parse_float=_float, parse_int=_integer, parse_constant=_refuse
        )
    except json.JSONDecodeError as error:
        said = error.msg[:1].lower() + error.msg[1:].removesuffix(" at")
        hint = "is the file cut off?" if error.pos >= len(text.rstrip()) else None
        raise _Fault("invalid_json", f"no JSON: {said}", error.pos, hint) from None
    except _Refused as refused:
        raise _refused_number(text, str(refused)) from None
    except _Repeated:
        raise _repeated_member(text) from None
    except RecursionError:
        raise _too_deep(text) from None
    if _is_too_deep(text):
        raise _too_deep(text)
    return well_formed_value(value) if _ESCAPED_SURROGATE.search(text) else value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Repeated
    return found


def _float(literal: str) -> float:
    number = float(literal)
    if math.isinf(number):
        raise _Refused(literal)
    return number


def _integer(literal: str) -> int:
    if len(literal) > _LONGEST_INTEGER:
        raise _Refused(literal)
    return int(literal)


def _refuse(literal: str) -> None:
    raise _Refused(literal)


def _refused_number(text: str, literal: str) -> _Fault:
    at = next((token.start() for token in _TOKEN.finditer(text) if token.group() == literal), 0)
    if literal[-1].isdigit():
        shown = literal if len(literal) <= 20 else f"{literal[:20]}…"
        return _Fault("out_of_range", f"the number {shown} is larger than any that a double holds", at)
    return _Fault("invalid_json", f"{literal} is no JSON number", at, "write null, or leave the member out")


def _repeated_member(text: str) -> _Fault:
    """The fault of the first name that stands twice in its object."""
    name, at = next(_repeated_names(text))
    return _Fault("duplicate_key", f"the member {quote(name, 80)} stands twice in this object", at)


def _repeated_names(text: str) -> Iterator[tuple[str, int]]:
    open_names: list[set[str]] = []
    last: re.Match[str] | None = None
    for token in _TOKEN.finditer(text):
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


def _is_too_deep(text: str) -> bool:
    """Whether brackets are left when the innermost pairs were taken away as often as there may be levels."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return False
    brackets = _NO_BRACKETS.sub("", text).translate({ord("{"): "[", ord("}"): "]"})
    for _ in range(MAX_DEPTH):
        brackets = brackets.replace("[]", "")
    return bool(brackets)


def _too_deep(text: str) -> _Fault:
    depth, at = 0, 0
    for token in _TOKEN.finditer(text):
        depth += (token.group() in "[{") - (token.group() in "]}")
        if depth > MAX_DEPTH:
            at = token.start()
            break
    return _Fault("too_deep", f"nested deeper than {MAX_DEPTH} levels", at)


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
