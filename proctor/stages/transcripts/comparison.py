"""Adapters against the first one, paired by probe: every metric, and the points of the judge.

The p-values of a run are corrected together (Holm). Too few shared probes, or one that only one adapter has, and the
comparison is inconclusive, whatever the numbers look like.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from proctor.category_scores import AdapterDifference, Comparison
from proctor.results import Outcome
from proctor.stages.transcripts.metrics import Metric
from proctor.stages.transcripts.tally import AdapterTally
from proctor.statistics.holm import holm
from proctor.statistics.paired import FEWEST_PROBES, LEVEL, PairedDifference, paired_difference
from proctor.wording import count, listed

_NAMED: Final = 3
_RESULTS: Final = (Outcome.PASSED, Outcome.FAILED)
_MOST_NEEDED: Final = 100_000


@dataclass(frozen=True, slots=True)
class _Pair:
    metric: str
    base: str
    agent: str
    found: PairedDifference
    in_points: bool = False


def differences(metrics: Iterable[Metric], adapters: Sequence[AdapterTally]) -> tuple[AdapterDifference, ...]:
    """Compare every other adapter with the first. One adapter alone has nothing to be compared with."""
    pairs = [pair for metric in metrics for other in adapters[1:] for pair in _pairs(metric, adapters[0], other)]
    adjusted = holm([pair.found.p for pair in pairs])
    return tuple(_difference(pair, p) for pair, p in zip(pairs, adjusted, strict=True))


def _pairs(metric: Metric, base: AdapterTally, other: AdapterTally) -> Iterator[_Pair]:
    found = paired_difference(_shares(metric, base), _shares(metric, other))
    if found.probes or found.unpaired:
        yield _Pair(metric.name, base.agent, other.agent, found)
    if metric.judged:
        points = paired_difference(_points(metric, base), _points(metric, other))
        if points.probes:
            yield _Pair(metric.name, base.agent, other.agent, points, in_points=True)


def _shares(metric: Metric, adapter: AdapterTally) -> Mapping[str, list[float]]:
    """Whether each run of each probe holds the metric, as 1 or 0, where it applies."""
    found: dict[str, list[Outcome]] = {}
    for ref in metric.trials_of(adapter):
        found.setdefault(ref.case, []).append(adapter.outcome(ref, metric.check))
    return {
        probe: [float(outcome is Outcome.PASSED) for outcome in outcomes if outcome in _RESULTS]
        for probe, outcomes in found.items()
        if set(outcomes) != {Outcome.SKIPPED}
    }


def _points(metric: Metric, adapter: AdapterTally) -> Mapping[str, list[float]]:
    found: dict[str, list[float]] = {}
    for ref in metric.trials_of(adapter):
        given = adapter.points(ref, metric.check)
        found.setdefault(ref.case, []).extend([] if given is None else [given])
    return found


def _difference(pair: _Pair, adjusted: float | None) -> AdapterDifference:
    found = pair.found
    low, high = found.interval or (None, None)
    outcome = found.outcome(adjusted)
    return AdapterDifference(
        metric=pair.metric,
        base=pair.base,
        agent=pair.agent,
        probes=found.probes,
        difference=found.difference,
        low=low,
        high=high,
        p=found.p,
        adjusted_p=adjusted,
        outcome=outcome,
        reason=_reason(found, outcome),
        unpaired=found.unpaired,
        needed=found.needed,
        in_points=pair.in_points,
    )


def _reason(found: PairedDifference, outcome: Comparison) -> str:
    if not found.probes:
        return "no probe with a result of both"
    if found.unpaired:
        return f"{count(len(found.unpaired), 'probe')} without a result of both: {listed(found.unpaired, _NAMED)}"
    if not found.difference:
        return f"a mean difference of 0 over {count(found.probes, 'probe')}"
    if found.probes < FEWEST_PROBES:
        return f"{count(found.probes, 'probe')}; it takes {FEWEST_PROBES} to tell"
    if outcome is not Comparison.INCONCLUSIVE:
        return f"beyond chance over {count(found.probes, 'probe')}"
    needed = "" if found.needed is None or found.needed > _MOST_NEEDED else f"; some {found.needed:,} probes would tell"
    return f"chance alone may do it (p above {LEVEL:g}){needed}"
