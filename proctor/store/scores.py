"""The scores of trials: saved in bulk after the rules, completed after the judges, read back check by check."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Any, TypeAlias

from sqlalchemy import Connection, and_, bindparam, delete, select, update

from proctor.results import CheckKind, CheckResult, Outcome, TrialRef, Verdict
from proctor.store.base import BATCH, Part, batches, case_conditions, execute_many
from proctor.store.records import NewTrial, Pending, PendingCheck, PendingTrial
from proctor.store.tables import SCORE, TRIAL
from proctor.store.trials import origin, trial_row, write_trials

Checks: TypeAlias = Sequence[CheckResult | Pending]
"""All checks of a trial in order."""

Scored: TypeAlias = tuple[TrialRef, Outcome | None, Checks]
"""A trial, its outcome (None while a judge has to be asked), and its checks."""

ScoredTrial: TypeAlias = tuple[NewTrial, Outcome | None, Checks]
"""A trial that is stored together with its outcome and its checks."""

Judged: TypeAlias = tuple[TrialRef, Outcome, Sequence[tuple[int, CheckResult]]]
"""A trial, its outcome now, and the checks that a judge has decided, each with its position."""

NOT_ASKED = "no judge has been asked yet"

CHECK_COLUMNS = (
    SCORE.c.turn, SCORE.c.name, SCORE.c.kind, SCORE.c.outcome, SCORE.c.reason,
    SCORE.c.verdict, SCORE.c.verdict_cached_run_id, SCORE.c.verdict_cached_at,
)  # fmt: skip
_PENDING = {
    "kind": CheckKind.JUDGED,
    "outcome": None,
    "reason": "",
    "verdict": None,
    "verdict_cached_run_id": None,
    "verdict_cached_at": None,
}


def _places(table: Any) -> Any:
    return and_(
        table.c.run_id == bindparam("at_run"),
        table.c.agent == bindparam("at_agent"),
        table.c.case_key == bindparam("at_case"),
        table.c.trial == bindparam("at_trial"),
    )


_SET_OUTCOME = update(TRIAL).where(_places(TRIAL)).values(outcome=bindparam("to_outcome"))
_FORGET = delete(SCORE).where(_places(SCORE))
_DECIDE = (
    update(SCORE)
    .where(_places(SCORE), SCORE.c.position == bindparam("at_position"))
    .values({name: bindparam(f"to_{name}") for name in (
        "turn", "name", "kind", "outcome", "reason", "verdict", "verdict_cached_run_id", "verdict_cached_at",
    )})
)  # fmt: skip


class Scores(Part):
    """The checks of all trials of this store."""

    def save_scores(self, run_id: str, scored: Iterable[Scored]) -> None:
        """Store the outcome and the checks of trials, in place of all earlier checks of the same trials.

        A `Pending` check waits for `save_verdicts`. The trials themselves are stored before.
        """
        for batch in batches(scored, BATCH):
            outcomes = [_place(run_id, ref) | {"to_outcome": outcome} for ref, outcome, _ in batch]
            with self._database.writing() as connection:
                execute_many(connection, _SET_OUTCOME, outcomes)
                _replace_checks(connection, run_id, [(ref, checks) for ref, _, checks in batch])

    def pending(self, run_id: str, refs: Collection[TrialRef]) -> list[PendingTrial]:
        """List those of these trials that wait for a judge, with the questions and what the rules have said."""
        columns = (SCORE.c.agent, SCORE.c.case_key, SCORE.c.trial, SCORE.c.position, SCORE.c.name, SCORE.c.turn)
        query = select(*columns, SCORE.c.outcome).order_by(*SCORE.primary_key)
        asked: defaultdict[TrialRef, list[PendingCheck]] = defaultdict(list)
        decided: defaultdict[TrialRef, list[Outcome]] = defaultdict(list)
        with self._database.reading() as connection:
            waiting = _waiting(connection, run_id, refs)
            for condition in case_conditions(SCORE, run_id, waiting):
                for agent, case, trial, position, name, turn, outcome in connection.execute(query.where(condition)):
                    ref = TrialRef(agent, case, trial)
                    if ref in waiting and outcome is None:
                        asked[ref].append(PendingCheck(position, name, turn))
                    elif ref in waiting:
                        decided[ref].append(Outcome(outcome))
        return [PendingTrial(ref, tuple(checks), tuple(decided[ref])) for ref, checks in asked.items()]

    def save_verdicts(self, run_id: str, judged: Iterable[Judged]) -> None:
        """Store what judges said of pending checks, and with it the outcome of their trials."""
        for batch in batches(judged, BATCH):
            places = [_place(run_id, ref) | {"to_outcome": outcome} for ref, outcome, _ in batch]
            rows = [
                _place(run_id, ref) | {"at_position": position} | _prefixed(_check_columns(check))
                for ref, _, checks in batch
                for position, check in checks
            ]
            with self._database.writing() as connection:
                execute_many(connection, _SET_OUTCOME, places)
                execute_many(connection, _DECIDE, rows)


def write_scored(connection: Connection, run_id: str, scored: Sequence[ScoredTrial]) -> None:
    """Write trials together with their outcomes and checks: what recorded rows need, which are read and scored once."""
    write_trials(connection, [trial_row(run_id, trial, outcome) for trial, outcome, _ in scored])
    _replace_checks(connection, run_id, [(trial.ref, checks) for trial, _, checks in scored])


def check_from_row(row: Sequence[Any]) -> CheckResult:
    """Make a check from the columns `CHECK_COLUMNS`. One that still waits for a judge is unscored."""
    turn, name, kind, outcome, reason, verdict, cached_run_id, cached_at = row
    return CheckResult(
        name=name,
        outcome=Outcome.UNSCORED if outcome is None else Outcome(outcome),
        reason=NOT_ASKED if outcome is None else reason,
        turn=turn,
        kind=CheckKind(kind),
        verdict=None if verdict is None else Verdict.from_json(verdict, origin(cached_run_id, cached_at)),
    )


def _replace_checks(connection: Connection, run_id: str, checked: Sequence[tuple[TrialRef, Checks]]) -> None:
    earlier = _with_checks(connection, run_id, [ref for ref, _ in checked])
    execute_many(connection, _FORGET, [_place(run_id, ref) for ref in earlier])
    rows = [
        _check_row(run_id, ref, position, check) for ref, checks in checked for position, check in enumerate(checks)
    ]
    execute_many(connection, SCORE.insert(), rows)


def _with_checks(connection: Connection, run_id: str, refs: Collection[TrialRef]) -> set[TrialRef]:
    """Those of these trials that have checks already. To look is cheaper than to delete what is not there."""
    query = select(SCORE.c.agent, SCORE.c.case_key, SCORE.c.trial).where(SCORE.c.position == 0)
    rows = (row for part in case_conditions(SCORE, run_id, refs) for row in connection.execute(query.where(part)))
    return {TrialRef(*row) for row in rows}.intersection(refs)


def _waiting(connection: Connection, run_id: str, refs: Collection[TrialRef]) -> set[TrialRef]:
    """Those of these trials that have no outcome yet."""
    columns = (TRIAL.c.agent, TRIAL.c.case_key, TRIAL.c.trial)
    query = select(*columns).where(TRIAL.c.outcome.is_(None))
    rows = (row for part in case_conditions(TRIAL, run_id, refs) for row in connection.execute(query.where(part)))
    return {TrialRef(*row) for row in rows}.intersection(refs)


def _place(run_id: str, ref: TrialRef) -> dict[str, Any]:
    return {"at_run": run_id, "at_agent": ref.agent, "at_case": ref.case, "at_trial": ref.trial}


def _prefixed(columns: dict[str, Any]) -> dict[str, Any]:
    return {f"to_{name}": value for name, value in columns.items()}


def _check_row(run_id: str, ref: TrialRef, position: int, check: CheckResult | Pending) -> dict[str, Any]:
    row = {"run_id": run_id, "agent": ref.agent, "case_key": ref.case, "trial": ref.trial, "position": position}
    return row | _check_columns(check)


def _check_columns(check: CheckResult | Pending) -> dict[str, Any]:
    if isinstance(check, Pending):
        return {**_PENDING, "turn": check.turn, "name": check.name}
    cached = check.verdict and check.verdict.cached
    return {
        "turn": check.turn,
        "name": check.name,
        "kind": check.kind,
        "outcome": check.outcome,
        "reason": check.reason,
        "verdict": check.verdict and check.verdict.to_json(),
        "verdict_cached_run_id": cached and cached.run_id,
        "verdict_cached_at": cached and cached.created_at,
    }
