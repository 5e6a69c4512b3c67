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
from proctor.formats.strict_json.text import JsonFault, decoded, said, too_deep_at

MAX_DEPTH: Final = 500
"""Levels of lists and objects. Python's own limit depends on who is calling."""

_GZIP: Final = b"\x1f\x8b"
_LONG_NUMBER: Final = re.compile(r"\d{4301,}")


class Blank(Enum):
    """The value of a line that holds nothing but white space."""

    BLANK = 0


BLANK: Final = Blank.BLANK


def read_line(data: bytes | None) -> Any:
    """The JSON value of a line; `BLANK` for a blank one. None is a line that was too long to be kept.

    Raises:
        JsonFault: it has no value.
    """
    if data is None:
        raise JsonFault("too_large", f"the line has more than {MAX_LINE:,} bytes", 0, "split the row, or shorten it")
    try:
        return from_json(data, cache_strings="keys")
    except ValueError:
        return _read_slowly(data)


def line_text(data: bytes) -> str:
    """The characters of a line that could be read."""
    return data.decode("utf-8")


def _read_slowly(data: bytes) -> Any:
    """The fast reader refuses lone surrogates and 200 levels, and tells places in its own way."""
    text = decoded(data, "it is compressed: unpack it first" if data.startswith(_GZIP) else "save the file as UTF-8")
    start = len(text) - len(text.lstrip())
    if start == len(text):
        return BLANK
    if (at := too_deep_at(text, MAX_DEPTH)) is not None:
        raise JsonFault("invalid_json", f"nested deeper than {MAX_DEPTH} levels", at)
    try:
        return json.loads(text.strip())
    except json.JSONDecodeError as error:
        raise JsonFault("invalid_json", f"no JSON: {said(error)}", start + error.pos, _hint(text, error)) from None
    except RecursionError:
        raise JsonFault("invalid_json", "nested too deep to be read here", 0) from None
    except ValueError:
        number = _LONG_NUMBER.search(text)
        at = number.start() if number else 0
        raise JsonFault("invalid_json", "a whole number of more than 4,300 digits", at) from None


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
