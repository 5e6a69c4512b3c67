"""Fisher's exact test of whether two runs with rows that are not paired pass at the same rate.

R. A. Fisher, "Statistical methods for research workers", 5th edition (1934). Given all four totals, the passes of one
run are hypergeometric if the rates are equal. The two-sided p-value adds up the tables that are no more probable than
the one seen, as R and SciPy do.
"""

from __future__ import annotations

from math import comb
from typing import Final

from proctor.statistics.distribution import Distribution, from_ratios

EXACT_UP_TO: Final = 1_000
"""The number of rows of both runs up to which tables are compared and summed as whole numbers."""

TIE: Final = 1 + 1e-10
"""Beyond that, tables whose probabilities differ by less than this factor are taken as equally probable."""


def fisher_exact(passed_before: int, failed_before: int, passed_now: int, failed_now: int) -> float:
    """The two-sided p-value; 1 if a run has no rows.

    It is the correctly rounded quotient of two integers up to `EXACT_UP_TO` rows, has a relative error near 1e-11
    beyond, and is 0 where it is below 1e-300.
    """
    before = passed_before + failed_before
    now = passed_now + failed_now
    passed = passed_before + passed_now
    if before + now <= EXACT_UP_TO:
        return _by_counting(before, now, passed, passed_before)
    tables = _tables(before, now, passed)
    place = passed_before - tables.first
    if not 0 <= place < len(tables.chances):
        return 0.0
    limit = tables.chances[place] * TIE
    return min(1.0, sum(chance for chance in tables.chances if chance <= limit))


def _by_counting(before: int, now: int, passed: int, seen: int) -> float:
    lowest, highest = max(0, passed - now), min(before, passed)
    ways = [comb(before, lowest) * comb(now, passed - lowest)]
    for x in range(lowest, highest):
        ways.append(ways[-1] * ((before - x) * (passed - x)) // ((x + 1) * (now - passed + x + 1)))
    limit = ways[seen - lowest]
    return sum(way for way in ways if way <= limit) / comb(before + now, passed)


def _tables(before: int, now: int, passed: int) -> Distribution:
    spare = now - passed
    return from_ratios(
        low=max(0, passed - now),
        high=min(before, passed),
        peak=(before + 1) * (passed + 1) // (before + now + 2),
        up=lambda x: (before - x) * (passed - x) / ((x + 1) * (spare + x + 1)),
        down=lambda x: x * (spare + x) / ((before - x + 1) * (passed - x + 1)),
        cut=0.0,
    )
