"""One spelling for each JSON value, so that it can be signed: the JSON Canonicalization Scheme (RFC 8785).

Members are sorted by the UTF-16 code units of their names, nothing stands between the tokens, text is UTF-8, and
numbers are IEEE 754 doubles spelt as ECMAScript spells them: 1, 1.0 and 10e-1 are one value.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any, Final

from proctor.errors import UsageError

_LITERALS: Final = {None: "null", True: "true", False: "false"}
_spell_text = json.JSONEncoder(ensure_ascii=False).encode  # escapes just what RFC 8785 escapes, and in the same way


def canonicalize(value: Any) -> bytes:
    """Spell a JSON value in its canonical form.

    Raises:
        UsageError: it holds NaN, an infinity, an integer that is no double, or a lone surrogate, or is nested too
            deeply.
        TypeError: it holds something that JSON does not know.
    """
    return encode(lambda: _spell(value))


def encode(spell: Callable[[], str], *, surrogates: str = "strict") -> bytes:
    """Encode what ``spell`` gives as UTF-8. ``surrogates`` says how lone ones are encoded: an error handler's name.

    Raises:
        UsageError: it holds a lone surrogate, or the value that it spells is nested too deeply.
    """
    try:
        return spell().encode(errors=surrogates)
    except UnicodeEncodeError as error:
        raise UsageError(
            f"the document holds half of a character (the lone surrogate U+{ord(error.object[error.start]):04X}),"
            " which cannot be signed",
            hint="replace it where the text comes from: it is no Unicode text",
        ) from error
    except RecursionError as error:
        raise UsageError("the document is nested too deeply to be signed") from error


def spell_number(number: float) -> str:
    """Spell a number as ECMAScript does: with the fewest digits that give the same double.

    Raises:
        UsageError: it is not finite, or an integer that is neither a double nor what a double is spelt as.
    """
    try:
        double = float(number)
    except OverflowError:
        double = math.inf
    if not math.isfinite(double):
        raise _rounded() if isinstance(number, int) else _no_number(number)
    spelling = _spell_double(double)
    if double != number and spelling != str(number):
        raise _rounded()
    return spelling


def _spell_double(double: float) -> str:
    if double == 0:
        return "0"
    mantissa, _, exponent = repr(abs(double)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(digits) - len(fraction) + int(exponent or 0)
    return ("-" if double < 0 else "") + _place(digits.rstrip("0"), point)


def _spell(value: Any) -> str:
    if isinstance(value, str):
        return _spell_text(value)
    if value is None or isinstance(value, bool):
        return _LITERALS[value]
    if isinstance(value, int | float):
        return spell_number(value)
    if isinstance(value, dict):
        return f"{{{','.join(_spell_text(key) + ':' + _spell(value[key]) for key in sorted(value, key=_code_units))}}}"
    if isinstance(value, list | tuple):
        return f"[{','.join(map(_spell, value))}]"
    raise TypeError(f"{type(value).__name__} is no JSON value")


def _code_units(name: str) -> bytes:
    return name.encode("utf-16-be", "surrogatepass")


def _place(digits: str, point: int) -> str:
    """Write digits with the decimal point after ``point`` of them, or with an exponent where that is far away.

    Source: ECMA-262, Number::toString, steps 6 to 10.
    """
    if len(digits) <= point <= 21:
        return digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"0.{'0' * -point}{digits}"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{fraction}e{point - 1:+d}"


def _no_number(number: float) -> UsageError:
    return UsageError(
        f"the document holds {json.dumps(number)}, which is no JSON number", hint="write it as a text, or null"
    )


def _rounded() -> UsageError:
    return UsageError(
        "the document holds an integer that readers would round, so a signature would not cover its last digits",
        hint="write integers beyond 9007199254740992 as texts",
    )
