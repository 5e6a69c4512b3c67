"""The store: what runs asked for, what agents did, what was said of it, and the caches.

- `open_store` gives a `Store`, on SQLite below the project's root or on PostgreSQL.
- `TrialWriter` (from `Store.writer`) commits trials in groups as they end.
- `run_lock` keeps two processes from resuming one run.

Importing the package loads no SQL; the first use of `open_store` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from proctor.store.locks import RunLock, is_locked, run_lock
from proctor.store.records import (
    NewTrial,
    Pending,
    PendingCheck,
    PendingTrial,
    ReportFile,
    RowPlace,
    RunRecord,
    RunStatus,
    new_run_id,
    timestamp,
)
from proctor.store.review_records import CriterionReview, Review

if TYPE_CHECKING:
    from proctor.store.database import Store, open_store
    from proctor.store.writer import TrialWriter

__all__ = [
    "CriterionReview",
    "NewTrial",
    "Pending",
    "PendingCheck",
    "PendingTrial",
    "ReportFile",
    "Review",
    "RowPlace",
    "RunLock",
    "RunRecord",
    "RunStatus",
    "Store",
    "TrialWriter",
    "is_locked",
    "new_run_id",
    "open_store",
    "run_lock",
    "timestamp",
]


def __getattr__(name: str) -> Any:
    if name in ("Store", "open_store"):
        from proctor.store import database

        return getattr(database, name)
    if name == "TrialWriter":
        from proctor.store.writer import TrialWriter

        return TrialWriter
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
