"""Two adapters on the same probes: how far apart they are on a metric, and whether that can be told from chance.

A probe is one observation, however often it is run: its runs are averaged first, and whole probes are flipped. For a
metric that is 0 or 1 in every probe this is McNemar's test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, fsum, isfinite, sqrt
from typing import Final, NamedTuple, TypeAlias

from proctor.category_scores import Comparison
from proctor.excerpt import quote
from proctor.statistics.mcnemar import mcnemar_exact
from proctor.statistics.sign_flip import typical_values
from proctor.statistics.wilson import Z_95

Values: TypeAlias = Mapping[str, Sequence[float]]
"""The values of a metric per run, by probe."""

FEWEST_PROBES: Final = 10
"""With fewer shared probes, nothing is told."""

LEVEL: Final = 0.05

_POWER: Final = 0.8416212335729143
"""The 80 % quantile of the standard normal distribution."""


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """The difference between two adapters over the ``probes`` that both have.

    ``difference`` is the mean of the second less the mean of the first, in the unit of the metric. ``interval`` holds
    95 %; it is None for fewer than 6 probes, and where all differ by the same, which says nothing of the spread. ``p``
    is two-sided. All three are None without a shared probe. ``unpaired`` names the probes for which not both have a
    value. ``needed`` is about the number of probes with which a difference of this size would be found with a power of
    80 %, None if there is no difference.
    """

    probes: int
    difference: float | None
    interval: tuple[float, float] | None
    p: float | None
    unpaired: tuple[str, ...] = ()
    needed: int | None = None

    def outcome(self, p: float | None, *, lower_is_better: bool = False, level: float = LEVEL) -> Comparison:
        """How the second adapter stands, by a p-value: the own one, or that after a correction for several tests.

        Inconclusive too with fewer than `FEWEST_PROBES`, and with a probe for which not both have a value.
        """
        can_tell = self.probes >= FEWEST_PROBES and not self.unpaired
        if not can_tell or p is None or p > level or not self.difference:
            return Comparison.INCONCLUSIVE
        return Comparison.BETTER if (self.difference > 0) is not lower_is_better else Comparison.WORSE


class Pairing(NamedTuple):
    """The probes for which both adapters have a value, with their differences, and the others."""

    differences: Mapping[str, float]
    unpaired: tuple[str, ...]


def pair(first: Values, second: Values) -> Pairing:
    """Subtract the first adapter's mean from the second's, probe by probe. A probe needs a value of both.

    Raises:
        ValueError: a value is infinite or no number.
    """
    before, now = _means(first), _means(second)
    shared = before.keys() & now.keys()
    unpaired = (first.keys() | second.keys()) - shared
    return Pairing({probe: now[probe] - before[probe] for probe in sorted(shared)}, tuple(sorted(unpaired)))


def paired_difference(first: Values, second: Values) -> PairedDifference:
    """Compare two adapters by their values per run of each probe.

    Raises:
        ValueError: see `pair`.
    """
    paired, unpaired = pair(first, second)
    differences = list(paired.values())
    if not differences:
        return PairedDifference(0, None, None, None, unpaired=unpaired)
    values = typical_values(differences)
    difference = fsum(differences) / len(differences)
    differ = max(differences) - min(differences) > values.tie
    return PairedDifference(
        probes=len(differences),
        difference=difference,
        interval=values.interval(LEVEL) if differ else None,
        p=_of_changes(differences) if {*differences} <= {-1.0, 0.0, 1.0} else values.p_value(),
        unpaired=unpaired,
        needed=_needed(differences, difference) if abs(difference) > values.tie else None,
    )


def _means(values: Values) -> dict[str, float]:
    wrong = [probe for probe, runs in values.items() if not all(map(isfinite, runs))]
    if wrong:
        raise ValueError(f"a value of the probe {quote(min(wrong), 80)} is not finite")
    return {probe: fsum(runs) / len(runs) for probe, runs in values.items() if runs}


def _of_changes(differences: Sequence[float]) -> float:
    return mcnemar_exact(lost=differences.count(-1.0), won=differences.count(1.0))


def _needed(differences: Sequence[float], difference: float) -> int:
    n = len(differences)
    if n == 1:
        return FEWEST_PROBES
    spread = sqrt(fsum((each - difference) ** 2 for each in differences) / (n - 1))
    return max(FEWEST_PROBES, ceil(((Z_95 + _POWER) * spread / difference) ** 2))
