"""The Wilson score interval for a share.

E. B. Wilson, "Probable inference, the law of succession, and statistical inference", JASA 22 (1927) 209-212.
"""

from __future__ import annotations

from math import sqrt
from typing import Final

Z_95: Final = 1.959963984540054
"""The 97.5 % quantile of the standard normal distribution: the interval holds 95 %."""


def wilson(passed: int, total: int, z: float = Z_95) -> tuple[float, float]:
    """The interval for a share of ``passed`` in ``total``; (0, 1) for nothing, and exact at 0 and at all."""
    if total == 0:
        return 0.0, 1.0
    square = z * z
    centre = passed + square / 2
    spread = z * sqrt(passed * (total - passed) / total + square / 4)
    low = 0.0 if passed == 0 else (centre - spread) / (total + square)
    high = 1.0 if passed == total else (centre + spread) / (total + square)
    return low, high
