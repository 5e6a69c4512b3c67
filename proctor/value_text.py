"""JSON values as JavaScript has them, above all as text.

A string is itself, and anything else is what JavaScript's ``JSON.stringify`` makes of it, but for two things: whole
numbers keep all their digits, and number-like names keep their place.
"""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final

from proctor.trajectory import JsonValue

_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_LONGEST: Final = 21
"""Digits before the point that ECMAScript writes without an exponent."""
_LARGE: Final = 10**307
"""A whole number from here on is larger than any double, or so large that a reader may take it for one."""


def value_text(value: JsonValue) -> str:
    """The text of a value."""
    return value if isinstance(value, str) else _json_text(value)


def number_text(value: float) -> str:
    """A number as ECMAScript writes it: ``1``, ``1000``, ``1e+21``, ``1e-7``. Those that JSON lacks are null."""
    if not math.isfinite(value):
        return "null"
    sign = "-" if value < 0 else ""
    digits, point = _shortest(abs(value))
    if 0 < point <= _LONGEST:
        whole, fraction = digits[:point].ljust(point, "0"), digits[point:]
        return f"{sign}{whole}.{fraction}" if fraction else sign + whole
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    mantissa = f"{digits[0]}.{digits[1:]}" if len(digits) > 1 else digits
    return f"{sign}{mantissa}e{point - 1:+d}"


def in_range(value: Any) -> Any:
    """The value with whole numbers that no double holds, or hardly one, as texts of their digits."""
    if isinstance(value, int) and not -_LARGE < value < _LARGE:
        return str(value)
    if isinstance(value, dict):
        return {key: in_range(entry) for key, entry in value.items()}
    return [in_range(entry) for entry in value] if isinstance(value, list) else value


def _shortest(value: float) -> tuple[str, int]:
    """The fewest digits that name a number, and the place of the point among them: 0.05 is ``5`` and -1."""
    mantissa, _, exponent = repr(value).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    return digits.rstrip("0") or "0", point if digits else 1


def _json_text(value: JsonValue) -> str:
    """Compact JSON."""
    if isinstance(value, str):
        return _string_text(value)
    if isinstance(value, dict):
        return "{" + ",".join([f"{_string_text(name)}:{_json_text(item)}" for name, item in value.items()]) + "}"
    if isinstance(value, list):
        return "[" + ",".join([_json_text(item) for item in value]) + "]"
    return number_text(value) if isinstance(value, float) else json.dumps(value)


def _string_text(text: str) -> str:
    """A string in quotes; of the characters beyond ASCII, only lone surrogates are escaped."""
    quoted = json.dumps(text, ensure_ascii=False)
    return _LONE_SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", quoted)
