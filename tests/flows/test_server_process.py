"""Real servers: they come up, record everything, end with their parent, and leave no process."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from prefect.settings import (
    PREFECT_API_URL,
    PREFECT_HOME,
    PREFECT_SERVER_DATABASE_CONNECTION_URL,
    temporary_settings,
)

from proctor.errors import EngineError
from proctor_flows.server import Engine, choose_engine, server_status, start_server, stop_server
from proctor_flows.server_spawn import is_healthy

pytestmark = [pytest.mark.engine, pytest.mark.xdist_group("engine")]

TASKS = 300


def wait_for(condition: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not (met := condition()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return met


def children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes() == b""
    except OSError:
        return True


RUN_A_FLOW = f"""
import asyncio, pathlib, sys
from proctor_flows.server import Engine
from proctor_flows.settings import quiet_client

quiet_client()
with Engine("temporary", pathlib.Path(sys.argv[1])).activate():
    from prefect import flow, task
    from prefect.cache_policies import NO_CACHE

    @task(cache_policy=NO_CACHE, persist_result=False)
    async def one():
        return 1

    @flow
    async def count():
        return sum(await asyncio.gather(*(one() for _ in range({TASKS}))))

    print(asyncio.run(count()))
"""


class TestTemporaryServer:
    """One that lives as long as the run."""

    def test_two_on_a_fresh_database_come_up_and_every_task_run_of_a_burst_is_there_later(self, tmp_path: Path) -> None:
        """Two migrations of one fresh database would break each other; a server stopped at once would drop events."""
        environment = os.environ | {"PREFECT_HOME": str(tmp_path / "home")}
        command = [sys.executable, "-c", RUN_A_FLOW, str(tmp_path)]
        pipe = subprocess.PIPE
        runs = [subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment) for _ in range(2)]
        assert [run.communicate() for run in runs] == [(f"{TASKS}\n", "")] * 2
        with closing(sqlite3.connect(tmp_path / "home" / "prefect.db")) as database:
            rows = database.execute("SELECT state_type, count(*) FROM task_run GROUP BY 1").fetchall()
        assert rows == [("COMPLETED", 2 * TASKS)]
        assert (tmp_path / ".proctor" / "temporary-server.log").read_text() == ""

    def test_it_ends_when_its_parent_is_killed_even_if_a_fork_of_the_parent_holds_the_pipe(
        self, tmp_path: Path
    ) -> None:
        script = textwrap.dedent("""
            import os, pathlib, sys, time
            from proctor_flows.server import temporary_server
            with temporary_server(pathlib.Path(sys.argv[1])) as url:
                if (fork := os.fork()) == 0:
                    time.sleep(60)
                    os._exit(0)
                print(url, fork, flush=True)
                time.sleep(60)
        """)
        environment = os.environ | {"PREFECT_HOME": str(tmp_path / "home")}
        command = [sys.executable, "-c", script, str(tmp_path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as parent:
            assert parent.stdout is not None
            url, fork = parent.stdout.readline().split()
            port = int(url.split(":")[2].split("/")[0])
            (server,) = set(children_of(parent.pid)) - {int(fork)}
            assert is_healthy(port)
            assert os.getsid(server) != os.getsid(parent.pid)  # Ctrl-C in the terminal does not reach it
            parent.send_signal(signal.SIGKILL)
        try:
            assert wait_for(lambda: is_gone(server), 30)
            assert not is_healthy(port)
        finally:
            os.kill(int(fork), signal.SIGKILL)

    def test_one_that_cannot_start_says_why(self, tmp_path: Path) -> None:
        nowhere = "sqlite+aiosqlite:////nowhere/at/all/prefect.db"
        settings = {
            PREFECT_HOME: tmp_path / "home",
            PREFECT_API_URL: None,
            PREFECT_SERVER_DATABASE_CONNECTION_URL: nowhere,
        }
        with (
            temporary_settings(settings),
            pytest.raises(EngineError) as caught,
            Engine("temporary", tmp_path).activate(),
        ):
            pytest.fail("it cannot have come up")
        assert caught.value.message.startswith("the Prefect server ended while it started. Its last lines:\n")
        assert "unable to open database file" in caught.value.message
        assert f"log: {tmp_path / '.proctor' / 'temporary-server.log'}" in str(caught.value.hint)


class TestLocalServer:
    """One that stays until it is stopped."""

    def test_start_use_stop(self, tmp_path: Path) -> None:
        with temporary_settings({PREFECT_HOME: tmp_path / "home", PREFECT_API_URL: None}):
            started = start_server(tmp_path, 0)
            try:
                assert started.is_healthy
                assert not started.already_running
                assert server_status(tmp_path) == started

                again = start_server(tmp_path)
                assert again.already_running
                assert again.pid == started.pid

                assert choose_engine(tmp_path) == Engine("local", tmp_path, started.api_url)
                with temporary_settings({PREFECT_API_URL: started.api_url}):
                    assert choose_engine(tmp_path).kind == "configured"

                os.kill(started.pid, signal.SIGSTOP)
                assert not started.is_healthy
                os.kill(started.pid, signal.SIGCONT)
            finally:
                stopped = stop_server(tmp_path)
            assert stopped == started
            assert is_gone(started.pid)
            assert server_status(tmp_path) is None
            assert choose_engine(tmp_path).kind == "temporary"
