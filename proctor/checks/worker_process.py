"""A process that answers what may take for ever or all memory, and the handle that kills it in time.

It answers JSON lines: a question in, an answer out; ``null`` says that memory did not suffice. It is started when it is
first needed and ends with its parent's end of the pipe.
"""

from __future__ import annotations

import atexit
import json
import math
import queue
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any, Final

TIME_LIMIT_S: Final = 2.0
_START_LIMIT_S: Final = 30.0
_MEMORY_LIMIT_BYTES: Final = 1024 * 2**20


class NoAnswer(Exception):
    """The process gave no answer. What it says continues a sentence about the question."""


class TooSlow(NoAnswer):
    """There was no answer within the time limit."""


class WorkerProcess:
    """One process that runs a module which calls `serve`, and the right to kill it. Several threads may share it."""

    def __init__(self, module: str) -> None:
        self._module = module
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        atexit.register(self.stop)

    def ask(self, question: object) -> Any:
        """The answer of the process; it is started anew after it had to be killed.

        Raises:
            NoAnswer: it took too long (`TooSlow`), ran out of memory, or could not be started.
        """
        with self._lock:
            try:
                answer = self._ask(question)
            except queue.Empty:
                self.stop()
                raise TooSlow(f"gave no answer in {TIME_LIMIT_S:g} s") from None
            if answer is None:
                self.stop()
                raise NoAnswer("could not be decided: out of memory")
            return answer

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

    def _ask(self, question: object) -> Any:
        process = self._process or self._start()
        try:
            print(json.dumps(question), file=process.stdin, flush=True)
            return json.loads(self._answers.get(timeout=TIME_LIMIT_S) or "null")
        except OSError:
            return None

    def _start(self) -> subprocess.Popen[str]:
        self._answers = queue.SimpleQueue()
        # -P: a json.py of the user's, in the working folder, is not the standard library's.
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", self._module], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="ascii"
        )
        self._process = process
        threading.Thread(target=_forward, args=(process.stdout, self._answers), daemon=True).start()
        if self._answers.get(timeout=_START_LIMIT_S) != "ready\n":
            self.stop()
            raise NoAnswer(f"could not be decided: {self._module} did not start")
        return process


def serve(answer: Callable[[Any], object]) -> None:
    """Answer questions until the other side is gone. ``answer`` gives a JSON value other than None."""
    warnings.simplefilter("ignore")
    _limit_memory()
    print("ready", flush=True)
    for line in sys.stdin:
        question = json.loads(line)
        found: object | None
        try:
            with _deadline():
                found = answer(question)
        except (MemoryError, RecursionError):
            found = None
        print(json.dumps(found), flush=True)


def _forward(lines: IO[str], answers: queue.SimpleQueue[str]) -> None:
    """Put each line of the process into the queue, and an empty one when it is gone."""
    try:
        for line in lines:
            answers.put(line)
    except ValueError:  # the pipe was closed by stop()
        pass
    answers.put("")


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
