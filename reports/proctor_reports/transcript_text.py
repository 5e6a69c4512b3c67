"""The sentences of a report about the metrics of recorded transcripts: plain text, not yet safe for its output.

What is said of adapters beside each other stands in `proctor_reports.adapter_text`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import ROUND_DOWN, Decimal
from typing import Final

from proctor.brainbench.scoring import runs
from proctor.category_scores import MetricScore, Spread, TranscriptFindings
from proctor.plan import RECORDING
from proctor.results import GateStatus
from proctor.statistics.threshold import needed_passes
from proctor.wording import count, share
from proctor_reports.metric_tables import MetricTable
from proctor_reports.summary_text import GATE_SYMBOLS, interval, percent

BASELINE: Final = "baseline"
"""The status of a metric that is held to nothing."""

STATUS_SYMBOLS: Mapping[str, str] = {**GATE_SYMBOLS, BASELINE: "–"}

WORDS: Final = "A case is a probe with one adapter; each of its trials is a run of the probe, as it was recorded."
"""What the words of the other parts of a report mean for transcripts."""

EACH_A_GATE: Final = "Each metric of an adapter is a gate."

ONLY_A_BASELINE: Final = "The metrics are a baseline only: no threshold is held against them."

_WORST_FIRST: Final = (GateStatus.NOT_MET, GateStatus.UNDECIDED, GateStatus.MET)


def by_status(found: TranscriptFindings) -> dict[GateStatus, list[str]]:
    """Give the metrics that are gates by what became of them, the worst first; of several adapters, with the name."""
    held = [score for score in found.metrics if score.held]
    several = len({score.agent for score in held} - {RECORDING}) > 1
    names: dict[GateStatus, list[str]] = {status: [] for status in _WORST_FIRST}
    for score in held:
        is_named = several and score.agent != RECORDING
        names[score.status].append(f"{score.name} ({score.agent})" if is_named else score.name)
    return {status: those for status, those in names.items() if those}


def is_held(found: TranscriptFindings) -> bool:
    """Whether any metric is a gate."""
    return any(score.held for score in found.metrics)


def intro_line(found: TranscriptFindings) -> str:
    """Say what the words mean, and what the metrics are held to."""
    if not found.metrics:
        return WORDS
    return f"{WORDS} {EACH_A_GATE if is_held(found) else ONLY_A_BASELINE}"


def category_line(category: int | None) -> str:
    """Name the category of the benchmark."""
    return "no category" if category is None else f"category {category}"


def decided_by(*, judged: bool, self_test: bool) -> str:
    """Say whether a rule or a judge decided. A self-test judge is never a judge."""
    if not judged:
        return "rule"
    return "self-test" if self_test else "judge"


def status_word(score: MetricScore) -> str:
    """Give the status, or say that the metric is a baseline only."""
    return str(score.status) if score.held else BASELINE


def passed_line(score: MetricScore) -> str:
    """Say how many of the decided trials hold the metric, with the rate: ``19 of 20 (95 %)``."""
    passed, decided = score.trials.passed, score.trials.decided
    return f"{passed:,} of {decided:,} ({percent(passed, decided)})" if decided else "no result"


def interval_line(score: MetricScore) -> str:
    """Give the 95 % interval; ``""`` where nothing was decided."""
    return interval(score.low, score.high) if score.trials.decided else ""


def needed_line(score: MetricScore) -> str:
    """Say how many trials have to hold the metric, of all, without a result or not: ``18 of 20``; ``""`` for none."""
    due = _due(score)
    return f"{needed_passes(due, score.threshold):,} of {due:,}" if due and score.held else ""


def needs_line(score: MetricScore) -> str:
    """Say what the metric is held to, with the share: ``18 of 20 (90 %)``; ``""`` for a baseline."""
    if not score.held:
        return ""
    needed, threshold = needed_line(score), threshold_line(score.threshold)
    return f"{needed} ({threshold})" if needed else threshold


def threshold_line(threshold: float) -> str:
    """Give a share as it was written."""
    return f"{threshold * 100:g} %"


def why_line(score: MetricScore) -> str:
    """Give the reason without the counts, which are told beside it, and what has no result; ``""`` for nothing more."""
    due = _due(score)
    counts = f"{share(score.trials.passed, due, 'trial')} passed, needs {needed_passes(due, score.threshold)}"
    reason = score.reason.removeprefix(counts).removeprefix("; ")
    return "; ".join(part for part in (reason, *(lost for lost in _lost(score) if lost not in reason)) if part)


def runs_line(score: MetricScore) -> str:
    """Say how the rate spreads over the runs: ``95.0% ±1.6 over 3 runs``; ``""`` where there are not several."""
    found = score.runs
    if found is None or len(found.per_run) < 2:
        return ""
    return f"{runs.Spread(len(found.per_run), found.mean, found.deviation)} {_over(found)}"


def points_line(score: MetricScore) -> str:
    """Give the judge's mean: ``4.21 of 5 points``, or ``4.21 ±0.3 of 5 points over 3 runs``; ``""`` for none."""
    found = score.points
    if found is None:
        return ""
    if len(found.per_run) < 2:
        return f"{points(found.mean)} of 5 points"
    band = f" ±{points(found.deviation)}" if found.deviation else ""
    return f"{points(found.mean)}{band} of 5 points {_over(found)}"


def points(value: float) -> str:
    """Give points with two digits at most, never rounded up: what is below the pass mark looks so."""
    return f"{Decimal(str(value)).quantize(Decimal('0.01'), ROUND_DOWN).normalize():f}"


def metric_line(score: MetricScore) -> str:
    """Say all of a metric in one sentence, without its name."""
    parts = [passed_line(score), interval_line(score), runs_line(score), points_line(score)]
    needs = needs_line(score)
    said = ", ".join(part for part in (*parts, f"needs {needs}" if needs else "") if part)
    return "; ".join(part for part in (said, why_line(score)) if part)


def left_out_line(table: MetricTable, elsewhere: str) -> str:
    """Say how many adapters there is no column for, and where they are; ``""`` if all are there."""
    return f"{count(table.left_out, 'more adapter')} {elsewhere}" if table.left_out else ""


def _over(found: Spread) -> str:
    return f"{'over' if found.deviation else 'in each of'} {count(len(found.per_run), 'run')}"


def _due(score: MetricScore) -> int:
    return score.trials.decided + score.trials.undecided + score.missing


def _lost(score: MetricScore) -> Iterator[str]:
    if score.missing:
        yield f"{count(score.missing, 'probe')} without a transcript"
    if score.trials.undecided:
        yield f"{count(score.trials.undecided, 'trial')} without a result"
