"""How far two raters agree on the points of a scale beyond what chance would give: far apart is worse than close by.

J. Cohen, "Weighted kappa", Psychol. Bull. 70 (1968) 213-220, with linear weights: 1 less the mean distance of the two
ratings of a thing over the mean distance of any rating of one rater to any of the other. The distance is that of the
points themselves, so a rating may be a fraction; for whole points this is what the usual table of weights gives.

The interval is that of the linearised estimate, summed up by cluster: the ratings of one answer are alike. For single
pairs it is the large-sample variance of J. Fleiss, J. Cohen and B. Everitt (Psychol. Bull. 72 (1969) 323-327), with
Student's t for the number of clusters. Few clusters in full agreement show no variance at all. So it is taken with half
a cluster of average size that agrees throughout, and half a one that is a point apart throughout, added to the data. In
simulated ratings of 3 to 50 answers on four criteria, with kappa from 0.33 to 0.91, it holds the true one in 92 % to
100 % of samples; a percentile bootstrap of the same answers in 59 % to 95 %.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum, sqrt
from typing import Final, NamedTuple, TypeAlias

from proctor.statistics.students_t import t_quantile
from proctor.statistics.wilson import Z_95

Pair: TypeAlias = tuple[float, float]
"""What two raters gave the same thing."""

PRIOR: Final = 0.5
"""The number of clusters that agree, and of ones a point apart, added for the variance only."""


class KappaInterval(NamedTuple):
    """Weighted kappa and its 95 % interval, within -1 and 1."""

    kappa: float
    low: float
    high: float


def weighted_kappa(pairs: Iterable[Pair]) -> float | None:
    """Linearly weighted kappa; None without pairs, and where both raters gave one and the same rating throughout.

    It is 0 if only one of both gave the same rating throughout: such a rater tells nothing apart.
    """
    listed = list(pairs)
    chance = _Chance.of(listed)
    return None if chance is None else 1 - _mean_distance(listed) / chance.distance


def weighted_kappa_interval(clusters: Iterable[Sequence[Pair]], z: float = Z_95) -> KappaInterval | None:
    """Weighted kappa over the pairs of all clusters, with its interval; None where it is undefined.

    The interval leaves nearly everything open for one cluster, however many pairs it has.
    """
    filled = [cluster for cluster in clusters if cluster]
    pairs = [pair for cluster in filled for pair in cluster]
    chance = _Chance.of(pairs)
    if chance is None:
        return None
    kappa = 1 - _mean_distance(pairs) / chance.distance
    spread = t_quantile(max(1, len(filled) - 1), z) * _standard_error(filled, pairs, chance)
    return KappaInterval(kappa, max(-1.0, kappa - spread), min(1.0, kappa + spread))


class _Chance(NamedTuple):
    """What raters who know nothing of each other would be apart.

    ``distance`` is the mean over all pairs of a first and a second rating; ``from_first`` and ``from_second`` the mean
    distance of a rating of one rater to those of the other.
    """

    distance: float
    from_first: Mapping[float, float]
    from_second: Mapping[float, float]

    @classmethod
    def of(cls, pairs: Sequence[Pair]) -> _Chance | None:
        """None if there is no distance: no pairs, or one and the same rating throughout."""
        first, second = Counter(pair[0] for pair in pairs), Counter(pair[1] for pair in pairs)
        if len(first.keys() | second.keys()) < 2:
            return None
        from_first = {rating: _mean_from(rating, second) for rating in first}
        from_second = {rating: _mean_from(rating, first) for rating in second}
        return cls(
            fsum(from_first[rating] * times for rating, times in first.items()) / len(pairs), from_first, from_second
        )


def _mean_from(rating: float, others: Counter[float]) -> float:
    return fsum(abs(rating - other) * times for other, times in others.items()) / others.total()


def _mean_distance(pairs: Sequence[Pair]) -> float:
    return fsum(abs(first - second) for first, second in pairs) / len(pairs)


def _standard_error(clusters: Sequence[Sequence[Pair]], pairs: Sequence[Pair], chance: _Chance) -> float:
    size = sum(len(cluster) ** 2 for cluster in clusters) / len(pairs)
    weight = len(pairs) + 2 * PRIOR * size
    distance = (_mean_distance(pairs) * len(pairs) + PRIOR * size) / weight
    influence = _influence(distance, chance)
    of_data = fsum(fsum(map(influence, cluster)) ** 2 for cluster in clusters)
    of_prior = PRIOR * (size / chance.distance) ** 2 * (distance**2 + (1 - distance) ** 2)
    number = len(clusters) + 2 * PRIOR
    return sqrt(number / (number - 1) * (of_data + of_prior)) / weight


def _influence(distance: float, chance: _Chance) -> Callable[[Pair], float]:
    """How much a pair moves kappa, times the number of pairs, where the raters are ``distance`` apart."""
    share = distance / chance.distance

    def influence(pair: Pair) -> float:
        by_chance = chance.from_first[pair[0]] + chance.from_second[pair[1]] - 2 * chance.distance
        return (distance - abs(pair[0] - pair[1]) + share * by_chance) / chance.distance

    return influence
