"""Holm's correction for several tests at once.

S. Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Statist. 6 (1979) 65-70. Comparing the
adjusted p-values with a level keeps the chance of even one false alarm at that level, whatever the tests share.
"""

from __future__ import annotations

from collections.abc import Sequence


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """The adjusted p-values in the order given. None, a test that was not made, stays None and is not counted."""
    made = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    largest = 0.0
    for rank, (p, place) in enumerate(made):
        largest = max(largest, min(1.0, p * (len(made) - rank)))
        adjusted[place] = largest
    return adjusted
