"""Tests and intervals for a mean of paired differences, from no more than that each is as likely as its mirror image.

Around the true mean, every way to flip the signs of the differences is then equally likely (R. A. Fisher, "The design
of experiments" (1935), section 21). Flipping a part of them about a supposed mean leaves the sum as large as it was, or
larger, if the mean of that part is not above the supposed one. So the sorted means of all parts give the p-value of any
supposed mean, and the interval of those that are not rejected: J. A. Hartigan, "Using subsample values as typical
values", JASA 64 (1969) 1303-1317. Test and interval never contradict each other, and the interval holds the mean.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import getitem
from random import Random
from typing import Final

EXACT_UP_TO: Final = 14
"""The number of differences up to which all their parts are taken."""

DRAWN_PAIRS: Final = 2 ** (EXACT_UP_TO - 1) - 1
"""Beyond that, the parts that are drawn, each together with the rest that it leaves."""

SEED: Final = 1935
TIE: Final = 1e-9
"""Means that differ by less than this share of the largest difference are taken as equal."""

_BITS: Final = 8


@dataclass(frozen=True, slots=True)
class TypicalValues:
    """The means of the parts, ascending. Each gap between neighbours, and each end, holds the true mean equally often.

    ``tie`` is the distance below which two of them count as equal.
    """

    means: Sequence[float]
    tie: float

    @property
    def flips(self) -> int:
        """The number of ways to flip signs that were looked at; one of them is to flip none."""
        return len(self.means) + 1

    def p_above(self, supposed: float) -> float:
        """The one-sided p-value of a true mean of ``supposed`` or less: small if the true one is above."""
        return (1 + bisect_right(self.means, supposed + self.tie)) / self.flips

    def p_below(self, supposed: float) -> float:
        """The one-sided p-value of a true mean of ``supposed`` or more: small if the true one is below."""
        return (1 + len(self.means) - bisect_left(self.means, supposed - self.tie)) / self.flips

    def p_value(self, supposed: float = 0.0) -> float:
        """The two-sided p-value of a true mean of ``supposed``."""
        return min(1.0, 2 * self.p_above(supposed), 2 * self.p_below(supposed))

    def interval(self, level: float = 0.05) -> tuple[float, float] | None:
        """The means that are not rejected at ``level``, with their ends; None if so few differences reject none."""
        outside = int(level / 2 * self.flips + TIE)
        return (self.means[outside - 1], self.means[-outside]) if outside else None


def typical_values(differences: Sequence[float]) -> TypicalValues:
    """The typical values of at least one difference.

    Up to `EXACT_UP_TO` differences they are all there are, so that p-values are exact. Beyond, they are drawn with a
    fixed seed: they depend on the order of the differences, and are mirrored if all differences are.

    Raises:
        ValueError: there is no difference.
    """
    if not differences:
        raise ValueError("no differences")
    means = _all_means(differences) if len(differences) <= EXACT_UP_TO else _drawn_means(differences)
    return TypicalValues(sorted(means), TIE * max(map(abs, differences)))


def _all_means(differences: Sequence[float]) -> Iterator[float]:
    sums = _subset_sums(differences)
    return (sums[subset] / subset.bit_count() for subset in range(1, len(sums)))


def _drawn_means(differences: Sequence[float]) -> Iterator[float]:
    """The mean of everything, and of parts with the rest that each leaves."""
    n, total = len(differences), sum(differences)
    tables = [_subset_sums(differences[start : start + _BITS]) for start in range(0, n, _BITS)]
    source = Random(SEED)  # noqa: S311
    yield total / n
    for _ in range(DRAWN_PAIRS):
        subset = source.randrange(1, 2**n - 1)
        part, size = sum(map(getitem, tables, subset.to_bytes(len(tables), "little"))), subset.bit_count()
        yield part / size
        yield (total - part) / (n - size)


def _subset_sums(values: Sequence[float]) -> list[float]:
    """The sum of each subset, at the number whose bits tell its members."""
    sums = [0.0]
    for value in values:
        sums += [before + value for before in sums]
    return sums
