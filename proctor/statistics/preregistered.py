"""A family of comparisons that was fixed before the runs which it judges.

An exact one tolerates no probe that breaks it, and no p-value excuses one. Those of noninferiority and superiority are
confirmatory: their one-sided p-values are corrected together. An exploratory one never counts. What could not be shown
is inconclusive, which is evidence neither of a loss nor of being alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from proctor.excerpt import quote
from proctor.statistics.holm import holm
from proctor.statistics.paired import FEWEST_PROBES, LEVEL, Pairing, Values, pair
from proctor.statistics.sign_flip import TypicalValues, typical_values
from proctor.wording import listed, share

_SHOWN: Final = 5


class GateKind(StrEnum):
    """What a comparison asks of the second adapter.

    ``EXACT``: every run keeps a bound, or no probe is worse than with the first. ``NONINFERIORITY``: the mean is shown
    to be worse by less than a tolerance. ``SUPERIORITY``: it is shown to be better by more than a minimum effect.
    """

    EXACT = "exact"
    NONINFERIORITY = "noninferiority"
    SUPERIORITY = "superiority"
    EXPLORATORY = "exploratory"


class GateVerdict(StrEnum):
    """What comes of a comparison, or of a family. ``BLOCKED``: pairs are missing. ``SKIPPED``: another one ended it."""

    PASS = "pass"  # noqa: S105
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"
    BLOCKED = "blocked"
    REPORT_ONLY = "report_only"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class PlannedComparison:
    """One comparison of two adapters on a metric, given by their values.

    ``margin`` is the tolerance or the minimum effect: 0 or more, in the unit of the metric. ``bound`` is what an exact
    comparison wants of every run at least (at most, where lower is better); None: no probe may be worse than before.
    """

    name: str
    kind: GateKind
    first: Values
    second: Values
    margin: float = 0.0
    bound: float | None = None
    lower_is_better: bool = False

    @property
    def sign(self) -> int:
        """1 where higher is better, else -1."""
        return -1 if self.lower_is_better else 1


@dataclass(frozen=True, slots=True)
class GateFinding:
    """What came of one comparison. ``p`` is one-sided; only confirmatory ones have it."""

    name: str
    verdict: GateVerdict
    reason: str
    p: float | None = None
    adjusted_p: float | None = None


@dataclass(frozen=True, slots=True)
class FamilyFinding:
    """What came of a family, and of each comparison in its order."""

    verdict: GateVerdict
    gates: tuple[GateFinding, ...]


def judge_family(family: Sequence[PlannedComparison], level: float = LEVEL) -> FamilyFinding:
    """Judge every comparison, and the family by the worst of those that count.

    A missing pair blocks the family; an exact comparison that is broken fails it. Nothing else is tested then.

    Raises:
        ValueError: a value is infinite or no number, or a margin is negative.
    """
    if wrong := [planned.name for planned in family if not planned.margin >= 0]:
        raise ValueError(f"a margin is 0 or more: {listed(wrong, _SHOWN)}")
    pairings = [pair(planned.first, planned.second) for planned in family]
    blocked = list(map(_blocked, family, pairings))
    if any(blocked):
        return FamilyFinding(GateVerdict.BLOCKED, _ended(family, blocked, "another comparison is blocked"))
    exact = list(map(_exact, family, pairings))
    if any(finding and finding.verdict is GateVerdict.FAIL for finding in exact):
        return FamilyFinding(GateVerdict.FAIL, _ended(family, exact, "an exact comparison failed"))
    values = list(map(_oriented, family, pairings))
    p_values = list(map(_p_value, family, values))
    adjusted = zip(p_values, holm(p_values), strict=True)
    tested = [_tested(*each, level) for each in zip(family, pairings, values, adjusted, strict=True)]
    gates = tuple(found or other for found, other in zip(exact, tested, strict=True))
    return FamilyFinding(_worst(finding.verdict for finding in gates), gates)


def _blocked(planned: PlannedComparison, pairing: Pairing) -> GateFinding | None:
    if pairing.unpaired:
        missing = listed([quote(probe, 80) for probe in pairing.unpaired], _SHOWN)
        return GateFinding(planned.name, GateVerdict.BLOCKED, f"not both have a value for {missing}")
    if not pairing.differences:
        return GateFinding(planned.name, GateVerdict.BLOCKED, "there is no probe to compare")
    return None


def _ended(
    family: Sequence[PlannedComparison], found: Sequence[GateFinding | None], why: str
) -> tuple[GateFinding, ...]:
    return tuple(
        finding or GateFinding(planned.name, GateVerdict.SKIPPED, why)
        for planned, finding in zip(family, found, strict=True)
    )


def _exact(planned: PlannedComparison, pairing: Pairing) -> GateFinding | None:
    if planned.kind is not GateKind.EXACT:
        return None
    if planned.bound is None:
        rule = "worse than before"
        broken = [probe for probe, difference in pairing.differences.items() if planned.sign * difference < 0]
    else:
        rule = f"beyond {planned.bound:g}"
        limit = planned.sign * planned.bound
        broken = [
            probe
            for probe in pairing.differences
            if any(planned.sign * value < limit for value in planned.second[probe])
        ]
    total = len(pairing.differences)
    if not broken:
        return GateFinding(planned.name, GateVerdict.PASS, f"{share(0, total, 'probe')} is {rule}")
    named = listed([quote(probe, 80) for probe in broken], _SHOWN)
    return GateFinding(planned.name, GateVerdict.FAIL, f"{share(len(broken), total, 'probe')} {rule}: {named}")


def _oriented(planned: PlannedComparison, pairing: Pairing) -> TypicalValues:
    """The typical values of the differences, turned so that higher is better."""
    return typical_values([planned.sign * difference for difference in pairing.differences.values()])


def _p_value(planned: PlannedComparison, values: TypicalValues) -> float | None:
    if planned.kind is GateKind.NONINFERIORITY:
        return values.p_above(-planned.margin)
    return values.p_above(planned.margin) if planned.kind is GateKind.SUPERIORITY else None


def _tested(
    planned: PlannedComparison,
    pairing: Pairing,
    values: TypicalValues,
    p_values: tuple[float | None, float | None],
    level: float,
) -> GateFinding:
    p, adjusted = p_values
    if p is None or adjusted is None:
        return GateFinding(planned.name, GateVerdict.REPORT_ONLY, "it is exploratory")
    verdict, reason = _confirmed(planned, values.interval(level), adjusted, len(pairing.differences), level)
    return GateFinding(planned.name, verdict, reason, p, adjusted)


def _confirmed(
    planned: PlannedComparison, interval: tuple[float, float] | None, adjusted: float, probes: int, level: float
) -> tuple[GateVerdict, str]:
    is_superiority = planned.kind is GateKind.SUPERIORITY
    lost_below = 0.0 if is_superiority else -planned.margin
    claim = f"better by more than {planned.margin:g}" if is_superiority else f"worse by less than {planned.margin:g}"
    if interval is not None and interval[1] < lost_below:
        return GateVerdict.FAIL, f"wanted {claim}; the whole interval is worse than {lost_below:g}"
    if probes < FEWEST_PROBES:
        return GateVerdict.INCONCLUSIVE, f"wanted {FEWEST_PROBES} probes; seen {probes}"
    if adjusted > level:
        return GateVerdict.INCONCLUSIVE, f"wanted {claim}; not shown, p = {adjusted:.4f} after correction"
    return GateVerdict.PASS, f"{claim}, p = {adjusted:.4f} after correction"


def _worst(verdicts: Iterable[GateVerdict]) -> GateVerdict:
    """The worst of those that count; an exploratory one counts only where there is no other."""
    found = {*verdicts}
    order = (GateVerdict.FAIL, GateVerdict.INCONCLUSIVE, GateVerdict.PASS)
    return next((verdict for verdict in order if verdict in found), GateVerdict.REPORT_ONLY)
