"""The PostgreSQL that tests run on is real, empty for each test, and gone with the process that started it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import postgresql_server
import sqlalchemy

OWNER = """
import sys
from pathlib import Path
import postgresql_server

postgresql_server.open_folder()
with postgresql_server.empty_database(Path(sys.argv[1])) as url:
    print(url.partition("host=")[2], flush=True)
    sys.stdin.read()
"""


def run_sql(url: str, statement: str) -> list[object]:
    engine = sqlalchemy.create_engine(url)
    try:
        with engine.begin() as connection:
            result = connection.execute(sqlalchemy.text(statement))
            return list(result.scalars()) if result.returns_rows else []
    finally:
        engine.dispose()


class TestDatabase:
    def test_it_is_a_real_postgresql(self, postgresql_url: str) -> None:
        [version] = run_sql(postgresql_url, "SELECT version()")
        assert str(version).startswith("PostgreSQL")

    def test_every_database_starts_empty(self, postgresql_url: str, require: Callable[[str], Path]) -> None:
        run_sql(postgresql_url, "CREATE TABLE trial AS SELECT 1 AS number")
        with postgresql_server.empty_database(require("postgresql")) as other:
            found = run_sql(other, "SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        assert found == []


class TestServer:
    def test_it_is_gone_after_the_process_that_started_it_was_killed(self, require: Callable[[str], Path]) -> None:
        command = [sys.executable, "-c", OWNER, str(require("postgresql"))]
        environment = os.environ | {"PYTHONPATH": str(Path(postgresql_server.__file__).parent)}
        with subprocess.Popen(command, env=environment, stdin=-1, stdout=-1, text=True) as owner:
            assert owner.stdout is not None
            folder = Path(owner.stdout.readline().strip())
            assert (folder / "data" / "postmaster.pid").exists()
            owner.kill()
        deadline = time.monotonic() + 20
        while folder.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not folder.exists()
