"""Strict JSON (RFC 8259), from the bytes of a line to its value or to what is wrong with it and where.

Unlike in JavaScript, whole numbers keep all their digits. Escaped lone surrogates survive; of a repeated member the
last one counts.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final

from pydantic_core import from_json

from proctor.formats.assevra.row_text import LineFault

MAX_DEPTH: Final = 200
"""Levels of arrays and objects."""

_TOKEN: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]|[^\s,:\[\]{}"]+', re.DOTALL)
_SHORT: Final = 200
"""A line of so few bytes is neither nested too deeply, nor has a number with too many digits for a double."""
_SAME_DIGITS: Final = bytes.maketrans(b"123456789E", b"000000000e")
_MANY_DIGITS: Final = b"0" * _SHORT
_LARGE_EXPONENT: Final = re.compile(rb"[\s:,\[][-0][0.]*e\+?000")
"""A number with three digits behind its e, in a line whose digits are all 0."""


def read_json(data: bytes) -> Any:
    """The value of a line.

    Raises:
        LineFault: it has none.
    """
    if _is_usual(data):
        try:
            return from_json(data, allow_inf_nan=False, cache_strings="keys")
        except ValueError:
            pass  # it may still be right: the fast reader takes no lone surrogates
    return _read_slowly(data)


def _is_usual(data: bytes) -> bool:
    """Whether a line cannot hold what the fast reader takes and should not: deep nesting, and numbers without end."""
    shape = data.translate(_SAME_DIGITS)
    if len(data) > _SHORT and (data.count(b"[") + data.count(b"{") > MAX_DEPTH or _MANY_DIGITS in shape):
        return False
    if b"e000" in shape or b"e+000" in shape:  # ids and hashes in hex digits have that too
        return data[:1] == b"{" and not _LARGE_EXPONENT.search(shape)
    return True


def _read_slowly(data: bytes) -> Any:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        column = len(data[: error.start].decode("utf-8")) + 1
        message = f"byte 0x{data[error.start]:02X} is not UTF-8 text"
        raise LineFault("invalid_utf8", message, column, "save the file as UTF-8") from None
    _refuse_depth(text)
    try:
        return json.loads(text, parse_float=_number, parse_int=_number, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        said = error.msg[:1].lower() + error.msg[1:].removesuffix(" at")
        raise _fault(said, error.pos, _hint(text, error)) from None
    except _Refused as refused:
        raise _refused(text, str(refused)) from None


class _Refused(Exception):
    """A number that is none in JSON, or one that no double holds."""


def _number(literal: str) -> int | float:
    number = float(literal)
    if math.isinf(number):
        raise _Refused(literal)
    return number if "." in literal or "e" in literal or "E" in literal else int(literal)


def _refuse(literal: str) -> None:
    raise _Refused(literal)


def _refused(text: str, literal: str) -> LineFault:
    place = next((token.start() for token in _TOKEN.finditer(text) if token.group() == literal), 0)
    if literal[-1].isdigit():
        shown = literal if len(literal) <= 20 else f"{literal[:20]}…"
        return _fault(f"the number {shown} is larger than any that a double holds", place)
    return _fault(f"{literal} is no JSON number", place, "write null, or leave the member out")


def _refuse_depth(text: str) -> None:
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return
    depth = 0
    for token in _TOKEN.finditer(text):
        mark = token.group()
        depth += (mark in "[{") - (mark in "]}")
        if depth > MAX_DEPTH:
            raise _fault(f"nested deeper than {MAX_DEPTH} levels", token.start())


def _fault(what: str, position: int, hint: str | None = None) -> LineFault:
    column = position + 1
    return LineFault("invalid_json", f"invalid JSON: {what} at column {column:,}", column, hint)


def _hint(text: str, error: json.JSONDecodeError) -> str | None:
    if error.pos >= len(text.strip()):
        return "each record stands on one line; is the file cut off?"
    return "one record a line" if error.msg == "Extra data" else None
