"""Several runs of one probe set: the mean of a metric, and how far it spreads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from math import fsum, sqrt


@dataclass(frozen=True, slots=True)
class Spread:
    """``stddev`` is the sample standard deviation, with n - 1 in the denominator; 0 for one run."""

    n: int
    mean: float
    stddev: float

    def __str__(self) -> str:
        """Percent with one digit, such as ``95.0% ±1.6``; the band is left out if it is exactly 0."""
        band = f" ±{_percent(self.stddev)}" if self.stddev else ""
        return f"{_percent(self.mean)}%{band}"


def spread_of(values: Sequence[float]) -> Spread | None:
    """The spread of a metric over runs; None without any: the mean of nothing is absent.

    Equal values have their value as mean and no spread, not one of rounding.
    """
    n = len(values)
    if not n:
        return None
    mean = min(max(values), max(min(values), fsum(values) / n))
    squares = fsum((value - mean) ** 2 for value in values)
    return Spread(n, mean, sqrt(squares / (n - 1)) if n > 1 else 0.0)


def _percent(share: float) -> str:
    """Halves are rounded up, as the original prints them."""
    return str(Decimal(share * 100).quantize(Decimal("0.1"), ROUND_HALF_UP))
