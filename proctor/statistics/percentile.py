"""A percentile that is one of the measured values."""

from __future__ import annotations

from collections.abc import Sequence


def percentile(ordered: Sequence[float], q: float) -> float:
    """The value at rank ``q * (n - 1)`` of ascending values, halves to the even rank; 0 for no values.

    This is the rule of Assevra 0.6. ``q`` is a share from 0 to 1; nothing is interpolated.
    """
    return ordered[round(q * (len(ordered) - 1))] if ordered else 0.0
