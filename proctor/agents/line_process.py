"""A child process that is spoken to in lines: bounded reading, the end of its stderr, and its whole group killed."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from pathlib import Path
from typing import Any, cast

from proctor.agents.wire import MAX_ANSWER_BYTES, too_long
from proctor.errors import MalformedReply, TrialError
from proctor.excerpt import mark_controls, quote, shorten

GRACE_S = 1.0
"""How long a process may take to end by itself, in seconds, once its stdin is closed."""

_STDERR_BYTES = 4096


class LineProcess(asyncio.SubprocessProtocol):
    """One process with its pipes. Use `start` to make one, and `stop` to end it in any event."""

    def __init__(self) -> None:
        self._transport: asyncio.SubprocessTransport
        self._stdout = bytearray()
        self._stderr = bytearray()
        self._open_pipes = {1, 2}
        self._changed = asyncio.Event()
        self._ended = asyncio.Event()

    @classmethod
    async def start(cls, command: list[str], directory: Path) -> LineProcess:
        """Start a command in a directory, as the leader of a process group of its own. Raises OSError."""
        loop = asyncio.get_running_loop()
        _, process = await loop.subprocess_exec(cls, *command, cwd=directory, start_new_session=True)
        return process

    async def ask(self, line: bytes) -> bytes:
        """Send a line and wait for the one that comes back, without its line feed.

        Raises TrialError when the process ends instead, MalformedReply when it says too much: a line longer than the
        limit, or more than one line for a question.
        """
        self._refuse_unasked()
        if (stdin := self._pipe(0)) is not None:
            stdin.write(line + b"\n")
        while (end := self._stdout.find(b"\n")) < 0:
            if len(self._stdout) > MAX_ANSWER_BYTES:
                raise too_long()
            if not await self._more():
                raise await self._no_answer()
        answer = bytes(self._stdout[:end])
        del self._stdout[: end + 1]
        self._refuse_unasked()
        return answer

    async def stop(self, *, grace_s: float) -> None:
        """Close stdin, wait up to ``grace_s`` seconds for the process to end, then kill its whole group."""
        if (stdin := self._pipe(0)) is not None:
            stdin.close()
        try:
            await self._has_ended(within_s=grace_s)
        finally:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._transport.get_pid(), signal.SIGKILL)
            await self._has_ended(within_s=GRACE_S)
            self._transport.close()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Keep what the process writes: answers, and the end of its stderr."""
        if fd == 2:
            self._stderr = (self._stderr + data)[-_STDERR_BYTES:]
            return
        self._stdout += data
        if len(self._stdout) > MAX_ANSWER_BYTES and (stdout := self._pipe(1)) is not None:
            stdout.pause_reading()
        self._changed.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = cast("asyncio.SubprocessTransport", transport)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002
        """Note that a pipe has ended."""
        self._open_pipes.discard(fd)
        self._changed.set()

    def process_exited(self) -> None:
        """Note that the process has ended."""
        self._ended.set()
        self._changed.set()

    def _pipe(self, fd: int) -> Any:
        return self._transport.get_pipe_transport(fd)

    async def _more(self) -> bool:
        """Wait for output; False when none can come any more."""
        if 1 not in self._open_pipes:
            return False
        self._changed.clear()
        # A process that has ended may have left children that hold its stdout open.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(GRACE_S if self._ended.is_set() else None):
                await self._changed.wait()
        return self._changed.is_set()

    async def _has_ended(self, *, within_s: float) -> bool:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await self._ended.wait()
        return self._ended.is_set()

    async def _has_closed_stderr(self, *, within_s: float) -> None:
        """Wait for the last words, which may arrive after the end of the process; a child may hold stderr open."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                while 2 in self._open_pipes:
                    self._changed.clear()
                    await self._changed.wait()

    async def _no_answer(self) -> TrialError:
        ended = await self._has_ended(within_s=GRACE_S)
        if ended:
            await self._has_closed_stderr(within_s=GRACE_S)
        what = f"ended with {_exit(self._transport.get_returncode())}" if ended else "closed its stdout"
        partial = f", after {quote(self._stdout[:400].decode(errors='replace'))}" if self._stdout else ""
        last = self._stderr.decode(errors="replace").strip().splitlines()[-5:]
        said = f"; the end of its stderr: {shorten(mark_controls(' | '.join(last)), 600)}" if last else ""
        return TrialError(
            f"the agent's process {what} before it answered{partial}{said}",
            hint="run the command by hand and type a request; it must answer each line with one line of JSON",
        )

    def _refuse_unasked(self) -> None:
        if self._stdout.strip():
            raise MalformedReply(
                f"the agent wrote more than its answer to stdout: {quote(self._stdout[:400].decode(errors='replace'))}",
                hint="answer each request with one line of JSON, and write logs to stderr",
            )


def _exit(code: int | None) -> str:
    return f"signal {signal.Signals(-code).name}" if code is not None and code < 0 else f"exit code {code}"
