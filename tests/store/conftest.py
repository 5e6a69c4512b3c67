from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from proctor.store import Store, open_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Yield an empty SQLite store."""
    with open_store(None, tmp_path) as opened:
        yield opened


@pytest.fixture(params=["sqlite", "postgresql"])
def any_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """Yield an empty store on SQLite, then one on PostgreSQL."""
    url = request.getfixturevalue("postgresql_url") if request.param == "postgresql" else None
    with open_store(url, tmp_path) as opened:
        yield opened
