"""The smallest drop of a pass rate that a test finds with a stated power: what "no regression found" is worth.

Power is computed by enumeration, not by a normal approximation, which is poor near rates of 1. A sum over the counts of
one run or over the numbers of changed pairs puts neighbours together until they hold 1/32 of the probability; short
sums are exact. A drop counts as found if the p-value is at most ``level`` and the rate is lower than before. With
several dimensions, pass the level that is left for one of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import accumulate
from math import fsum
from typing import Final

from proctor.statistics.distribution import Distribution, binomial
from proctor.statistics.fisher import fisher_exact

LUMP: Final = 1 / 32
"""The probability from which a count, or neighbouring counts together, are enumerated on their own."""

STEPS: Final = 20
"""Halvings of the range of drops: the answer is right to a millionth."""


def detectable_drop_unpaired(rate: float, n_before: int, n_now: int, level: float, power: float) -> float | None:
    """The smallest drop from ``rate`` that Fisher's exact test finds with ``power``; None if it finds none.

    Both runs are taken as samples: the earlier one of ``n_before`` rows that pass at ``rate``, the new one of ``n_now``
    rows that pass at the lower rate.
    """
    if n_before == 0:
        return None
    limits = _passes_that_show(rate, n_before, n_now, level)

    def found(drop: float) -> float:
        now = binomial(n_now, rate - drop)
        at_most = list(accumulate(now.chances))
        return fsum(chance * _up_to(at_most, limit - now.first) for limit, chance in limits)

    return _smallest(found, rate, power)


def detectable_drop_paired(
    rate_before: float, shared: int, level: float, power: float, churn: float = 0.0
) -> float | None:
    """The smallest drop from ``rate_before`` that McNemar's exact test finds with ``power``; None if it finds none.

    ``churn`` is the share of the ``shared`` rows that are won by chance; as many are lost by chance, besides the drop.
    An agent that is not deterministic has some: the smaller of the lost and won rows, divided by the shared ones, is a
    fair guess. With 0 all that changes is lost, and the drop is the smallest that could show at best.
    """

    def found(drop: float) -> float:
        changed = 2 * churn + drop
        parts = []
        for pairs, chance in _lumps(binomial(shared, changed)):
            needed = losses_that_show(pairs, level)
            if needed is not None:
                parts.append(chance * binomial(pairs, (churn + drop) / changed).at_least(needed))
        return fsum(parts)

    return _smallest(found, min(rate_before - churn, 1 - 2 * churn), power)


@lru_cache(maxsize=4096)
def losses_that_show(pairs: int, level: float) -> int | None:
    """The fewest losses among ``pairs`` changed pairs that McNemar's test finds at ``level``; None if none do."""
    halves = binomial(pairs, 0.5)
    needed = None
    tail = 0.0
    for losses in range(halves.first + len(halves.chances) - 1, pairs // 2, -1):
        tail += halves.chances[losses - halves.first]
        if 2 * tail > level:
            break
        needed = losses
    return needed


def _passes_that_show(rate: float, n_before: int, n_now: int, level: float) -> list[tuple[int, float]]:
    """For the counts before, by probability: the most passes now that are found to be fewer; -1 if none are."""
    limits = []
    gap = 1
    for passed, chance in _lumps(binomial(n_before, rate)):
        equal = -(-passed * n_now // n_before)
        limit = _most_passes_that_show(passed, n_before, n_now, level, guess=equal - gap, equal=equal)
        gap = equal - limit
        limits.append((limit, chance))
    return limits


def _most_passes_that_show(passed: int, n_before: int, n_now: int, level: float, guess: int, equal: int) -> int:
    def shows(now: int) -> bool:
        return fisher_exact(passed, n_before - passed, now, n_now - now) <= level

    return _last_true(shows, max(0, guess), equal)


def _last_true(holds: Callable[[int], bool], guess: int, end: int) -> int:
    """The largest number below ``end`` up to which ``holds`` is true, -1 if for none; quick if ``guess`` is near it."""
    low, high = -1, end
    step = 1
    place = guess
    while low < place < high:
        if holds(place):
            low, place = place, place + step
        else:
            high, place = place, place - step
        step *= 2
    while high - low > 1:
        middle = (low + high) // 2
        if holds(middle):
            low = middle
        else:
            high = middle
    return low


def _lumps(counts: Distribution) -> list[tuple[int, float]]:
    """The distribution as (count, probability), with neighbours put together at the middle of what they hold."""
    lumps: list[tuple[int, float]] = []
    weight = moment = 0.0
    for count, chance in enumerate(counts.chances, counts.first):
        weight += chance
        moment += chance * count
        if weight >= LUMP:
            lumps.append((round(moment / weight), weight))
            weight = moment = 0.0
    if weight:
        lumps.append((round(moment / weight), weight))
    return lumps


def _up_to(at_most: list[float], place: int) -> float:
    return at_most[min(place, len(at_most) - 1)] if place >= 0 else 0.0


def _smallest(found: Callable[[float], float], highest: float, power: float) -> float | None:
    if highest <= 0 or found(highest) < power:
        return None
    low, high = 0.0, highest
    for _ in range(STEPS):
        middle = (low + high) / 2
        if found(middle) < power:
            low = middle
        else:
            high = middle
    return high
