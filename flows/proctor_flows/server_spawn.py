"""Starting the child process of a Prefect server, and waiting until it answers."""

from __future__ import annotations

import http.client
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import BinaryIO

from proctor.errors import EngineError, UsageError
from proctor_flows import server_process

LOG_LIMIT_BYTES = 1_000_000
LOG_LINES_SHOWN = 8


def bind_loopback(port: int) -> socket.socket:
    """Take ``port`` on the loopback interface, or a free one for 0.

    Raises:
        UsageError: The port is taken, or may not be used.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
    except (OSError, OverflowError) as error:
        listener.close()
        raise UsageError(
            f"port {port} of 127.0.0.1 cannot be used: {error}", hint="give another port, or none to get a free one"
        ) from error
    return listener


def api_url_of(port: int) -> str:
    """Return the URL of the API that a server on this loopback port has."""
    return f"http://127.0.0.1:{port}/api"


def spawn(
    listener: socket.socket, log: BinaryIO, environment: dict[str, str], token: str, record: Path | None = None
) -> subprocess.Popen[bytes]:
    """Start the server process on ``listener``, in a session of its own, so that Ctrl-C in the terminal passes it by.

    Without ``record`` it lives as long as the pipe on its standard input; with one, it forks off and this process ends.
    """
    descriptor = str(listener.fileno())
    command = [sys.executable, "-P", server_process.__file__, "--socket", descriptor, "--token", token]
    return subprocess.Popen(
        command if record is None else [*command, "--record", str(record)],
        stdin=subprocess.DEVNULL if record else subprocess.PIPE,
        stdout=log,
        stderr=subprocess.STDOUT,
        env=environment,
        pass_fds=[listener.fileno()],
        start_new_session=True,
    )


def open_log(path: Path) -> BinaryIO:
    """Open a server's log to append to. A log beyond 1 MB starts afresh.

    Raises:
        EngineError: The file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        is_long = path.exists() and path.stat().st_size > LOG_LIMIT_BYTES
        log = path.open("wb" if is_long else "ab")
    except OSError as error:
        raise EngineError(
            f"the log of the Prefect server cannot be written: {error}",
            hint=f"make {path.parent} writable, or run with `--engine inline`",
        ) from error
    log.seek(0, 2)
    return log


def wait_until_healthy(port: int, is_alive: Callable[[], bool], timeout_s: float, log: Path, log_start: int) -> None:
    """Return once ``/api/health`` answers 200. ``log_start`` is where in the log this server began.

    Raises:
        EngineError: The process ended, or did not answer in ``timeout_s`` seconds. It carries the last log lines.
    """
    deadline = time.monotonic() + timeout_s
    while not is_healthy(port):
        if not is_alive():
            what, hint = "ended while it started", "see the log for the cause"
        elif time.monotonic() > deadline:
            what = f"did not answer within {timeout_s:g} s"
            hint = "give it longer with PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS"
        else:
            time.sleep(0.05)
            continue
        raise EngineError(
            f"the Prefect server {what}. {_last_lines(log, log_start)}",
            hint=f"{hint}, or run with `--engine inline`, which needs no server; log: {log}",
        )


def startup_timeout_s(environment: Mapping[str, str]) -> float:
    """Return how long a server with this environment may take to come up, in seconds."""
    return float(environment["PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS"])


def is_healthy(port: int) -> bool:
    """Tell whether a Prefect API answers on this loopback port. No proxy is asked, whatever the environment says."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
    try:
        connection.request("GET", "/api/health")
        response = connection.getresponse()
        return response.status == 200 and response.read(16).strip() == b"true"
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _last_lines(log: Path, start: int) -> str:
    text = log.read_bytes()[start:].decode(errors="replace") if log.exists() else ""
    lines = [line.rstrip() for line in text.splitlines() if line.strip()][-LOG_LINES_SHOWN:]
    return "Its last lines:\n" + "\n".join(f"    {line}" for line in lines) if lines else "It wrote nothing."
