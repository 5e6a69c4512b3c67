"""The child process in which a Prefect server of Proctor runs.

It is started by path (`python -P server_process.py …`), so that nothing in the current folder is imported by mistake,
and gets its socket from its parent: the port is taken before the process exists. There are two ways to live:

- *bound*: standard input is a pipe whose other end only the parent holds. When it closes, however the parent ended, the
  server stops.
- *detached* (`--record`): the process forks away from its parent, and the record says who it is.
"""

from __future__ import annotations

import argparse
import asyncio
import fcntl
import gc
import json
import os
import select
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastapi import FastAPI

SETTLE_SECONDS = 10.0
"""How long a server that was told to stop goes on recording the events that it has already received."""

GRACE_SECONDS = 20.0
"""How long a server may take to stop before it is ended by force."""


def main() -> None:
    """Serve until told to stop: by SIGTERM, or by the end of the parent."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--socket", type=int, required=True, help="file descriptor of the bound socket")
    parser.add_argument("--token", required=True, help="tells this process from any other with its pid")
    parser.add_argument("--record", type=Path, help="detach, and write pid, port and token to this file")
    options = parser.parse_args()
    listener = socket.socket(fileno=options.socket)
    if options.record:
        detach(options.record, listener.getsockname()[1], options.token)
    else:
        threading.Thread(target=end_with_parent, args=(os.getppid(),), daemon=True).start()
    serve(listener, is_temporary=options.record is None)


def detach(record: Path, port: int, token: str) -> None:
    """Go on in a process of its own. The one that leaves writes the record, so that it is there when it has left."""
    if not (pid := os.fork()):
        return
    try:
        started = datetime.now(UTC).isoformat(timespec="seconds")
        draft = record.with_suffix(".draft")
        draft.write_text(json.dumps({"pid": pid, "port": port, "started": started, "token": token}))
        draft.replace(record)
    except BaseException:
        os.kill(pid, signal.SIGKILL)  # a server that is on no record could never be stopped
        raise
    os._exit(0)


def end_with_parent(parent: int) -> None:
    """Wait for the parent's end, then stop this process, by force if it takes too long.

    A process that the parent forked may keep the pipe open after the parent's death, so the parent's id is watched too.
    """
    while os.getppid() == parent:
        readable, _, _ = select.select([0], [], [], 1.0)
        if readable and not os.read(0, 1):
            break
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE_SECONDS)
    os._exit(1)


def serve(listener: socket.socket, *, is_temporary: bool) -> None:
    """Run the Prefect API on the socket; a temporary one without pages, scheduler and other background services.

    The garbage collector rests until the server is up: it would take a quarter of the start.
    """
    gc.disable()
    import uvicorn
    from prefect.server.api.server import create_app
    from prefect.settings import get_current_settings

    home = get_current_settings().home

    class _Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            with _alone_at_start(home):
                await super().startup(sockets=sockets)
            gc.freeze()
            gc.enable()

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            await _settle()
            await super().shutdown(sockets=sockets)

    app: FastAPI = create_app(ephemeral=is_temporary, final=True)
    _Server(uvicorn.Config(app, log_level="error", lifespan="on", timeout_graceful_shutdown=3)).run(sockets=[listener])


async def _settle() -> None:
    """Wait until the events in memory are consumed: Prefect would drop them, and their task runs with them."""
    try:
        from prefect.server.utilities.messaging.memory import METRICS
    except ImportError:  # not a documented name; without it, the server stops as Prefect's own does
        return
    deadline = time.monotonic() + SETTLE_SECONDS
    before = None
    while time.monotonic() < deadline:
        now = {topic: dict(counts) for topic, counts in METRICS.items()}
        if now == before and all(counts["published"] <= counts["consumed"] for counts in now.values()):
            return
        before = now
        await asyncio.sleep(0.1)


@contextmanager
def _alone_at_start(home: Path) -> Iterator[None]:
    """Let no two servers migrate one database at once: on a fresh one, both would add the same column and one fails."""
    home.mkdir(parents=True, exist_ok=True)
    with (home / "proctor-start.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    main()
