"""The recorded rows of a run: counted, scored by dimension, compared, calibrated; what aggregation adds for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from proctor.dataset import RECORDED
from proctor.dimension_scores import CalibrationScore, DimensionScore, Regression, RowLine, row_case
from proctor.plan import Gate
from proctor.results import CaseScore, Counts, GateScore, Slice, TrialLine
from proctor.stages.gates import is_member, is_pinned
from proctor.stages.recorded.matching import Matched
from proctor.stages.recorded.tally import RowTally
from proctor.stages.run import Run
from proctor.statistics.wilson import wilson

ALL_ROWS: Final = "all rows"
"""The name of the slice that holds every row."""

MOST_SLICES: Final = 200


@dataclass(frozen=True, slots=True)
class CountedRows:
    """Recorded rows, counted. ``members`` are those that a gate of the suite means, ``cases`` those that are trials."""

    tally: RowTally
    members: tuple[RowLine, ...]
    cases: tuple[CaseScore, ...]


@dataclass(frozen=True, slots=True)
class RowFindings:
    """What aggregation says of recorded rows. ``matched`` are the rows of this run and of its baseline."""

    dimensions: tuple[DimensionScore, ...] = ()
    gates: tuple[GateScore, ...] = ()
    slices: tuple[Slice, ...] = ()
    regression: Regression | None = None
    calibration: tuple[CalibrationScore, ...] = ()
    warnings: tuple[str, ...] = ()
    matched: Matched = field(default_factory=Matched)


def count_rows(run: Run, trials: Mapping[str, TrialLine]) -> CountedRows:
    """Count the rows of a run in one pass. ``trials`` are the rows that are trials too, by key."""
    found, gates = RowTally(), run.plan.gates
    members: list[RowLine] = []
    cases: list[CaseScore] = []
    if not run.plan.rows:
        return CountedRows(found, (), ())
    verdicts = run.store.dimension_outcomes(run.id) if run.plan.checks else {}
    for line in run.store.row_lines(run.id):
        found.add(line, verdicts.get(line.key))
        if gates and any(_means(gate, line) for gate in gates):
            members.append(line)
        trial = trials.get(line.key)
        if trial is not None:
            cases.append(row_case(line, trial.latency_ms, trial.usage))
    return CountedRows(found, tuple(members), tuple(cases))


def evaluate_rows(run: Run, counted: CountedRows, *, allowed: bool) -> RowFindings:
    """Score the counted rows of a run. ``allowed``: see `proctor.stages.case_scores`.

    A run over a part of the spec is neither held to required dimensions or numbers of rows, nor compared with a
    baseline.
    """
    settings, found, is_partial = run.plan.dataset, counted.tally, run.plan.selection is not None
    if settings is None:
        return RowFindings()
    from proctor.stages.recorded.calibration import calibrate, calibration_gate
    from proctor.stages.recorded.dimensions import dimension_gates, required_gate, score_dimensions
    from proctor.stages.recorded.regression import compare, regression_gate

    if is_partial:
        rules = {name: replace(rule, min_rows=1) for name, rule in settings.rules.items()}
        settings = replace(settings, rules=rules)
    dimensions = score_dimensions(found, settings, allowed=allowed)
    calibration = calibrate(run, found, settings)
    regression, matched = (None, Matched()) if is_partial else compare(run, dimensions, settings)
    gates = [
        *dimension_gates(dimensions, found),
        *([] if is_partial else required_gate(found, settings)),
        *calibration_gate(calibration, settings),
        *regression_gate(regression),
    ]
    slices, warnings = _slices(found)
    warnings = (*warnings, *_covered(dimensions))
    return RowFindings(dimensions, tuple(gates), slices, regression, calibration, warnings, matched)


def _means(gate: Gate, line: RowLine) -> bool:
    return is_member(gate, line) or any(is_pinned(pin, line.key) for pin in gate.must_pass)


def _slices(found: RowTally) -> tuple[tuple[Slice, ...], tuple[str, ...]]:
    """All rows that are no controls, then each slice of them, and a warning if there are too many to tell apart."""
    everything = sum((each.rows for each in found.dimensions.values()), Counts())
    named = list(found.slices.items())
    slices = [_slice(ALL_ROWS, everything), *(_slice(name, Counts.tallied(some)) for name, some in named[:MOST_SLICES])]
    more = len(named) - MOST_SLICES
    return tuple(slices), (f"{more:,} more tags and field values are not told apart",) if more > 0 else ()


def _covered(dimensions: tuple[DimensionScore, ...]) -> tuple[str, ...]:
    """Repeated cases that have too few trials for pass^k: left out of it, and said so."""
    found = ((score.name, score.reliability) for score in dimensions if score.reliability)
    return tuple(
        f"{name}: pass^{each.k} covers {each.covered} of {each.repeated} repeated cases; the others have fewer trials"
        for name, each in found
        if each.covered < each.repeated
    )


def _slice(name: str, rows: Counts) -> Slice:
    low, high = wilson(rows.passed, rows.decided)
    return Slice(name, RECORDED, rows, rows, low, high)
