"""The scores of cases, and a whole run read back page by page, worst cases first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import Column, ColumnElement, Select, Table, literal, select, tuple_

from proctor.results import CaseDetail, CaseScore, CheckResult, Counts, Outcome, RunResults, TrialRef, TrialScore
from proctor.store.base import BATCH, batches, case_conditions, upsert
from proctor.store.codec import unpack_trajectory
from proctor.store.rows import Rows
from proctor.store.runs import Runs
from proctor.store.scores import CHECK_COLUMNS, check_from_row
from proctor.store.tables import CASE, SCORE, TRIAL
from proctor.store.trials import origin, outcome_of
from proctor.trajectory import Usage

_COUNTS = ("passed", "failed", "errored", "refused", "unscored", "skipped")
_PLAIN = (
    "agent", "runs", "threshold", "needed", "reason", "source", "line", "latency_ms", "cached",
)  # fmt: skip
_RANKS = {Outcome.FAILED: 0, Outcome.ERRORED: 1, Outcome.UNSCORED: 2, Outcome.REFUSED: 3}
_FLAKY, _REST = 4, 5
# Cases in memory at once while a run is read back.
_PAGE = 200

_ORDER = (CASE.c.rank, CASE.c.agent, CASE.c.case_key)
_TRIALS = (
    TRIAL.c.agent, TRIAL.c.case_key, TRIAL.c.trial, TRIAL.c.outcome, TRIAL.c.trajectory,
    TRIAL.c.cached_run_id, TRIAL.c.cached_at,
)  # fmt: skip
_CHECKS = (SCORE.c.agent, SCORE.c.case_key, SCORE.c.trial, *CHECK_COLUMNS)


class Cases(Runs, Rows):
    """The scored cases of all runs."""

    def save_cases(self, run_id: str, scores: Iterable[CaseScore]) -> None:
        """Store the scores of cases in bulk. A case that is there already is replaced."""
        for batch in batches(scores, BATCH):
            rows = [_case_row(run_id, score) for score in batch]
            with self._database.writing() as connection:
                upsert(connection, CASE, rows)

    def case_scores(self, run_id: str) -> list[CaseScore]:
        """List the scores of all cases of a run, worst first."""
        query = select(CASE).where(CASE.c.run_id == run_id).order_by(*_ORDER)
        with self._database.reading() as connection:
            return [_case_score(row) for row in connection.execute(query).mappings()]

    def results(self, run_id: str) -> RunResults:
        """Give the summary of a run, its cases and its passed rows, which are read page by page, anew for each call.

        Raises UsageError for a run that has no summary yet.
        """
        return RunResults(self.summary(run_id), lambda: self._details(run_id), lambda: self.passed_rows(run_id))

    def _details(self, run_id: str) -> Iterator[CaseDetail]:
        query = select(CASE).where(CASE.c.run_id == run_id).order_by(*_ORDER).limit(_PAGE)
        page = query
        while rows := self._rows(page):
            scores = [_case_score(row) for row in rows]
            yield from self._with_trials(run_id, scores)
            # From the last row on, not by offset: each page costs the same, however far down it is.
            page = query.where(tuple_(*_ORDER) > tuple_(*_of_row(rows[-1], _ORDER)))

    def _rows(self, query: Select[Any]) -> Sequence[Any]:
        with self._database.reading() as connection:
            return connection.execute(query).mappings().all()

    def _with_trials(self, run_id: str, scores: Sequence[CaseScore]) -> Iterator[CaseDetail]:
        refs = [TrialRef(score.agent, score.case, 0) for score in scores]
        checks: defaultdict[TrialRef, list[CheckResult]] = defaultdict(list)
        for agent, case, trial, *check in self._of_cases(SCORE, _CHECKS, run_id, refs):
            checks[TrialRef(agent, case, trial)].append(check_from_row(check))
        trials: defaultdict[tuple[str, str], list[TrialScore]] = defaultdict(list)
        for agent, case, trial, outcome, packed, run, at in self._of_cases(TRIAL, _TRIALS, run_id, refs):
            ref = TrialRef(agent, case, trial)
            trajectory = unpack_trajectory(packed, origin(run, at))
            trials[agent, case].append(
                TrialScore(ref, outcome_of(outcome, trajectory.ending), trajectory, tuple(checks.get(ref, ())))
            )
        for score in scores:
            yield CaseDetail(score, tuple(trials[score.agent, score.case]))

    def _of_cases(self, table: Table, columns: Sequence[Any], run_id: str, refs: Sequence[TrialRef]) -> Iterator[Any]:
        """The rows of these cases, in the order of the table's key inside each case."""
        query = select(*columns).order_by(*table.primary_key)
        with self._database.reading() as connection:
            for condition in case_conditions(table, run_id, refs):
                yield from connection.execute(query.where(condition)).all()


def _of_row(row: Any, columns: Sequence[Column[Any]]) -> list[ColumnElement[Any]]:
    """The values of a row as parameters. They need the types of their columns, which is how any text is stored."""
    return [literal(row[column.name], column.type) for column in columns]


def _rank(score: CaseScore) -> int:
    return _RANKS.get(score.outcome, _FLAKY if score.flaky else _REST)


def _case_row(run_id: str, score: CaseScore) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "case_key": score.case,
        "rank": _rank(score),
        "outcome": score.outcome,
        **{name: getattr(score.counts, name) for name in _COUNTS},
        **{name: getattr(score, name) for name in _PLAIN},
        "tags": list(score.tags),
        "markers": list(score.markers),
        "usage": score.usage.to_json(),
    }


def _case_score(row: Any) -> CaseScore:
    return CaseScore(
        case=row["case_key"],
        outcome=Outcome(row["outcome"]),
        counts=Counts(*(row[name] for name in _COUNTS)),
        tags=tuple(row["tags"]),
        markers=tuple(row["markers"]),
        usage=Usage.from_json(row["usage"]),
        **{name: row[name] for name in _PLAIN},
    )
