"""From counted rows to dimensions: share, interval, repeated cases, and whether its gate is met.

The rules are those of Assevra 0.6 (docs/formats/assevra.md): a dimension with a row that has no result is undecided,
whatever the other rows say. Stricter on purpose: a control that is missed fails its dimension, and a gate may ask for
the lower end of the interval and for a least number of rows. A suite may allow rows without a result; they are in no
share and no interval, but the gate counts them as rows that have not passed, as gates over cases do.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from math import floor
from typing import Final

from proctor.checks.dimensions import DIMENSIONS
from proctor.checks.dimensions.pii import engine_name
from proctor.dataset import RECORDED, Bound, DatasetSettings, DimensionRule
from proctor.dimension_scores import DimensionScore, Measures, Reliability
from proctor.results import Counts, GateScore, GateStatus
from proctor.stages.recorded.tally import DimensionTally, RowTally
from proctor.statistics.cluster import cluster_interval
from proctor.statistics.percentile import percentile
from proctor.statistics.reliability import reliability
from proctor.statistics.threshold import needed_passes, reaches
from proctor.statistics.wilson import wilson_reported
from proctor.wording import count, share

REQUIRED_GATE: Final = "required dimensions"

_STATUS: Final = {True: GateStatus.MET, False: GateStatus.NOT_MET, None: GateStatus.UNDECIDED}


def score_dimensions(found: RowTally, settings: DatasetSettings, *, allowed: bool) -> tuple[DimensionScore, ...]:
    """Every dimension that has rows, in the order of reports.

    ``allowed``: the rows without a result are within the share that the suite allows.
    """
    return tuple(
        _score(name, found.dimensions[name], settings, allowed=allowed)
        for name in DIMENSIONS
        if name in found.dimensions
    )


def dimension_gates(scores: tuple[DimensionScore, ...], found: RowTally) -> Iterator[GateScore]:
    """Each dimension as a gate. One that has controls only says nothing of an agent, unless none has more."""
    has_rows = any(score.rows.total for score in scores)
    for score in scores:
        if has_rows and not score.rows.total and score.controls.total == score.controls.passed:
            continue
        yield GateScore(
            name=score.name,
            agent=RECORDED,
            status=score.status,
            reason=score.reason,
            threshold=score.threshold,
            members=score.rows.total,
            ran=score.rows.decided,
            passed=score.rows.passed,
            skipped=score.rows.skipped,
            failing=tuple(found.dimensions[score.name].not_passed),
            needed=_needed(score),
        )


def required_gate(found: RowTally, settings: DatasetSettings) -> Iterator[GateScore]:
    """A gate for the required dimensions, if some of them have no row."""
    missing = [
        name for name in settings.required if name not in found.dimensions or not found.dimensions[name].outcomes
    ]
    if missing:
        reason = f"no row has the dimension {', '.join(missing)}, which is required"
        yield GateScore(REQUIRED_GATE, RECORDED, GateStatus.UNDECIDED, reason, 1.0, 0, 0, 0, 0)


def _score(name: str, found: DimensionTally, settings: DatasetSettings, *, allowed: bool) -> DimensionScore:
    rule, rows, controls = settings.rules[name], found.rows, Counts.tallied(found.controls)
    repeated = rows.decided > len(found.cases)
    low, high = wilson_reported(rows.passed, rows.decided)
    cluster = cluster_interval((passed, total) for passed, total in found.cases.values()) if repeated else None
    status, reason = _judge(rule, rows, controls, _lower(rows, low, cluster), allowed=allowed)
    return DimensionScore(
        name=name,
        rows=rows,
        threshold=rule.threshold,
        bound=rule.bound.value,
        min_rows=rule.min_rows,
        low=low,
        high=high,
        status=status,
        reason=reason,
        mode="llm-judge" if found.judged and found.judged == rows.total else "deterministic",
        engine=engine_name(settings.row) if name == "pii" else "",
        cluster=cluster,
        reliability=_reliability(found, settings.pass_k) if repeated else None,
        measures=_measures(found.measures),
        controls=controls,
    )


def _reliability(found: DimensionTally, k: int) -> Reliability | None:
    return reliability(((case, passed, total) for case, (passed, total) in found.cases.items()), k)


def _lower(rows: Counts, low: float, cluster: tuple[float, float] | None) -> float:
    """The end of the interval that a gate asks for. Missing results, where they are allowed, may all be failures."""
    lower = cluster[0] if cluster else low
    return min(lower, wilson_reported(rows.passed, _due(rows))[0]) if rows.undecided else lower


def _due(rows: Counts) -> int:
    """The rows that have a result, or should have one."""
    return rows.decided + rows.undecided


def _judge(
    rule: DimensionRule, rows: Counts, controls: Counts, lower: float, *, allowed: bool
) -> tuple[GateStatus, str]:
    undecided = _undecided(rows, controls, allowed=allowed)
    if undecided is not None:
        return GateStatus.UNDECIDED, undecided
    if controls.total > controls.passed:
        missed = count(controls.total - controls.passed, "control")
        return GateStatus.NOT_MET, f"{missed} of {controls.total} missed: the detector does not see what it must see"
    passed = f"{share(rows.passed, _due(rows), 'row')} passed"
    if rows.decided < rule.min_rows:
        return GateStatus.UNDECIDED, f"{passed}; {count(rule.min_rows, 'decided row')} are asked for{_missing(rows)}"
    if rule.bound is Bound.LOWER:
        status = GateStatus.MET if lower >= rule.threshold else GateStatus.NOT_MET
        end = f"the lower end of the interval is {floor(lower * 1e4) / 1e4:.4f}, needs {rule.threshold:g}"
        return status, f"{passed}; {end}{_missing(rows)}"
    status = _STATUS[reaches(rows.passed, rows.undecided, _due(rows), rule.threshold)]
    return status, f"{passed}, needs {needed_passes(_due(rows), rule.threshold)}{_missing(rows)}"


def _undecided(rows: Counts, controls: Counts, *, allowed: bool) -> str | None:
    """Why nothing can be said of a dimension, if so."""
    if not rows.total and controls.total:
        return f"no row but {count(controls.total, 'control')}"
    if not rows.decided:
        return f"no row has a result{_missing(rows)}"
    if rows.skipped or (rows.undecided and not allowed):
        return f"{share(rows.passed, rows.decided, 'row')} passed{_missing(rows)}"
    return None


def _missing(rows: Counts) -> str:
    parts = ((rows.errored, "errored"), (rows.unscored, "unscored"), (rows.skipped, "skipped: no judge is named"))
    return "".join(f"; {number} {what}" for number, what in parts if number)


def _needed(score: DimensionScore) -> int:
    """The least number of passing rows with which the gate is met; by the rate where trials of a case are alike."""
    total = _due(score.rows)
    if score.bound == Bound.RATE or score.cluster is not None:
        return needed_passes(total, score.threshold)
    return bisect_left(range(total + 1), score.threshold, key=lambda passed: wilson_reported(passed, total)[0])


def _measures(values: list[float]) -> Measures | None:
    if not values:
        return None
    ordered, total = sorted(values), sum(values)
    return Measures(
        rows=len(values),
        total=total,
        mean=total / len(values),
        p50=percentile(ordered, 0.5),
        p95=percentile(ordered, 0.95),
        largest=ordered[-1],
    )
