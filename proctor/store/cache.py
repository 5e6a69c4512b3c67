"""The two caches, read and written in bulk: answers of agents and verdicts of judges, by the digest of their keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from sqlalchemy import BindParameter, bindparam, delete, insert, select

from proctor.errors import StoreError
from proctor.results import TrialRef, Verdict
from proctor.store.base import BATCH, Part, batches, execute_many, in_lists, upsert
from proctor.store.codec import UNREADABLE, unpack_trajectory
from proctor.store.records import timestamp
from proctor.store.tables import ANSWER, TRIAL, VERDICT
from proctor.store.trials import MEASURES
from proctor.trajectory import CacheOrigin, Ending, Trajectory


def _place(ref: TrialRef) -> dict[str, Any]:
    return {"at_agent": ref.agent, "at_case_key": ref.case, "at_trial": ref.trial}


_COPIED = ("run_id", "agent", "case_key", "trial", "ending", "created_at")


def _given(name: str) -> BindParameter[Any]:
    return bindparam(f"at_{name}", type_=TRIAL.c[name].type)


_MAKE_ROOM = delete(TRIAL).where(*(TRIAL.c[name] == _given(name) for name in ("run_id", "agent", "case_key", "trial")))
_COPY = insert(TRIAL).from_select(
    [*MEASURES, "key", "cached_run_id", "cached_at", *_COPIED],
    select(
        *(ANSWER.c[name] for name in MEASURES),
        ANSWER.c.key,
        ANSWER.c.run_id,
        ANSWER.c.created_at,
        *map(_given, _COPIED),
    ).where(ANSWER.c.key == bindparam("at_key", type_=ANSWER.c.key.type)),
)
"""Makes a trial of a cached answer."""


class Caches(Part):
    """What earlier runs were answered, for this run to use again."""

    def answers(self, keys: Iterable[str]) -> dict[str, Trajectory]:
        """Read cached answers, each marked with its origin. A key that is not there is left out.

        So is an answer that another version of Proctor wrote in another shape: when in doubt, a miss.
        """
        columns = (ANSWER.c.key, ANSWER.c.trajectory, ANSWER.c.run_id, ANSWER.c.created_at)
        found: dict[str, Trajectory] = {}
        with self._database.reading() as connection:
            for some in in_lists(keys):
                for key, packed, run_id, created_at in connection.execute(
                    select(*columns).where(ANSWER.c.key.in_(some))
                ):
                    with suppress(StoreError):
                        found[key] = unpack_trajectory(packed, CacheOrigin(run_id, created_at))
        return found

    def copy_answers(self, run_id: str, wanted: Mapping[TrialRef, str]) -> set[TrialRef]:
        """Store trials as copies of cached answers, by their keys, in place of earlier ones; tell which had an answer.

        The copies are made inside the database: no trajectory is read. Each keeps its origin, latency and cost.
        """
        refs = {key: ref for ref, key in wanted.items()}
        fixed = {"at_run_id": run_id, "at_ending": Ending.COMPLETED.value, "at_created_at": timestamp()}
        copied: set[TrialRef] = set()
        for keys in in_lists(refs):
            with self._database.writing() as connection:
                known = connection.execute(select(ANSWER.c.key).where(ANSWER.c.key.in_(keys))).scalars().all()
                places = [{**fixed, "at_key": key, **_place(refs[key])} for key in known]
                execute_many(connection, _MAKE_ROOM, places)
                execute_many(connection, _COPY, places)
            copied.update(refs[key] for key in known)
        return copied

    def verdicts(self, keys: Iterable[str]) -> dict[str, Verdict]:
        """Read cached verdicts, each marked with its origin. Keys that are not there, or unreadable, are left out."""
        columns = (VERDICT.c.key, VERDICT.c.verdict, VERDICT.c.run_id, VERDICT.c.created_at)
        found: dict[str, Verdict] = {}
        with self._database.reading() as connection:
            for some in in_lists(keys):
                for key, data, run_id, created_at in connection.execute(
                    select(*columns).where(VERDICT.c.key.in_(some))
                ):
                    with suppress(*UNREADABLE):
                        found[key] = Verdict.from_json(data, CacheOrigin(run_id, created_at))
        return found

    def save_verdict_cache(self, run_id: str, verdicts: Mapping[str, Verdict]) -> None:
        """Keep verdicts for later runs, in place of older ones. No verdict and copies of cached ones are not kept."""
        now = timestamp()
        rows = [
            {"key": key, "verdict": verdict.to_json(), "run_id": run_id, "created_at": now}
            for key, verdict in verdicts.items()
            if verdict.passed is not None and verdict.cached is None
        ]
        for batch in batches(rows, BATCH):
            with self._database.writing() as connection:
                upsert(connection, VERDICT, batch)
