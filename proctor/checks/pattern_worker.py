"""The process that searches patterns which may not end, and the handle that kills it in time.

``python -m proctor.checks.pattern_worker`` answers JSON lines: ``[pattern, text]`` in, ``true``, ``false`` or ``null``
(out of memory) out. It is started when it is first needed and ends with its parent's end of the pipe.
"""

from __future__ import annotations

import atexit
import json
import math
import queue
import re
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Final

from proctor.excerpt import quote

TIME_LIMIT_S: Final = 2.0
_START_LIMIT_S: Final = 30.0
_MEMORY_LIMIT_BYTES: Final = 1024 * 2**20


class PatternProblem(Exception):
    """A search gave no answer: it took too long, or ran out of memory. The sentence is fit for a report."""


class PatternWorker:
    """One process that searches, and the right to kill it. May be used from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        atexit.register(self.stop)

    def search(self, pattern: str, text: str) -> bool:
        """Search in the process; it is started anew after it had to be killed."""
        with self._lock:
            try:
                return self._ask(pattern, text)
            except queue.Empty:
                self.stop()
                raise PatternProblem(
                    f"the pattern {quote(pattern, 80)} gave no answer in {TIME_LIMIT_S:g} s on a text of "
                    f"{len(text):,} characters; write it without repeats inside repeats"
                ) from None

    def stop(self) -> None:
        """Kill the process, if there is one."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError):  # a question that was never read is still in the buffer
                    stream.close()

    def _ask(self, pattern: str, text: str) -> bool:
        process = self._process or self._start()
        try:
            print(json.dumps([pattern, text]), file=process.stdin, flush=True)
            answer = json.loads(self._answers.get(timeout=TIME_LIMIT_S) or "null")
        except OSError:
            answer = None
        if answer is None:
            self.stop()
            raise PatternProblem(f"the pattern {quote(pattern, 80)} could not be decided: out of memory")
        return bool(answer)

    def _start(self) -> subprocess.Popen[str]:
        self._answers = queue.SimpleQueue()
        process = subprocess.Popen(
            [sys.executable, "-m", "proctor.checks.pattern_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="ascii",
        )
        self._process = process
        threading.Thread(target=_forward, args=(process.stdout, self._answers), daemon=True).start()
        if self._answers.get(timeout=_START_LIMIT_S) != "ready\n":
            self.stop()
            raise PatternProblem("the process that searches patterns did not start")
        return process


def _forward(lines: IO[str], answers: queue.SimpleQueue[str]) -> None:
    """Put each line of the process into the queue, and an empty one when it is gone."""
    try:
        for line in lines:
            answers.put(line)
    except ValueError:  # the pipe was closed by stop()
        pass
    answers.put("")


def _serve() -> None:
    """Answer searches until the other side is gone."""
    warnings.simplefilter("ignore")
    _limit_memory()
    print("ready", flush=True)
    for line in sys.stdin:
        pattern, text = json.loads(line)
        found: bool | None
        try:
            with _deadline():
                found = re.search(pattern, text, re.IGNORECASE) is not None
        except (MemoryError, RecursionError):
            found = None
        print(json.dumps(found), flush=True)


@contextmanager
def _deadline() -> Iterator[None]:
    """Let the system end this process soon after the time limit: the parent that would kill it may be gone."""
    if not hasattr(signal, "alarm"):  # not on Windows
        yield
        return
    signal.alarm(math.ceil(TIME_LIMIT_S) + 1)
    try:
        yield
    finally:
        signal.alarm(0)


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # not on Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY_LIMIT_BYTES, _MEMORY_LIMIT_BYTES))


if __name__ == "__main__":
    _serve()
