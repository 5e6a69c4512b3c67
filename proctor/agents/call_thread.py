"""One thread for the blocking calls of one trial.

The event loop's own executor has a few threads for everybody, and waits at its end for a call that never returns. Here
each trial has its own thread: what is bound to a thread stays usable from turn to turn, and a call that hangs is left
behind with its thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import queue
import threading
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


class CallThread:
    """Runs blocking calls, one after the other, in a daemon thread that starts with the first one."""

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] | None = None

    async def run(self, call: Callable[[], T]) -> T:
        """Run a call in the thread and give its result, or raise what it raised.

        When cancelled, the thread is left to itself, and the next call gets a new one.
        """
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        context = contextvars.copy_context()
        self._queue().put(lambda: _deliver(future, lambda: context.run(call)))
        try:
            return await future
        except asyncio.CancelledError:
            self.close()
            raise

    def close(self) -> None:
        """Let the thread end after its present call. Waits for nothing."""
        if self._jobs is not None:
            self._jobs.put(None)
            self._jobs = None

    def _queue(self) -> queue.SimpleQueue[Callable[[], None] | None]:
        if self._jobs is None:
            self._jobs = queue.SimpleQueue()
            threading.Thread(target=_work, args=(self._jobs,), name="proctor-agent", daemon=True).start()
        return self._jobs


def _work(jobs: queue.SimpleQueue[Callable[[], None] | None]) -> None:
    while (job := jobs.get()) is not None:
        job()


def _deliver(future: asyncio.Future[Any], call: Callable[[], Any]) -> None:
    result: Any = None
    error: BaseException | None = None
    try:
        result = call()
    except StopIteration as stop:
        # A future cannot carry a StopIteration.
        error = RuntimeError("StopIteration")
        error.__cause__ = stop
    except BaseException as raised:
        error = raised
    # The loop may be gone when a call that was left behind comes back.
    with contextlib.suppress(RuntimeError):
        future.get_loop().call_soon_threadsafe(_settle, future, result, error)


def _settle(future: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)
