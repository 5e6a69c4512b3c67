"""How far judge and people agree, by dimension; measured in this run, or kept from an earlier one of the same judge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from proctor.checks.dimensions import DIMENSIONS
from proctor.dataset import RECORDED, CalibrationRule, DatasetSettings, RowSettings
from proctor.dimension_scores import CalibrationScore
from proctor.plan import JudgeRequest
from proctor.results import GateScore, GateStatus
from proctor.stages.recorded.tally import DimensionTally, RowTally
from proctor.stages.run import Run
from proctor.statistics.kappa import cohen_kappa, kappa_interval, kappa_reported
from proctor.store import timestamp
from proctor.wording import count

_PLAIN_ROW: Final = {"id": "", "context": "-", "agent_output": "-", "injection": "-", "should_refuse": True}

CALIBRATION_GATE: Final = "calibrated judges"

CALIBRATION_ROWS: Final = "calibration: rows that a judge decides"
"""What the run of a calibration says of its selection: no row is missing that says anything of a judge."""


def calibrate(run: Run, found: RowTally, settings: DatasetSettings) -> tuple[CalibrationScore, ...]:
    """The calibration of every dimension that a judge had a part in, and store what was measured in this run.

    A dimension without labels gets the newest calibration of the same judge; without one, that of another judge or of
    other settings, which is then said to be stale. A measurement on a part of the rows is not kept: those that are
    left out, or that a judge gives no verdict on, may be the hard ones.
    """
    judged = [name for name in DIMENSIONS if name in found.dimensions and found.dimensions[name].judged]
    if not judged or not settings.row.has_judge:
        return ()
    measured = {
        name: score_labels(name, found.dimensions[name], settings.calibration, judge_digest(run, name))
        for name in judged
        if found.dimensions[name].labels or found.dimensions[name].unanswered
    }
    now, is_whole = timestamp(), run.plan.selection in (None, CALIBRATION_ROWS)
    complete = [score for name, score in measured.items() if is_whole and not found.dimensions[name].unanswered]
    run.store.save_calibrations(run.id, [replace(score, measured_at=now) for score in complete])
    earlier = run.store.calibrations() if len(measured) < len(judged) else {}
    return tuple(
        measured[name]
        if name in measured
        else _from_before(name, judge_digest(run, name), earlier.get(name, []), settings)
        for name in judged
    )


def judge_digest(run: Run, dimension: str) -> str:
    """What a calibration is bound to: judge, rubric, prompt and settings of a dimension."""
    question = DIMENSIONS[dimension].score({"dimension": dimension, **_PLAIN_ROW}, RowSettings(has_judge=True))
    assert isinstance(question, JudgeRequest), f"a judge may decide {dimension}"  # noqa: S101
    return run.judges.key(replace(question, evidence=()), 0)


def score_labels(name: str, found: DimensionTally, rule: CalibrationRule, judge: str) -> CalibrationScore:
    """Compare the verdicts on labelled rows with the labels."""
    labels = found.labels
    table = (labels[True, True], labels[True, False], labels[False, False], labels[False, True])
    kappa = kappa_reported(*table) if rule.upstream else cohen_kappa(*table)
    low, high = kappa_interval(*table) or (None, None)
    score = CalibrationScore(
        dimension=name,
        rows=labels.total(),
        true_pass=table[0],
        false_pass=table[1],
        true_fail=table[2],
        false_fail=table[3],
        kappa=kappa,
        low=low,
        high=high,
        bar=rule.bars.get(name, rule.bar),
        min_rows=1 if rule.upstream else rule.min_rows,
        trusted=False,
        status="",
        judge=judge,
    )
    rated = rate(score)
    if not found.unanswered or not score.rows:
        return rated
    missing = f"{count(found.unanswered, 'labelled row')} without a verdict"
    return replace(rated, trusted=False, status=f"{rated.status}; {missing}")


def rate(score: CalibrationScore) -> CalibrationScore:
    """Say whether a judge is trusted, and why."""
    if not score.rows:
        return replace(score, trusted=False, status="no labelled row has a verdict")
    if score.kappa is None:
        return replace(score, trusted=False, status="kappa is undefined: labels or verdicts are all of one class")
    where = f"kappa {score.kappa:.2f} on {count(score.rows, 'labelled row')}"
    if score.low is not None and score.high is not None:
        where += f" (95 % interval {score.low:.2f} to {score.high:.2f})"
    if score.rows < score.min_rows:
        return replace(score, trusted=False, status=f"{where}; {score.min_rows} rows are asked for")
    trusted = score.kappa >= score.bar
    return replace(
        score, trusted=trusted, status=f"{where}, {'reaches' if trusted else 'below'} the bar of {score.bar:g}"
    )


def calibration_gate(scores: tuple[CalibrationScore, ...], settings: DatasetSettings) -> Iterator[GateScore]:
    """Trusted judges as a gate, where the suite asks for it."""
    if not settings.calibration.blocks or not scores:
        return
    bad = [score for score in scores if not score.trusted]
    reason = "; ".join(f"{score.dimension}: {score.status}" for score in bad) or "every judge is trusted"
    total = len(scores)
    status = GateStatus.NOT_MET if bad else GateStatus.MET
    names = tuple(score.dimension for score in bad)
    yield GateScore(
        CALIBRATION_GATE, RECORDED, status, reason, 1.0, total, total, total - len(bad), 0, names, needed=total
    )


def _from_before(name: str, judge: str, earlier: list[CalibrationScore], settings: DatasetSettings) -> CalibrationScore:
    rule = settings.calibration
    bar = rule.bars.get(name, rule.bar)
    same = next((score for score in earlier if score.judge == judge), None)
    if same is not None:
        rated = rate(replace(same, bar=bar, min_rows=rule.min_rows))
        return replace(rated, status=f"{rated.status}; measured {same.measured_at}")
    if earlier:
        status = f"stale: the newest calibration, of {earlier[0].measured_at}, is of another judge, rubric or settings"
        return replace(earlier[0], bar=bar, min_rows=rule.min_rows, trusted=False, status=status)
    status = f"not calibrated: no row has a human verdict in {rule.label_field!r}"
    return CalibrationScore(name, 0, 0, 0, 0, 0, None, None, None, bar, rule.min_rows, False, status, judge)
