"""The two caches, read and written in bulk: answers of agents and verdicts of judges, by the digest of their keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress

from sqlalchemy import select

from proctor.errors import StoreError
from proctor.results import Verdict
from proctor.store.base import BATCH, Part, batches, in_lists, upsert
from proctor.store.codec import unpack_trajectory
from proctor.store.records import timestamp
from proctor.store.tables import ANSWER, VERDICT
from proctor.trajectory import CacheOrigin, Trajectory


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

    def verdicts(self, keys: Iterable[str]) -> dict[str, Verdict]:
        """Read cached verdicts, each marked with its origin. Keys that are not there, or unreadable, are left out."""
        columns = (VERDICT.c.key, VERDICT.c.verdict, VERDICT.c.run_id, VERDICT.c.created_at)
        found: dict[str, Verdict] = {}
        with self._database.reading() as connection:
            for some in in_lists(keys):
                for key, data, run_id, created_at in connection.execute(
                    select(*columns).where(VERDICT.c.key.in_(some))
                ):
                    with suppress(TypeError, KeyError, ValueError, ArithmeticError):
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
