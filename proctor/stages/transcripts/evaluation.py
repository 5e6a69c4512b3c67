"""What aggregation says of the transcripts of a run, all of it together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from proctor.brainbench.probes import Companions
from proctor.brainbench_plan import BrainBenchSettings
from proctor.category_scores import MetricScore, TranscriptFindings
from proctor.checks.brainbench import RUBRIC
from proctor.formats.brainbench.companions.reading import companions_of
from proctor.plan import RECORDING
from proctor.results import GateScore, GateStatus, TrialLine
from proctor.stages.reviews.agreement import reviews_of
from proctor.stages.run import Run
from proctor.stages.transcripts.adapters import adapter_card, look_at, planted_scores
from proctor.stages.transcripts.card import configuration_card
from proctor.stages.transcripts.comparison import differences
from proctor.stages.transcripts.evaluated import Evaluated
from proctor.stages.transcripts.metrics import Metric, metric_gate, other_metrics, planned_metrics, score_metric
from proctor.stages.transcripts.tally import AdapterTally, tally, transcript_outlines
from proctor.wording import count

Scored: TypeAlias = tuple[Metric, MetricScore]
"""A metric, and what it says of one adapter."""


def evaluate_transcripts(run: Run, lines: Sequence[TrialLine], *, allowed: bool) -> Evaluated:
    """Evaluate the transcripts of a run. ``allowed``: see `proctor.stages.transcripts.metrics.score_metric`."""
    settings = run.plan.brainbench
    outlines = transcript_outlines(run.plan)
    if not outlines and not settings.files:
        return Evaluated()
    companions = companions_of(settings)
    tallies = tally(run, outlines, lines)
    metrics = (
        *planned_metrics(companions, settings, complete=run.plan.selection is None),
        *other_metrics(tallies, settings, [check.name for check in run.own_checks]),
    )
    scored = list(_scored(metrics, tallies, settings, allowed=allowed))
    findings = _findings(run, companions, tallies, scored)
    if not settings.held:
        return Evaluated(findings)
    gates = [metric_gate(metric, score, tallies[score.agent], settings) for metric, score in scored]
    if not findings.adapters:
        gates += _nothing_recorded(companions)
    return Evaluated(findings, tuple(gates), frozenset(_covered(scored, tallies)))


def _findings(
    run: Run, companions: Companions, tallies: Mapping[str, AdapterTally], scored: Sequence[Scored]
) -> TranscriptFindings:
    adapters = [adapter for name, adapter in tallies.items() if name != RECORDING]
    seen = {adapter.agent: look_at(adapter, run.cases) for adapter in adapters}
    return TranscriptFindings(
        rules=run.plan.brainbench.rules,
        card=tuple(configuration_card(run, companions)),
        metrics=tuple(score for _, score in scored),
        adapters=tuple(adapter_card(adapter, seen[adapter.agent]) for adapter in adapters),
        differences=differences(dict.fromkeys(metric for metric, _ in scored), adapters),
        planted=tuple(planted_scores((adapter, seen[adapter.agent]) for adapter in adapters)),
        reviews=reviews_of(run),
    )


def _scored(
    metrics: Sequence[Metric], tallies: Mapping[str, AdapterTally], settings: BrainBenchSettings, *, allowed: bool
) -> Iterator[Scored]:
    """Each metric for each adapter that has trials of its probes, or is planned to have some."""
    for metric in metrics:
        for adapter in tallies.values():
            is_planned = bool(metric.planned) and adapter.agent != RECORDING
            if not is_planned and metric.probes.isdisjoint(adapter.trials):
                continue
            score = score_metric(metric, adapter, settings, allowed=allowed)
            if metric.optional and not score.trials.decided + score.trials.undecided:
                continue  # nobody was checked, or what is checked was not met
            yield metric, score


def _covered(scored: Sequence[Scored], tallies: Mapping[str, AdapterTally]) -> Iterator[tuple[str, str]]:
    """The cases whose scoring checks are in gates. Planted items and checks of the user's do not score a case."""
    for metric, score in scored:
        if metric.category is not None or metric.check == RUBRIC:
            yield from ((score.agent, case) for case in tallies[score.agent].trials if case in metric.probes)


def _nothing_recorded(companions: Companions) -> Iterator[GateScore]:
    """A gate that stands for probes none of which has a transcript; claims need none."""
    probes = len(companions.probes)
    if probes:
        reason = f"nothing to score: none of {count(probes, 'probe')} has a transcript"
        yield GateScore("transcripts", RECORDING, GateStatus.UNDECIDED, reason, 1.0, probes, 0, 0, 0)
