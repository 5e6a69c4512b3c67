"""The store of a project, opened: all its parts on one database."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from proctor.store.cache import Caches
from proctor.store.cases import Cases
from proctor.store.connection import connect
from proctor.store.reviews import Reviews
from proctor.store.schema import bring_up_to_date
from proctor.store.scores import Scores
from proctor.store.totals import Totals
from proctor.store.trials import Trials


class Store(Cases, Trials, Scores, Totals, Caches, Reviews):
    """Runs, trials, scores, caches and reviews. Threads may share it; close it at the end, or use it by ``with``."""

    def close(self) -> None:
        """Close all connections."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_store(url: str | None, root: Path) -> Store:
    """Open the store of the project at ``root``, and make or migrate its tables if need be.

    ``url`` is ``sqlite:///…`` (relative to ``root``), ``postgresql://…``, or None for ``.proctor/proctor.db``. Raises
    UsageError for a URL that names no store, and StoreError for a store that cannot be used, with what to do.
    """
    database = connect(url, root)
    try:
        bring_up_to_date(database)
    except BaseException:
        database.close()
        raise
    return Store(database)
