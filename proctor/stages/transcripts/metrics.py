"""The metrics of categories, each a gate for each adapter.

A metric is over all runs of the probes that it means. A probe that was planned and has no transcript, or whose judge
gave no verdict, is missing from it: the metric is undecided then, unless the suite allows a share. The seed era counts
a judge's failure as a miss.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from proctor.brainbench.eras import Era
from proctor.brainbench.probes import COMPLIANCE, PROVENANCE, WORKFLOWS, Companions, Probe
from proctor.brainbench.scoring.claims import CLAIM_THRESHOLD
from proctor.brainbench.scoring.compliance import RULE_THRESHOLDS
from proctor.brainbench.scoring.runs import spread_of
from proctor.brainbench.scoring.workflows import WORKFLOW_THRESHOLD
from proctor.brainbench_plan import BrainBenchSettings
from proctor.category_scores import MetricScore, Spread
from proctor.checks.brainbench import CLAIM, PLANTED, RUBRIC
from proctor.plan import RECORDING
from proctor.results import Counts, GateScore, GateStatus, Outcome, TrialRef
from proctor.stages.transcripts.tally import AdapterTally
from proctor.statistics.cluster import cluster_interval
from proctor.statistics.threshold import needed_passes, reaches
from proctor.wording import count, share

_STATUS: Final = {True: GateStatus.MET, False: GateStatus.NOT_MET, None: GateStatus.UNDECIDED}
_RESULTS: Final = (Outcome.PASSED, Outcome.FAILED)


@dataclass(frozen=True, slots=True)
class Metric:
    """What a metric is made of: one check over some probes.

    ``planned`` of them should have transcripts. ``optional``: a trial that is not checked is not meant.
    """

    category: int | None
    name: str
    check: str
    probes: frozenset[str]
    threshold: float
    judged: bool
    planned: frozenset[str] = frozenset()
    optional: bool = False

    def trials_of(self, adapter: AdapterTally) -> list[TrialRef]:
        """The trials of an adapter that it is over."""
        refs = (ref for probe, trials in adapter.trials.items() if probe in self.probes for ref in trials)
        return [ref for ref in refs if not self.optional or (ref, self.check) in adapter.checks]


def planned_metrics(companions: Companions, settings: BrainBenchSettings, *, complete: bool) -> Iterator[Metric]:
    """The metrics that the probes ask for. ``complete``: the run is over the whole spec, not a selection."""
    own, probes = settings.thresholds, companions.probes.values()
    tiered = _ids(probe for probe in probes if probe.category == COMPLIANCE and probe.tier is not None)
    for rule, threshold in RULE_THRESHOLDS.items():
        yield _planned(COMPLIANCE, rule, rule, tiered, own.get(rule, threshold), complete=complete)
    reached = own.get("workflow", WORKFLOW_THRESHOLD)
    workflows = [probe for probe in probes if probe.category == WORKFLOWS and probe.workflow is not None]
    for name in dict.fromkeys(probe.workflow for probe in workflows):
        members = _ids(probe for probe in workflows if probe.workflow == name)
        yield _planned(WORKFLOWS, f"workflow {name}", RUBRIC, members, reached, complete=complete)
    others = [probe for probe in probes if probe.rubric and (probe.category != WORKFLOWS or probe.workflow is None)]
    for category in dict.fromkeys(probe.category for probe in others):
        members = _ids(probe for probe in others if probe.category == category)
        name = "rubric" if category is None else f"rubric of category {category}"
        yield _planned(category, name, RUBRIC, members, reached, complete=complete)


def _planned(
    category: int | None, name: str, check: str, probes: frozenset[str], threshold: float, *, complete: bool
) -> Metric:
    return Metric(category, name, check, probes, threshold, check == RUBRIC, probes if complete else frozenset())


def other_metrics(
    tallies: Mapping[str, AdapterTally], settings: BrainBenchSettings, own_checks: Iterable[str]
) -> Iterator[Metric]:
    """The metrics of what is there, planned or not: claims, planted items, and checks of the user's.

    Such a check belongs to no category. Every trial has to hold it, as every case has to that is in no gate.
    """
    claims = frozenset(tallies[RECORDING].trials) if RECORDING in tallies else frozenset()
    threshold = settings.thresholds.get("claims", CLAIM_THRESHOLD)
    yield Metric(PROVENANCE, "claims", CLAIM, claims, threshold, judged=True)
    everything = frozenset(probe for adapter in tallies.values() for probe in adapter.trials)
    for name in (PLANTED, *own_checks):
        reached = settings.thresholds.get("planted_items", 1.0) if name == PLANTED else 1.0
        yield Metric(None, name, name, everything, reached, judged=False, optional=True)


def _ids(probes: Iterable[Probe]) -> frozenset[str]:
    return frozenset(probe.id for probe in probes)


def score_metric(metric: Metric, adapter: AdapterTally, settings: BrainBenchSettings, *, allowed: bool) -> MetricScore:
    """Score a metric of one adapter. ``allowed``: what is without a result is within the share of the suite."""
    refs = metric.trials_of(adapter)
    outcomes = {ref: _outcome(metric, adapter, ref, settings) for ref in refs}
    trials = Counts.of(outcomes.values())
    missing = len(metric.planned - adapter.trials.keys())
    low, high = cluster_interval(_clusters(adapter, metric, outcomes))
    status, reason = _judge(metric, trials, missing, allowed=allowed)
    return MetricScore(
        category=metric.category,
        name=metric.name,
        agent=adapter.agent,
        trials=trials,
        missing=missing,
        threshold=metric.threshold,
        low=low,
        high=high,
        status=status,
        reason=reason,
        held=settings.held,
        judged=metric.judged,
        runs=_spread(_rates(outcomes)),
        points=_spread(_points(metric, adapter, refs)),
    )


def metric_gate(metric: Metric, score: MetricScore, adapter: AdapterTally, settings: BrainBenchSettings) -> GateScore:
    """A metric as a gate."""
    failing = (ref.case for ref in metric.trials_of(adapter) if _outcome(metric, adapter, ref, settings) not in _FINE)
    due = score.trials.decided + score.trials.undecided + score.missing
    return GateScore(
        name=score.name,
        agent=score.agent,
        status=score.status,
        reason=score.reason,
        threshold=score.threshold,
        members=score.trials.total + score.missing,
        ran=score.trials.decided,
        passed=score.trials.passed,
        skipped=score.trials.skipped,
        failing=tuple(dict.fromkeys(failing)),
        needed=needed_passes(due, score.threshold),
    )


_FINE: Final = (Outcome.PASSED, Outcome.SKIPPED)


def _outcome(metric: Metric, adapter: AdapterTally, ref: TrialRef, settings: BrainBenchSettings) -> Outcome:
    found = adapter.outcome(ref, metric.check)
    if metric.judged and found is Outcome.UNSCORED and settings.rules == Era.SEED:
        return Outcome.FAILED
    return found


def _clusters(adapter: AdapterTally, metric: Metric, outcomes: Mapping[TrialRef, Outcome]) -> Iterator[tuple[int, int]]:
    """Passed and decided runs of each probe that has some."""
    for probe, trials in adapter.trials.items():
        if probe in metric.probes:
            decided = [outcomes[ref] for ref in trials if outcomes.get(ref) in _RESULTS]
            if decided:
                yield decided.count(Outcome.PASSED), len(decided)


def _judge(metric: Metric, trials: Counts, missing: int, *, allowed: bool) -> tuple[GateStatus, str]:
    undecided = trials.undecided + missing
    total = trials.decided + undecided
    passed = f"{share(trials.passed, total, 'trial')} passed, needs {needed_passes(total, metric.threshold)}"
    if not trials.decided:
        return GateStatus.UNDECIDED, f"nothing to score: {_missing(trials, missing)}"
    reached = reaches(trials.passed, undecided, total, metric.threshold)
    if reached is False or not undecided:
        return _STATUS[reached], passed
    if reached and allowed and not missing:
        return GateStatus.MET, f"{passed}; {_missing(trials, missing)}, which is allowed"
    return GateStatus.UNDECIDED, f"{passed}; {_missing(trials, missing)}"


def _missing(trials: Counts, missing: int) -> str:
    parts = [f"{count(missing, 'probe')} without a transcript"] if missing else []
    if trials.undecided:
        parts.append(f"{count(trials.undecided, 'trial')} without a result")
    return " and ".join(parts)


def _rates(outcomes: Mapping[TrialRef, Outcome]) -> list[float]:
    """The share of each run, by its number."""
    runs: dict[int, list[bool]] = {}
    for ref, outcome in outcomes.items():
        if outcome in _RESULTS:
            runs.setdefault(ref.trial, []).append(outcome is Outcome.PASSED)
    return [sum(found) / len(found) for _, found in sorted(runs.items())]


def _points(metric: Metric, adapter: AdapterTally, refs: Sequence[TrialRef]) -> list[float]:
    """The mean points of each run, by its number."""
    runs: dict[int, list[float]] = {}
    for ref in refs:
        given = adapter.points(ref, metric.check)
        if given is not None:
            runs.setdefault(ref.trial, []).append(given)
    return [sum(found) / len(found) for _, found in sorted(runs.items())]


def _spread(per_run: Sequence[float]) -> Spread | None:
    found = spread_of(per_run)
    return None if found is None else Spread(found.mean, found.stddev, tuple(per_run))
