"""Recorded rows are scored, a span of their file at a time.

A row that a rule passes leaves a light line. Any other becomes a trial with its trajectory, and its finding or its
question for a judge; so does every row when checks of the user's run on it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from proctor.checks.dimensions import DIMENSIONS
from proctor.checks.dimensions.base import Finding, Row, RowResult
from proctor.checks.dimensions.pii import is_control
from proctor.dataset import RECORDED, DatasetSettings
from proctor.dimension_scores import RowLine
from proctor.excerpt import quote
from proctor.formats.assevra.observed import definition, trajectory
from proctor.formats.assevra.scan import CAPTURE_ERROR, read_rows
from proctor.plan import Case, Check, JudgeRequest, Outline, Turn
from proctor.results import CheckKind, CheckResult, Outcome, TrialRef
from proctor.stages.progress import Stage
from proctor.stages.recorded.chunks import RowChunk
from proctor.stages.run import Run
from proctor.stages.trial_checks import evaluate_check, placed_checks, trial_outcome, without_idle_questions
from proctor.statistics.human_label import human_label
from proctor.store import NewTrial, Pending
from proctor.store.scores import ScoredTrial
from proctor.trajectory import Ending

_NOTHING = RowResult(Outcome.UNSCORED, (Finding("nothing_to_verify", "", "the row has nothing to verify it against"),))


class ScoredRow(NamedTuple):
    """A row whose dimension has spoken: the line that is kept, and what was found or has to be asked."""

    line: RowLine
    row: Row
    found: RowResult | JudgeRequest


def score_rows(run: Run, chunk: RowChunk) -> int:
    """Score a span by rule, store it, and count the questions for judges that were left in the store.

    Raises:
        SourceChanged: the span is not what it was at validation.
    """
    place = chunk.place
    if place in run.scored_rows:
        run.progress.advance(Stage.SCORE, len(chunk))
        return 0
    scored = list(scored_rows(run, chunk))
    trials = [_trial(run, item) for item in scored if run.own_checks or item.line.outcome is not Outcome.PASSED]
    lines = [item.line for item in scored]
    run.store.save_rows(run.id, place, lines, trials)
    run.scored_rows.add(place)
    run.progress.advance(Stage.SCORE, len(chunk))
    return sum(isinstance(check, Pending) for _, _, checks in trials for check in checks)


def scored_rows(run: Run, chunk: RowChunk) -> Iterator[ScoredRow]:
    """The rows of a span as their dimensions see them."""
    assert run.plan.dataset is not None, "a plan with recorded rows has their settings"  # noqa: S101
    settings, wanted, name = run.plan.dataset, run.row_filter, chunk.source.name
    for number, row in read_rows(chunk.source.path, chunk.span):
        if wanted is None or wanted(name, row):
            found = score_row(row, settings) if not row.get(CAPTURE_ERROR) else _not_captured(row[CAPTURE_ERROR])
            yield ScoredRow(_line(row, found, settings, name, number), row, found)


def score_row(row: Row, settings: DatasetSettings) -> RowResult | JudgeRequest:
    """What the dimension of a row says. A row without anything to verify is unscored, which no release lets through."""
    dimension = DIMENSIONS[row["dimension"]]
    if not settings.strict and not dimension.is_labeled(row, settings.row):
        return _NOTHING
    return dimension.score(row, settings.row)


def _not_captured(error: object) -> RowResult:
    """The agent could not be run when the row was recorded: an outage, which says nothing of the agent."""
    text = f"the agent could not be run when the row was recorded: {quote(_spelled(error), 200)}"
    return RowResult(Outcome.ERRORED, (Finding("capture_error", "", text),))


def recorded_case(row: Row) -> Case:
    """A row as a case, for checks of the user's."""
    key = row["id"]
    tags = tuple(row.get("tags") or ())
    return Case(Outline(key=key, id=key, runs=1, threshold=1.0, tags=tags), (Turn(row.get("input") or ""),))


def row_checks(row: Row, found: RowResult | JudgeRequest, own: Sequence[Check]) -> Iterator[CheckResult | JudgeRequest]:
    """The checks of a row in the order of their positions in the store: its dimension, then the user's own."""
    yield found if isinstance(found, JudgeRequest) else _check(row["dimension"], found)
    if own:
        seen = trajectory(row)
        for check, context in placed_checks(recorded_case(row), seen, own):
            yield evaluate_check(check, context)


def _check(name: str, found: RowResult) -> CheckResult:
    return CheckResult(name, found.outcome, found.reason, None, CheckKind.DETERMINISTIC)


def _line(row: Row, found: RowResult | JudgeRequest, settings: DatasetSettings, source: str, number: int) -> RowLine:
    key, tags, name = row["id"], row.get("tags"), row["dimension"]
    label = row.get(settings.calibration.label_field)
    if isinstance(found, RowResult):
        outcome, measure = found.outcome, found.measure
        judged = outcome is Outcome.SKIPPED and DIMENSIONS[name].needs_judge
    else:
        outcome, measure, judged = Outcome.UNSCORED, None, True
    return RowLine(
        key,
        name,
        row.get("case_id") or key,
        source,
        number,
        outcome,
        measure,
        tuple(tags) if tags else (),
        _slices(row, settings.slices) if settings.slices else (),
        definition(row),
        bool(tags) and is_control(row),
        judged,
        None if label is None else human_label(label),
    )


def _slices(row: Row, fields: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    return tuple((field, _spelled(row[field])) for field in fields if row.get(field) is not None)


def _spelled(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _trial(run: Run, item: ScoredRow) -> ScoredTrial:
    """A row as a trial with its checks. Where the suite says so, judges are not asked once a rule has failed it."""
    row, own = item.row, run.own_checks
    names = (row["dimension"], *(check.name for check in own))
    checks: list[CheckResult | Pending] = [
        Pending(name) if isinstance(check, JudgeRequest) else check
        for name, check in zip(names, row_checks(row, item.found, own), strict=True)
    ]
    if run.plan.judge.ask != "always":
        checks = without_idle_questions(checks)
    return NewTrial(TrialRef(RECORDED, item.line.key, 0), trajectory(row)), _outcome(checks), checks


def _outcome(checks: Sequence[CheckResult | Pending]) -> Outcome | None:
    """The outcome of a row; None while a judge has to be asked. A dimension that was skipped leaves the row skipped."""
    if any(isinstance(check, Pending) for check in checks):
        return None
    outcomes = [check.outcome for check in checks if isinstance(check, CheckResult)]
    if outcomes[0] is Outcome.ERRORED:
        return Outcome.ERRORED
    if Outcome.FAILED not in outcomes and outcomes[0] is Outcome.SKIPPED:
        return Outcome.SKIPPED
    return trial_outcome(Ending.COMPLETED, outcomes)
