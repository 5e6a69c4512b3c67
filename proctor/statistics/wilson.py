"""The Wilson score interval for a share.

E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927) 209-212.
"""

from __future__ import annotations

from math import sqrt
from typing import Final

Z_95: Final = 1.959963984540054
"""The 97.5 % quantile of the standard normal distribution: the interval holds 95 %."""

Z_REPORTED: Final = 1.96
"""The rounded quantile of Assevra 0.6."""


def wilson(passed: float, total: float, z: float = Z_95) -> tuple[float, float]:
    """The interval for a share of ``passed`` in ``total``; (0, 1) for nothing, and exact at 0 and at all.

    Counts may be fractions: an effective number of rows is one.
    """
    if total == 0:
        return 0.0, 1.0
    square = z * z
    centre = passed + square / 2
    spread = z * sqrt(passed * (total - passed) / total + square / 4)
    low = 0.0 if passed == 0 else (centre - spread) / (total + square)
    high = 1.0 if passed == total else (centre + spread) / (total + square)
    return low, high


def wilson_reported(passed: int, total: int) -> tuple[float, float]:
    """The interval as Assevra 0.6 reports it for a dimension: with `Z_REPORTED`, and (0, 0) for nothing."""
    return wilson(passed, total, Z_REPORTED) if total else (0.0, 0.0)
