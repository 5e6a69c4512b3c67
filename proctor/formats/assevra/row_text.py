"""From the bytes of a line to its JSON value, or to what is wrong with them and where.

What is accepted is what `json.loads` accepts, so also NaN, Infinity and lone surrogates; of a repeated key the last one
wins. Two things are refused that would raise later: nesting beyond `MAX_DEPTH` and whole numbers that Python cannot
spell.
"""

from __future__ import annotations

import json
import re
from enum import Enum
from typing import Any, Final

from pydantic_core import from_json

from proctor.formats.assevra.lines import MAX_LINE

MAX_DEPTH: Final = 500
"""Levels of lists and objects. Python's own limit depends on who is calling."""

_TOKEN: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)
_GZIP: Final = b"\x1f\x8b"
_LONG_NUMBER: Final = re.compile(r"\d{4301,}")


class Blank(Enum):
    """The value of a line that holds nothing but white space."""

    BLANK = 0


BLANK: Final = Blank.BLANK


class LineFault(Exception):
    """Why a line cannot be read. ``column`` counts characters from 1."""

    def __init__(self, code: str, message: str, column: int, hint: str | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.column, self.hint = code, message, column, hint


def read_line(data: bytes | None) -> Any:
    """The JSON value of a line; `BLANK` for a blank one. None is a line that was too long to be kept.

    Raises:
        LineFault: it has no value.
    """
    if data is None:
        raise LineFault("too_large", f"the line has more than {MAX_LINE:,} bytes", 1, "split the row, or shorten it")
    try:
        return from_json(data, cache_strings="keys")
    except ValueError:
        return _read_slowly(data)


def line_text(data: bytes) -> str:
    """The characters of a line that could be read."""
    return data.decode("utf-8")


def _read_slowly(data: bytes) -> Any:
    """The fast reader refuses lone surrogates and 200 levels, and tells places in its own way."""
    try:
        text = line_text(data)
    except UnicodeDecodeError as error:
        column = len(data[: error.start].decode("utf-8")) + 1
        message = f"byte 0x{data[error.start]:02X} is not UTF-8 text"
        hint = "it is compressed: unpack it first" if data.startswith(_GZIP) else "save the file as UTF-8"
        raise LineFault("invalid_utf8", message, column, hint) from None
    start = len(text) - len(text.lstrip())
    if start == len(text):
        return BLANK
    _refuse_depth(text)
    try:
        return json.loads(text.strip())
    except json.JSONDecodeError as error:
        raise LineFault("invalid_json", f"no JSON: {_said(error)}", start + error.pos + 1, _hint(text, error)) from None
    except RecursionError:
        raise LineFault("invalid_json", "nested too deep to be read here", 1) from None
    except ValueError:
        number = _LONG_NUMBER.search(text)
        column = number.start() + 1 if number else 1
        raise LineFault("invalid_json", "a whole number of more than 4,300 digits", column) from None


def _refuse_depth(text: str) -> None:
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return
    depth = 0
    for token in _TOKEN.finditer(text):
        mark = token.group()
        depth += (mark in "[{") - (mark in "]}")
        if depth > MAX_DEPTH:
            raise LineFault("invalid_json", f"nested deeper than {MAX_DEPTH} levels", token.start() + 1)


def _said(error: json.JSONDecodeError) -> str:
    return f"{error.msg[:1].lower()}{error.msg[1:]}"


def _hint(text: str, error: json.JSONDecodeError) -> str | None:
    if "\0" in text:
        return "it holds NUL characters: save the file as UTF-8, not as UTF-16"
    if "\r" in text.rstrip():
        return "lines end with LF or CR LF; this one holds a lone CR"
    if error.pos >= len(text.strip()) or "Unterminated" in error.msg:
        return "each row stands on one line; was the file cut off?"
    if error.msg == "Extra data":
        return "one row a line"
    return None
