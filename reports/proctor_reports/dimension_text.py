"""The sentences of a report about the dimensions of recorded rows: plain text, not yet safe for its output."""

from __future__ import annotations

from typing import Final

from proctor.dataset import Bound
from proctor.dimension_scores import DimensionScore, Measures, Reliability
from proctor.results import Counts, GateStatus, Summary
from proctor.statistics.threshold import needed_passes
from proctor.wording import count, listed, share
from proctor_reports.summary_text import dollars, percent, rate

JUDGED: Final = "llm-judge"
"""The mode of a dimension whose rows a judge decided."""

COST: Final = "cost"
"""The dimension that is measured in dollars; any other is measured in milliseconds."""

MEASURES: Final = ("total", "mean", "p50", "p95", "most")
"""What is said of measured rows, in the order of `measured`."""

_FLAKY_NAMED = 5


def by_status(summary: Summary) -> dict[GateStatus, list[str]]:
    """Give the names of the dimensions by what became of them, the worst first."""
    order = (GateStatus.NOT_MET, GateStatus.UNDECIDED, GateStatus.MET)
    found = {status: [score.name for score in summary.dimensions if score.status is status] for status in order}
    return {status: names for status, names in found.items() if names}


def decided_by(score: DimensionScore, *, self_test: bool) -> str:
    """Say whether a rule or a judge decided, and what looked for personal data. A self-test judge is never a judge."""
    if score.mode == JUDGED:
        return "self-test" if self_test else "judge"
    return f"rule ({score.engine})" if score.engine else "rule"


def passed_line(score: DimensionScore) -> str:
    """Say how many of the decided rows passed: ``19 of 20``."""
    rows = score.rows
    return f"{rows.passed:,} of {rows.decided:,}" if rows.decided else "no result"


def rate_line(score: DimensionScore) -> str:
    """Give the share that passed; ``""`` where nothing was decided."""
    return percent(score.rows.passed, score.rows.decided) if score.rows.decided else ""


def needs_line(score: DimensionScore) -> str:
    """Say what the dimension is held to: a number of rows, or from where on the interval must be."""
    if score.bound == Bound.LOWER or not score.rows.decided:
        return f"{'from ' if score.bound == Bound.LOWER else ''}{_percents(score.threshold)}"
    return f"{needed_passes(score.rows.decided, score.threshold):,}"


def needs_in_full(score: DimensionScore) -> str:
    """Say in words what the dimension is held to."""
    threshold = _percents(score.threshold)
    if score.bound == Bound.LOWER:
        text = f"an interval from {threshold}"
    elif score.rows.decided:
        text = f"{needs_line(score)} ({threshold})"
    else:
        text = threshold
    return text if score.min_rows <= 1 else f"{text}, {score.min_rows:,} rows or more"


def _percents(share: float) -> str:
    return f"{share * 100:g} %"


def why_line(score: DimensionScore) -> str:
    """Give the reason of a dimension; ``""`` where the counts say it all."""
    rows = score.rows
    needed = needed_passes(rows.decided, score.threshold)
    counts = f"{share(rows.passed, rows.decided, 'row')} passed, needs {needed}"
    return "" if score.reason == counts else score.reason


def controls_line(controls: Counts) -> str:
    """Say how many known-bad rows the detector caught."""
    missed = controls.total - controls.passed
    if missed:
        return f"{share(controls.passed, controls.total, 'control')} caught, {missed:,} missed"
    return "the one control was caught" if controls.total == 1 else f"all {controls.total:,} controls were caught"


def reliability_line(found: Reliability) -> str:
    """Say how alike the trials of repeated cases are."""
    if found.pass_hat_k is None:
        chances = f"pass^{found.k} is not known, as no case has {count(found.k, 'trial')}"
    else:
        chances = f"pass^{found.k} {rate(found.pass_hat_k)}, pass@{found.k} {rate(found.pass_at_k)}"
    return f"{chances}, consistency {rate(found.consistency)}; {covered_line(found)}; {flaky_line(found)}"


def covered_line(found: Reliability) -> str:
    """Say how many cases are repeated, and how many have enough trials for the two chances if that is not the same."""
    repeated = f"{share(found.repeated, found.cases, 'case')} repeated"
    if found.covered == found.repeated:
        return repeated
    return f"{repeated}, {found.covered:,} with {count(found.k, 'trial')} or more"


def flaky_line(found: Reliability) -> str:
    """Name the cases whose trials do not agree."""
    if not found.flaky:
        return "none is flaky"
    return f"{len(found.flaky):,} flaky: {listed(found.flaky, _FLAKY_NAMED)}"


def measures_line(name: str, found: Measures) -> str:
    """Sum up what rows cost, or how long they took."""
    parts = [f"{what} {value}" for what, value in measured(name, found).items()]
    return f"{count(found.rows, 'row')}: {', '.join(parts)}"


def measured(name: str, found: Measures) -> dict[str, str]:
    """Give the figures of cost in dollars, those of latency in milliseconds."""
    values = (found.total, found.mean, found.p50, found.p95, found.largest)
    return {what: _amount(name, value) for what, value in zip(MEASURES, values, strict=True)}


def _amount(name: str, value: float) -> str:
    if name == COST:
        return dollars(value)
    return f"{value:,.0f} ms" if value >= 10 or not value else f"{value:.2g} ms"
