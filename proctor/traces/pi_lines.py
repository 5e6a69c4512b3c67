"""The lines of a pi session or event stream: one strict JSON object each, as a fixture will hold their values.

Lines end with LF only: U+2028 and the like are data. pi itself skips what it cannot read; here it is an error, unless
somebody asked to be lenient.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NoReturn

from proctor.excerpt import quote
from proctor.traces.base import BadTrace, Notes, Record

MAX_DEPTH: Final = 200
"""Levels of arrays and objects that a fixture may have."""


@dataclass(frozen=True, slots=True)
class PiReading:
    """How a file is read, and what is told about it."""

    notes: Notes
    lenient: bool = False
    """Bad lines are left out with a warning."""
    keep_failed: bool = False
    """Answers that failed or were stopped are taken as well."""

    def line(self, number: int) -> OneLine:
        """A block that handles one line; a BadTrace in it is noted, and the block ends."""
        return OneLine(self, number)


@dataclass(frozen=True, slots=True)
class OneLine:
    """The handling of one line, which may be bad."""

    reading: PiReading
    number: int

    def __enter__(self) -> None:
        """Begin with the line."""

    def __exit__(self, kind: type[BaseException] | None, bad: BaseException | None, trace: object) -> bool:
        """Note what is wrong with the line; other exceptions go on."""
        if not isinstance(bad, BadTrace):
            return False
        notes = self.reading.notes
        if self.reading.lenient:
            notes.warn(bad.code, f"{bad.message}; ignored", self.number)
        else:
            notes.error(bad.code, bad.message, Record(None, self.number), bad.hint)
        return True


def read_lines(path: Path, reading: PiReading) -> Iterator[Record]:
    """The objects of a file with their lines; blank lines are counted only. Raises OSError."""
    with path.open("rb") as file:
        for number, raw in enumerate(file, 1):
            if raw.strip(b" \t\r\n"):
                with reading.line(number):
                    yield Record(parse_line(raw), number)


def parse_line(raw: bytes) -> dict[str, Any]:
    """Read the object of a line. Whole numbers keep their digits, lone surrogates survive. Raises BadTrace."""
    try:
        value = _DECODER.decode(raw.rstrip(b" \t\r\n").decode())
    except UnicodeDecodeError as error:
        raise BadTrace("invalid_utf8", f"is no UTF-8 text at byte {error.start + 1:,}") from None
    except json.JSONDecodeError as error:
        hint = "the line ends too early: was the file cut off?" if error.pos >= len(error.doc) else None
        raise BadTrace("invalid_json", f"is no JSON: {error.msg} at column {error.pos + 1:,}", hint) from None
    except ValueError as error:
        raise BadTrace("invalid_json", f"is no JSON: {error}") from None
    except RecursionError:
        raise _TOO_DEEP from None
    if not isinstance(value, dict):
        raise BadTrace("not_an_object", f"expected a JSON object, got {_type_name(value)}")
    if raw.count(b"{") + raw.count(b"[") > MAX_DEPTH and _is_too_deep(value):
        raise _TOO_DEEP
    return value


_TOO_DEEP: Final = BadTrace("too_deep", f"is nested deeper than {MAX_DEPTH} levels")


def _number(literal: str) -> int | float:
    number = float(literal)
    if math.isinf(number):
        raise ValueError(f"the number {quote(literal, 20)} is larger than any that a double holds")
    return number if any(mark in literal for mark in ".eE") else int(literal)


def _refuse(literal: str) -> NoReturn:
    raise ValueError(f"{literal} is no JSON number")


_DECODER: Final = json.JSONDecoder(parse_float=_number, parse_int=_number, parse_constant=_refuse)


def _is_too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
    return bool(level)


def _type_name(value: object) -> str:
    names = {bool: "boolean", int: "number", float: "number", str: "string", list: "array"}
    return names.get(type(value), "null")
