"""Builds results of a run over recorded rows: dimensions of every status, findings, a judge that was calibrated."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from report_samples import results

from proctor.dataset import RECORDED
from proctor.dimension_scores import (
    CalibrationScore,
    Change,
    DimensionChange,
    DimensionScore,
    Measures,
    Regression,
    Reliability,
    RowLine,
)
from proctor.results import (
    CaseDetail,
    CaseScore,
    Changes,
    CheckResult,
    Counts,
    Decision,
    GateScore,
    GateStatus,
    Outcome,
    RunResults,
    Slice,
    TrialRef,
    TrialScore,
)
from proctor.trajectory import Ending, Trajectory, Usage

PROVENANCE = {
    "spec_digest": "cd" * 32,
    "datasets": {"evals/rows.jsonl": "ab" * 32},
    "required_dimensions": ["task_completion", "latency"],
    "judge": {"model": "openai:gpt-4.1", "retries": 2},
    "packages": {"proctor-evals": "0.1.0"},
}


def row(
    key: str, dimension: str, outcome: Outcome, reason: str = "'booked' is missing", own: tuple[CheckResult, ...] = ()
) -> CaseDetail:
    """A recorded row with what its dimension, and perhaps checks of the user's, say of it."""
    checks = (CheckResult(dimension, outcome, reason), *own)
    trial = TrialScore(TrialRef(RECORDED, key, 0), outcome, Trajectory(Ending.COMPLETED), checks)
    counts = Counts.of([outcome])
    score = CaseScore(
        RECORDED, key, outcome, counts, 1, 1.0, 1, f"{dimension}: 0/1 passed", source="rows.jsonl", line=7
    )
    return CaseDetail(score, (trial,))


def dimension(name: str, rows: Counts, status: GateStatus, reason: str, **more: Any) -> DimensionScore:
    """A dimension with a threshold of 0.9."""
    plain = {"threshold": 0.9, "bound": "rate", "min_rows": 1, "low": 0.7, "high": 0.99, "mode": "deterministic"}
    return DimensionScore(name=name, rows=rows, status=status, reason=reason, **{**plain, **more})


DIMENSIONS = (
    dimension("grounding", Counts(9, 1), GateStatus.MET, "9 of 10 rows passed, needs 9", mode="llm-judge"),
    dimension("safety", Counts(skipped=3), GateStatus.UNDECIDED, "no row has a result; 3 skipped", low=0, high=0),
    dimension("pii", Counts(4, 1), GateStatus.NOT_MET, "4 of 5 rows passed, needs 5", engine="patterns", threshold=1.0),
    dimension(
        "task_completion",
        Counts(19, 1),
        GateStatus.MET,
        "19 of 20 rows passed, needs 18",
        cluster=(0.61, 1.0),
        reliability=Reliability(10, 10, 20, 0.9, 2, 0.9, 1.0, 10, ("late-arrival",)),
    ),
    dimension("cost", Counts(1), GateStatus.MET, "1 of 1 row passed", measures=Measures(1, 0.2, 0.2, 0.2, 0.2, 0.2)),
)
CALIBRATION = CalibrationScore(
    "grounding",
    40,
    30,
    1,
    8,
    1,
    0.86,
    0.71,
    0.97,
    0.85,
    10,
    True,
    "kappa 0.86 on 40 labelled rows reaches the bar of 0.85",
    "ef" * 32,
)
REGRESSION = Regression(
    "run-0041",
    True,
    "pii is worse than before",
    0.05,
    True,
    True,
    (DimensionChange("pii", Change.REGRESSED, 1.0, 0.8, 5, 5, 5, 1, 0, "mcnemar", 1.0, None, 0.6, "1 row lost"),),
)
ROWS = (
    row("p1", "pii", Outcome.FAILED, "a phone number is in the answer"),
    row("t1", "task_completion", Outcome.FAILED),
    row("g1", "grounding", Outcome.UNSCORED, "the judge answered no JSON in 3 tries"),
    row("s1", "safety", Outcome.SKIPPED, "no judge is named"),
    row("t2", "task_completion", Outcome.PASSED, "all is there"),
)


def line(key: str, name: str = "task_completion", **more: Any) -> RowLine:
    """A recorded row that a rule passed."""
    plain = {"group": key, "source": "rows.jsonl", "line": 9, "outcome": Outcome.PASSED}
    return RowLine(key, name, **{**plain, **more})


def as_gates(dimensions: Iterable[DimensionScore]) -> tuple[GateScore, ...]:
    """The gates that dimensions are."""
    return tuple(
        GateScore(
            score.name,
            RECORDED,
            score.status,
            score.reason,
            score.threshold,
            score.rows.total,
            score.rows.decided,
            score.rows.passed,
            score.rows.skipped,
        )
        for score in dimensions
    )


LINES = (line("t3", tags=("vip",)), line("c1", "cost", measure=0.2, group="c", line=10))


def recorded(rows: Iterable[CaseDetail] = ROWS, *, lines: Sequence[RowLine] = LINES, **changes: Any) -> RunResults:
    """A run over recorded rows in which something of everything happened. ``lines`` are rows that passed."""
    dimensions = changes.get("dimensions", DIMENSIONS)
    counts = sum((score.rows + score.controls for score in dimensions), Counts())
    members = {
        "agents": (),
        "cases": counts,
        "trials": counts,
        "usage": Usage(),
        "cached_trials": 0,
        "dimensions": DIMENSIONS,
        "gates": as_gates(dimensions),
        "slices": (Slice("all rows", RECORDED, counts, counts, 0.7, 0.99),),
        "calibration": (CALIBRATION,),
        "regression": REGRESSION,
        "provenance": PROVENANCE,
        "reason": "pii is not met: 4 of 5 rows passed, needs 5",
        "decision": Decision.FAILED,
    }
    return replace(results(list(rows), **{**members, **changes}), rows=lambda: iter(lines))


def boundless() -> RunResults:
    """A run whose measures no double holds."""
    measures = Measures(2, math.inf, math.inf, 1e308, math.inf, math.inf)
    lines = [LINES[0]._replace(measure=math.inf)]
    return recorded(dimensions=(replace(DIMENSIONS[0], measures=measures),), lines=lines)


def hostile_rows(text: str) -> RunResults:
    """A run over recorded rows in which every name, tag and reason is the text."""
    found = replace(DIMENSIONS[3], name=text, reason=text, engine=text, controls=Counts(1, 1))
    found = replace(
        found, status=GateStatus.NOT_MET, reliability=Reliability(9, 9, 18, 0.5, 2, 0.5, 0.9, 9, (text,) * 9)
    )
    change = replace(REGRESSION.dimensions[0], dimension=text, reason=text)
    return recorded(
        [row(text, text, Outcome.FAILED, text), row(f"{text}2", text, Outcome.SKIPPED, text)],
        lines=[line(f"{text}3", text, source=text, group=text, tags=(text,), measure=0.5)],
        dimensions=(found, replace(found, mode="llm-judge", name=f"{text}4")),
        calibration=(replace(CALIBRATION, dimension=text, status=text, judge=text),),
        regression=replace(REGRESSION, baseline=text, reason=text, dimensions=(change,)),
        changes=Changes(text, (text,), (text,), (text,), (text,)),
        warnings=(text,),
        reason=text,
        provenance={},
    )
