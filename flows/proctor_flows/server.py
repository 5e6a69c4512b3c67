"""The Prefect server that a run uses, and the choice between a running one and one of our own.

In this order: the `PREFECT_API_URL` that Prefect resolves, the project's local server, a temporary server that lives as
long as the run. What is configured and does not answer is an error: a run never moves silently to a
place where nobody looks for it.
"""

from __future__ import annotations

import logging
import os
import subprocess
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from proctor_flows.server_check import lost_server, require_answer, require_health
from proctor_flows.server_local import ServerInfo, server_status, start_server, stop_server
from proctor_flows.server_process import GRACE_SECONDS
from proctor_flows.server_spawn import (
    api_url_of,
    bind_loopback,
    open_log,
    spawn,
    startup_timeout_s,
    wait_until_healthy,
)
from proctor_flows.settings import configured_api_url, server_environment

__all__ = [
    "Engine",
    "ServerInfo",
    "choose_engine",
    "server_status",
    "start_server",
    "stop_server",
    "temporary_server",
]

EngineKind = Literal["configured", "local", "temporary"]
DRAIN_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Engine:
    """The server that runs the flow. ``api_url`` is None for a temporary one, which starts in `activate`."""

    kind: EngineKind
    root: Path
    api_url: str | None = None

    @property
    def message(self) -> str | None:
        """What to tell the user before the run begins; None where there is nothing to say."""
        if self.kind != "temporary":
            return None
        return (
            "Starting a temporary Prefect server: some 4 s, the first time 10 s. Faster: `proctor server start` once"
            " for all runs, or `--engine inline` without a server."
        )

    @contextmanager
    def activate(self) -> Iterator[str]:
        """Make Prefect in this process use the server meanwhile, and yield the URL of its API.

        It blocks while a temporary server starts and stops. Enter it in the task or thread that runs the flow.

        Raises:
            EngineError: The temporary server does not come up, or the server is lost before the end.
        """
        server = temporary_server(self.root) if self.api_url is None else nullcontext(self.api_url)
        reach = nullcontext() if self.kind == "configured" else _loopback_past_proxies()
        with server as api_url, reach, _prefect_at(api_url), lost_server(api_url):
            yield api_url


def choose_engine(root: Path) -> Engine:
    """Choose the engine for a run of the project at ``root``. Nothing is started yet.

    Raises:
        EngineError: The configured API, or the project's running server, does not answer.
        UsageError: Prefect's settings cannot be read.
    """
    if (api_url := configured_api_url()) is not None:
        require_answer(api_url)
        return Engine("configured", root, api_url)
    if (server := server_status(root)) is not None:
        require_health(server)
        return Engine("local", root, server.api_url)
    return Engine("temporary", root)


@contextmanager
def temporary_server(root: Path) -> Iterator[str]:
    """Run a Prefect API server as a child process meanwhile, on the user's own database, and yield its URL.

    It ends with this process, however that ends. Its log is ``.proctor/temporary-server.log``.

    Raises:
        EngineError: It does not come up. It carries the last lines of the log.
        UsageError: Prefect's settings cannot be read.
    """
    log_path = root / ".proctor" / "temporary-server.log"
    with bind_loopback(0) as listener, open_log(log_path) as log:
        port, log_start = listener.getsockname()[1], log.tell()
        environment = server_environment(api_url_of(port)) | {"PREFECT_SERVER_UI_ENABLED": "false"}
        process = spawn(listener, log, environment, uuid.uuid4().hex)
    try:
        timeout_s = startup_timeout_s(environment)
        wait_until_healthy(port, lambda: process.poll() is None, timeout_s, log_path, log_start)
        yield api_url_of(port)
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Close the pipe, at whose end the server stops."""
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(GRACE_SECONDS + 2)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextmanager
def _loopback_past_proxies() -> Iterator[None]:
    """Keep requests to our own server from a proxy of the environment: no proxy can reach it on 127.0.0.1."""
    names = ("NO_PROXY", "no_proxy")
    before = {name: os.environ.get(name) for name in names}
    excepted = before["no_proxy"] or before["NO_PROXY"]
    os.environ.update(dict.fromkeys(names, f"{excepted},127.0.0.1" if excepted else "127.0.0.1"))
    try:
        yield
    finally:
        for name in names:
            os.environ.pop(name, None)
        os.environ.update({name: value for name, value in before.items() if value is not None})


@contextmanager
def _prefect_at(api_url: str) -> Iterator[None]:
    from prefect.settings import PREFECT_API_URL, temporary_settings

    with temporary_settings({PREFECT_API_URL: api_url}):
        try:
            yield
        finally:
            # In a thread of its own, because the call blocks only where no event loop runs.
            sender = threading.Thread(target=_send_what_prefect_holds, daemon=True)
            sender.start()
            sender.join(2 * DRAIN_SECONDS)


def _send_what_prefect_holds() -> None:
    """Deliver the events and log lines of Prefect's background threads while the server is still there."""
    from prefect.events.worker import EventsWorker
    from prefect.logging.handlers import APILogWorker

    for worker in (EventsWorker, APILogWorker):
        logging.getLogger(worker.__name__).setLevel(logging.ERROR)  # it warns of each item that it has yet to send
        worker.drain_all(timeout=DRAIN_SECONDS)
