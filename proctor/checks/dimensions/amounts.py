"""Amounts of money and time in rows: read as the decimal numbers that the file shows, never as binary fractions.

The parser has made a double of a number with a point. Its shortest decimal spelling is the number as it was written
(up to 17 significant digits), so 0.0041 seconds are 4.1 milliseconds, exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from typing import Final

from proctor.checks.dimensions.base import Row, RowIssue
from proctor.checks.dimensions.row_fields import wrong_kind
from proctor.excerpt import shorten

EXACT: Final = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)
"""Adds and multiplies without rounding. A division with it would ask for all memory there is."""

# Doubles end at 1.8E+308.
_LARGEST_EXPONENT: Final = 309


_NUMBERS: Final = frozenset((int, float))


def is_amount(value: object) -> bool:
    """Whether a value is a number of at least zero. Infinity is: it is over any budget."""
    return type(value) in _NUMBERS and value >= 0  # type: ignore[operator]


def amount(value: object) -> Decimal | None:
    """The number as a decimal; None for what is no amount."""
    if not is_amount(value):
        return None
    return Decimal(repr(value)) if type(value) is float else Decimal(value)  # type: ignore[arg-type]


def amount_issue(pointer: tuple[str | int, ...], value: object) -> RowIssue | None:
    """What hinders a value from being an amount."""
    if is_amount(value):
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return wrong_kind(pointer, value, "a number", "write the number without quotes or unit")
    message = "must not be negative" if value < 0 else "is not a number (NaN)"
    return RowIssue("bad_value", pointer, message, "record what was measured")


def field_issues(row: Row, field: str) -> Iterator[RowIssue]:
    """What hinders a field, if the row has it, from being an amount. Null is no measurement, and not an absent one."""
    if field in row and (issue := amount_issue((field,), row[field])) is not None:
        yield issue


def shown(value: Decimal) -> str:
    """The amount for a reader, in full: ``0.0119``, ``100``, ``1E+300``."""
    if not value.is_finite() or not -9 <= value.adjusted() <= 20:
        return shorten(str(value), 60)
    text = f"{value:f}"
    return shorten(text.rstrip("0").rstrip(".") if "." in text else text, 60)


def rounded(value: Decimal, step: Decimal) -> float:
    """The amount to a multiple of ``step``, ties to even, as a float; infinite where a double cannot hold it."""
    if value.is_finite() and value.adjusted() < _LARGEST_EXPONENT:
        value = EXACT.quantize(value, step)
    return float(value)
