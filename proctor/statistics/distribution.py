"""Distributions with one peak, built outwards from it by the ratios of neighbours.

No factorial and no logarithm is needed, so the relative error stays near 1e-12 for any size.
"""

from __future__ import annotations

from collections.abc import Callable
from math import fsum
from typing import NamedTuple

NEGLIGIBLE = 1e-20
"""A weight, relative to the peak, that no power or quantile can notice."""


class Distribution(NamedTuple):
    """Probabilities of consecutive numbers from ``first`` on; those left out at the ends are too small to matter."""

    first: int
    chances: list[float]

    def at_most(self, number: int) -> float:
        """The probability of ``number`` or less."""
        return min(1.0, fsum(self.chances[: max(0, number - self.first + 1)]))

    def at_least(self, number: int) -> float:
        """The probability of ``number`` or more."""
        return min(1.0, fsum(self.chances[max(0, number - self.first) :]))


def from_ratios(
    low: int, high: int, peak: int, up: Callable[[int], float], down: Callable[[int], float], cut: float
) -> Distribution:
    """The distribution on ``low..high``.

    ``up(x)`` is the weight of x + 1 relative to that of x, ``down(x)`` that of x - 1. ``cut`` is the weight, relative
    to that of the peak, below which an end is left out; with 0 everything stays that a float can hold.
    """
    right = _walk(up, range(peak, high), cut)
    left = _walk(down, range(peak, low, -1), cut)
    weights = [*reversed(left), 1.0, *right]
    total = fsum(weights)
    return Distribution(peak - len(left), [weight / total for weight in weights])


def _walk(ratio: Callable[[int], float], places: range, cut: float) -> list[float]:
    weights = []
    weight = 1.0
    for place in places:
        weight *= ratio(place)
        if weight <= cut:
            break
        weights.append(weight)
    return weights


def binomial(trials: int, chance: float, cut: float = NEGLIGIBLE) -> Distribution:
    """The number of successes in ``trials`` independent trials that each succeed with ``chance``."""
    if chance <= 0:
        return Distribution(0, [1.0])
    if chance >= 1:
        return Distribution(trials, [1.0])
    odds = chance / (1 - chance)
    peak = min(trials, int((trials + 1) * chance))
    return from_ratios(
        0,
        trials,
        peak,
        lambda x: (trials - x) / (x + 1) * odds,
        lambda x: x / ((trials - x + 1) * odds),
        cut,
    )
