"""Strict JSON (RFC 8259), from the bytes of a line to its value or to what is wrong with it and where.

Unlike in JavaScript, whole numbers keep all their digits. Escaped lone surrogates survive; of a repeated member the
last one counts.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from pydantic_core import from_json

from proctor.formats.strict_json.text import JsonFault, decoded, parsed, said, too_deep_at

MAX_DEPTH: Final = 200
"""Levels of arrays and objects."""

_SHORT: Final = 200
"""A line of so few bytes is neither nested too deeply, nor has a number with too many digits for a double."""
_SAME_DIGITS: Final = bytes.maketrans(b"123456789E", b"000000000e")
_MANY_DIGITS: Final = b"0" * _SHORT
_LARGE_EXPONENT: Final = re.compile(rb"[\s:,\[][-0][0.]*e\+?000")
"""A number with three digits behind its e, in a line whose digits are all 0."""


def read_json(data: bytes) -> Any:
    """The value of a line.

    Raises:
        JsonFault: it has none.
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
    text = decoded(data)
    if (at := too_deep_at(text, MAX_DEPTH)) is not None:
        raise _fault(f"nested deeper than {MAX_DEPTH} levels", at)
    try:
        return parsed(text)
    except json.JSONDecodeError as error:
        raise _fault(said(error), error.pos, _hint(text, error)) from None
    except JsonFault as fault:
        raise _fault(fault.message, fault.at, fault.hint) from None


def _fault(what: str, at: int, hint: str | None = None) -> JsonFault:
    return JsonFault("invalid_json", f"invalid JSON: {what} at column {at + 1:,}", at, hint)


def _hint(text: str, error: json.JSONDecodeError) -> str | None:
    if error.pos >= len(text.strip()):
        return "each record stands on one line; is the file cut off?"
    return "one record a line" if error.msg == "Extra data" else None
