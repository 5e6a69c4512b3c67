"""Quantiles of Student's t distribution, which stands for the normal one where the variance is estimated from few.

M. Abramowitz and I. A. Stegun, "Handbook of mathematical functions" (1964): the finite series 26.7.3 and 26.7.4 for
few degrees of freedom, the expansion 26.7.5 for many.
"""

from __future__ import annotations

from functools import lru_cache
from math import cos, erf, pi, sin, sqrt, tan
from typing import Final

SERIES_UP_TO: Final = 100
"""The degrees of freedom up to which the series is used; beyond, the expansion is as good."""


@lru_cache(maxsize=1024)
def t_quantile(degrees: int, z: float) -> float:
    """The quantile of t that leaves the same chance in its tails as ``z`` does in those of the standard normal.

    ``degrees`` of freedom are at least 1 and ``z`` is positive, up to 3.5: 99.95 %.
    The relative error is below 1e-8.
    """
    if degrees > SERIES_UP_TO:
        return _expansion(degrees, z)
    inside = erf(z / sqrt(2))
    low, high = 0.0, pi / 2
    for _ in range(64):
        middle = (low + high) / 2
        if _inside(middle, degrees) < inside:
            low = middle
        else:
            high = middle
    return sqrt(degrees) * tan(low)


def _inside(angle: float, degrees: int) -> float:
    """The chance of a value between -t and t, where t is the square root of ``degrees`` times the angle's tangent."""
    odd = degrees % 2
    square = cos(angle) ** 2
    term = cos(angle) if odd else 1.0
    total = 0.0
    for power in range(1 + odd, degrees, 2):
        total += term
        term *= square * power / (power + 1)
    total *= sin(angle)
    return (angle + total) * 2 / pi if odd else total


def _expansion(degrees: int, z: float) -> float:
    square = z * z
    first = z * (square + 1) / 4
    second = z * ((5 * square + 16) * square + 3) / 96
    third = z * (((3 * square + 19) * square + 17) * square - 15) / 384
    fourth = z * ((((79 * square + 776) * square + 1482) * square - 1920) * square - 945) / 92160
    return z + (first + (second + (third + fourth / degrees) / degrees) / degrees) / degrees
