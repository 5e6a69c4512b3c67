"""Trials written one by one from a running event loop, committed in groups.

`TrialWriter.put` returns when its trial is on disk. All trials that arrive while one group is being committed make up
the next group, so that instant agents do not pay for one commit a trial and slow ones do not wait for others.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, NamedTuple, Self

from proctor.errors import StoreError
from proctor.results import TrialRef
from proctor.store.records import NewTrial
from proctor.trajectory import JsonValue, Trajectory


class _Waiting(NamedTuple):
    row: dict[str, Any]
    done: asyncio.Future[None]


class TrialWriter:
    """A writer for the trials of one run, for one event loop. A thread of its own does the commits."""

    def __init__(
        self, encode: Callable[[NewTrial], dict[str, Any]], write: Callable[[list[dict[str, Any]]], None]
    ) -> None:
        self._encode = encode
        self._write = write
        self._queue: SimpleQueue[_Waiting | None] = SimpleQueue()
        self._failure: StoreError | None = None
        self._closed = False

    async def __aenter__(self) -> Self:
        self._loop = asyncio.get_running_loop()
        self._stopped: asyncio.Future[None] = self._loop.create_future()
        # A daemon: an interpreter that is told to end must not wait for trials that nobody awaits any more.
        threading.Thread(target=self._work, name="proctor-trial-writer", daemon=True).start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closed = True
        self._queue.put(None)
        await self._stopped

    async def put(
        self,
        ref: TrialRef,
        trajectory: Trajectory,
        key: str = "",
        parts: Mapping[str, JsonValue] | None = None,
        cacheable: bool = False,
    ) -> None:
        """Store a trial, and its answer if it is ``cacheable``; return once both are committed.

        Raises StoreError when the store cannot be written; every later call then fails without trying.
        """
        if self._closed:
            raise StoreError("a trial arrived after its writer was closed")
        row = self._encode(NewTrial(ref, trajectory, key, parts or {}, cacheable))
        done: asyncio.Future[None] = self._loop.create_future()
        self._queue.put(_Waiting(row, done))
        await done

    def _work(self) -> None:
        """Commit groups until the end is announced. Runs in the writer's thread."""
        more = True
        while more:
            group, more = self._next_group()
            self._settle(group, self._commit(group) if group else None)
        self._in_loop(self._announce_end)

    def _next_group(self) -> tuple[list[_Waiting], bool]:
        """Wait for a trial and take all that have come meanwhile; False means that no more will come."""
        group: list[_Waiting] = []
        item = self._queue.get()
        with suppress(Empty):
            while item is not None:
                group.append(item)
                item = self._queue.get_nowait()
            return group, False
        return group, True

    def _commit(self, group: list[_Waiting]) -> StoreError | None:
        if self._failure is None:
            try:
                self._write([waiting.row for waiting in group])
            except StoreError as error:
                self._failure = error
            except Exception as error:  # whatever it is: nobody may wait for ever
                self._failure = StoreError(f"trials cannot be stored: {error}")
        return self._failure

    def _settle(self, group: list[_Waiting], failure: StoreError | None) -> None:
        def settle() -> None:
            for waiting in group:
                if waiting.done.done():  # its task was cancelled; the trial is stored all the same
                    continue
                if failure is None:
                    waiting.done.set_result(None)
                else:
                    waiting.done.set_exception(_copy(failure))

        if group:
            self._in_loop(settle)

    def _announce_end(self) -> None:
        if not self._stopped.done():
            self._stopped.set_result(None)

    def _in_loop(self, call: Callable[[], object]) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits
            self._loop.call_soon_threadsafe(call)


def _copy(error: StoreError) -> StoreError:
    """Give each waiting task an error of its own, since raising one changes its traceback."""
    return StoreError(error.message, hint=error.hint)
