"""The trials of a run: written in bulk or as they end, read back by reference."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, select

from proctor.results import Outcome, TrialRef
from proctor.store.base import BATCH, Part, batches, case_conditions, upsert
from proctor.store.codec import pack_trajectory, unpack_trajectory
from proctor.store.records import NewTrial, timestamp
from proctor.store.tables import ANSWER, TRIAL
from proctor.store.writer import TrialWriter
from proctor.trajectory import CacheOrigin, Ending, Trajectory

Row = dict[str, Any]

# An agent may report any number of tokens. The columns are for looking; the exact number is in the trajectory.
_LARGEST = 2**63 - 1
_NOT_SCORED = {Ending.COMPLETED: Outcome.UNSCORED, Ending.ERRORED: Outcome.ERRORED, Ending.REFUSED: Outcome.REFUSED}


class Trials(Part):
    """The trials of all runs of this store."""

    def save_trials(self, run_id: str, trials: Iterable[NewTrial]) -> None:
        """Store trials in bulk, and the cacheable ones as answers too. A trial that is there already is replaced."""
        for batch in batches(trials, BATCH):
            self._write([trial_row(run_id, trial) for trial in batch])

    def writer(self, run_id: str) -> TrialWriter:
        """Open a writer that stores each trial the moment it ends. Use it by ``async with``."""
        return TrialWriter(lambda trial: trial_row(run_id, trial), self._write)

    def trial_refs(self, run_id: str) -> dict[TrialRef, Ending]:
        """Give the trials that are stored, errored ones too, each with its ending. A resume runs the others."""
        query = select(TRIAL.c.agent, TRIAL.c.case_key, TRIAL.c.trial, TRIAL.c.ending).where(TRIAL.c.run_id == run_id)
        with self._database.reading() as connection:
            return {TrialRef(row[0], row[1], row[2]): Ending(row[3]) for row in connection.execute(query)}

    def trajectories(self, run_id: str, refs: Collection[TrialRef]) -> dict[TrialRef, Trajectory]:
        """Read the trajectories of these trials. Trials that are not stored are left out."""
        wanted = set(refs)
        found: dict[TrialRef, Trajectory] = {}
        columns = (
            TRIAL.c.agent, TRIAL.c.case_key, TRIAL.c.trial, TRIAL.c.trajectory,
            TRIAL.c.cached_run_id, TRIAL.c.cached_at,
        )  # fmt: skip
        with self._database.reading() as connection:
            for condition in case_conditions(TRIAL, run_id, refs):
                for agent, case, trial, packed, run, at in connection.execute(select(*columns).where(condition)):
                    ref = TrialRef(agent, case, trial)
                    if ref in wanted:
                        found[ref] = unpack_trajectory(packed, origin(run, at))
        return found

    def _write(self, rows: list[Row]) -> None:
        with self._database.writing() as connection:
            write_trials(connection, rows)


_TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens")
MEASURES = ("trajectory", "latency_ms", "cost_usd", *_TOKENS, "attempts")
"""The columns that a trial and its cached answer have in common."""


def write_trials(connection: Connection, rows: list[Row]) -> None:
    """Write rows of `trial_row`: the trials, and their answers for the cache."""
    answers = [answer for row in rows if (answer := row.pop("answer")) is not None]
    upsert(connection, TRIAL, rows)
    upsert(connection, ANSWER, answers)


def trial_row(run_id: str, new: NewTrial, outcome: Outcome | None = None) -> Row:
    """Make the row of a trial, with the row of its cached answer (or None) as the member ``answer``."""
    trajectory = new.trajectory
    failure, cached, usage = trajectory.failure, trajectory.cached, trajectory.usage
    row: Row = {
        "run_id": run_id,
        "agent": new.ref.agent,
        "case_key": new.ref.case,
        "trial": new.ref.trial,
        "key": new.key,
        "ending": trajectory.ending.value,
        "outcome": outcome,
        "trajectory": pack_trajectory(trajectory),
        "latency_ms": trajectory.latency_ms,
        "cost_usd": None if usage.cost_usd is None else str(usage.cost_usd),
        **{name: max(-_LARGEST, min(getattr(usage, name), _LARGEST)) for name in _TOKENS},
        "attempts": trajectory.attempts,
        "failure_kind": failure and failure.kind,
        "failure_type": failure and failure.type,
        "failure_message": failure and failure.message,
        "cached_run_id": cached and cached.run_id,
        "cached_at": cached and cached.created_at,
        "created_at": timestamp(),
    }
    return row | {"answer": _answer_row(row, new.parts) if _is_answer(new) else None}


def origin(run_id: str | None, created_at: str | None) -> CacheOrigin | None:
    """Put the two columns of a cache origin together again."""
    return None if run_id is None or created_at is None else CacheOrigin(run_id, created_at)


def outcome_of(stored: str | None, ending: str) -> Outcome:
    """The outcome of a trial; what has not been scored is nothing else but unscored, errored or refused."""
    return Outcome(stored) if stored is not None else _NOT_SCORED[Ending(ending)]


def _is_answer(new: NewTrial) -> bool:
    """Outages, refusals and what ran out of time are never answers, and a copy is not a second original."""
    trajectory = new.trajectory
    completed = trajectory.ending is Ending.COMPLETED and not trajectory.out_of_time
    return new.cacheable and completed and trajectory.cached is None


def _answer_row(row: Row, parts: Mapping[str, Any]) -> Row:
    return {name: row[name] for name in (*MEASURES, "key", "run_id", "created_at")} | {"parts": dict(parts)}
