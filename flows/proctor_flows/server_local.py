"""The long-lived local server of a project: `proctor server start|stop|status`.

The server writes its record, ``.proctor/server.json``, itself. A record counts only while the process with its pid was
started with its token; so neither a dead pid, nor one that another process got, nor a stranger on the port, is ever
taken for the server, or killed.
"""

from __future__ import annotations

import fcntl
import json
import os
import signal
import socket
import subprocess
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from proctor.errors import EngineError, UsageError
from proctor_flows.server_process import GRACE_SECONDS
from proctor_flows.server_spawn import (
    api_url_of,
    bind_loopback,
    is_healthy,
    open_log,
    spawn,
    startup_timeout_s,
    wait_until_healthy,
)
from proctor_flows.settings import server_environment

USUAL_PORT = 4200
"""Prefect's own default: people look for its pages there."""


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """A running local server. ``already_running`` says that `start_server` found it and started nothing."""

    pid: int
    port: int
    started: datetime
    token: str
    already_running: bool = False

    @property
    def api_url(self) -> str:
        """The value for ``PREFECT_API_URL``."""
        return api_url_of(self.port)

    @property
    def ui_url(self) -> str:
        """The address of Prefect's pages, for a browser."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def is_healthy(self) -> bool:
        """Whether it answers now. It does not while it starts, or when it hangs."""
        return is_healthy(self.port)


def start_server(root: Path, port: int | None = None) -> ServerInfo:
    """Start the project's server and return once it answers; return the running one where there is one.

    Without ``port`` it takes Prefect's usual 4200, or a free one if that is taken.

    Raises:
        UsageError: The port cannot be used, or the server already runs on another one.
        EngineError: The server does not come up. Nothing of it is left then.
    """
    with _one_command_at_a_time(root):
        running = server_status(root)
        if running is None:
            return _start(root, port)
    if port not in {None, 0, running.port}:
        raise UsageError(
            f"the project's server already runs on port {running.port} (pid {running.pid})",
            hint="`proctor server stop` first",
        )
    return replace(running, already_running=True)


def stop_server(root: Path) -> ServerInfo | None:
    """Stop the project's server and return once it is gone: what was stopped, or None if none ran.

    Raises:
        EngineError: The process cannot be stopped.
    """
    with _one_command_at_a_time(root):
        server = server_status(root)
        _remove(root, server)
        return server


def server_status(root: Path) -> ServerInfo | None:
    """Return the project's running server, or None where no process stands behind the record."""
    try:
        fields = json.loads(_record(root).read_text())
        server = ServerInfo(
            pid=int(fields["pid"]),
            port=int(fields["port"]),
            started=datetime.fromisoformat(fields["started"]),
            token=str(fields["token"]),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return server if _is_alive(server) else None


def _start(root: Path, port: int | None) -> ServerInfo:
    log_path, token = root / ".proctor" / "server.log", uuid.uuid4().hex
    with _bind(port) as listener, open_log(log_path) as log:
        own_port, log_start = listener.getsockname()[1], log.tell()
        environment = server_environment(api_url_of(own_port))
        spawn(listener, log, environment, token, _record(root)).wait()
    try:
        wait_until_healthy(
            own_port, lambda: server_status(root) is not None, startup_timeout_s(environment), log_path, log_start
        )
    except BaseException:
        _remove(root, server_status(root))
        raise
    server = server_status(root)
    if server is None:
        raise EngineError("the Prefect server ended as soon as it had started", hint=f"see its log: {log_path}")
    return server


def _bind(port: int | None) -> socket.socket:
    try:
        return bind_loopback(USUAL_PORT if port is None else port)
    except UsageError:
        if port is not None:
            raise
        return bind_loopback(0)


def _remove(root: Path, server: ServerInfo | None) -> None:
    """End the process, if there is one, and its record."""
    if server is not None:
        _signal(server, signal.SIGTERM)
        if not _gone_within(server, GRACE_SECONDS):
            _signal(server, signal.SIGKILL)
            _gone_within(server, GRACE_SECONDS)
        if _is_alive(server):
            raise EngineError(f"the Prefect server (pid {server.pid}) does not end", hint=f"kill -9 {server.pid}")
    _record(root).unlink(missing_ok=True)


def _signal(server: ServerInfo, number: signal.Signals) -> None:
    try:
        os.kill(server.pid, number)
    except ProcessLookupError:
        pass
    except PermissionError as error:
        raise EngineError(
            f"the Prefect server (pid {server.pid}) belongs to another user and cannot be stopped",
            hint="ask that user to run `proctor server stop`",
        ) from error


def _gone_within(server: ServerInfo, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while _is_alive(server) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not _is_alive(server)


def _is_alive(server: ServerInfo) -> bool:
    """Tell whether the process with this pid is the one that was started with this token."""
    if not Path("/proc/self/cmdline").exists():
        listing = subprocess.run(["ps", "-o", "command=", "-p", str(server.pid)], capture_output=True, check=False)
        return server.token.encode() in listing.stdout
    try:
        return server.token.encode() in Path(f"/proc/{server.pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return False


def _record(root: Path) -> Path:
    return root / ".proctor" / "server.json"


@contextmanager
def _one_command_at_a_time(root: Path) -> Iterator[None]:
    """Keep two commands from starting or stopping the server of one project at once."""
    path = root / ".proctor" / "server.lock"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.open("w")
    except OSError as error:
        raise EngineError(
            f"the folder for the server's record cannot be written: {error}", hint=f"make {path.parent} writable"
        ) from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
