"""What a trace shows of an agent, what is told about its file beside the traces, and what a kind of file is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

from proctor.errors import Problem, Severity
from proctor.trajectory import ToolCall

MAX_PROBLEMS: Final = 1_000
"""How many problems of one file are told one by one; the others are counted."""


class Record(NamedTuple):
    """One JSON value of a file, and where it begins. ``pointer`` is its place inside of a list, such as ``[3]``."""

    value: Any
    line: int
    column: int = 1
    pointer: str = ""


@dataclass(frozen=True, slots=True)
class TraceRow:
    """What one trace shows of an agent at work; None where it shows nothing.

    ``tool_calls`` is empty when the trace would show calls and has none. ``usage`` has ``input_tokens`` (with cached
    ones) and ``output_tokens``. ``trace_id`` is the trace's own name; ``id`` begins the ids of its rows.
    """

    line: int
    id: str = ""
    trace_id: str | None = None
    case_id: str | None = None
    input: str | None = None
    agent_output: str | None = None
    context: str | None = None
    tool_calls: tuple[ToolCall, ...] | None = None
    usage: dict[str, int] | None = None
    cost_usd: float | None = None
    latency_ms: float | None = None


class BadTrace(Exception):
    """A record that cannot be imported: a stable code, a sentence, and what to do."""

    def __init__(self, code: str, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.hint = code, message, hint


@dataclass(slots=True)
class Notes:
    """What is told about a file of traces: its problems, what was left out on purpose, which fields were not used.

    ``wanted`` are the fields that the user has named and that no trace had so far.
    """

    path: Path
    problems: list[Problem] = field(default_factory=list)
    untold: int = 0
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)
    unused: dict[str, None] = field(default_factory=dict)
    wanted: set[str] = field(default_factory=set)

    def error(self, code: str, message: str, record: Record, hint: str | None = None) -> None:
        """Note what hinders the import."""
        self._add(Problem(self.path, code, message, record.line, record.column, record.pointer, hint))

    def warn(self, code: str, message: str, line: int = 0, hint: str | None = None) -> None:
        """Note what a reader has to know; line 0 is the file as a whole."""
        self._add(Problem(self.path, code, message, line, min(line, 1), hint=hint, severity=Severity.WARNING))

    def leave_out(self, noun: str, why: str) -> None:
        """Count what is left out on purpose, such as a ``trace`` ``without a model``."""
        self.left_out[noun, why] += 1

    @property
    def has_errors(self) -> bool:
        """Whether anything hinders the import."""
        return self.untold > 0 or any(problem.severity is Severity.ERROR for problem in self.problems)

    def told(self) -> tuple[Problem, ...]:
        """All problems; those above the limit as one that counts them."""
        if not self.untold:
            return tuple(self.problems)
        message = f"{self.untold:,} more problems are not told one by one"
        return (*self.problems, Problem(self.path, "more_problems", message))

    def _add(self, problem: Problem) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(problem)
        elif problem.severity is Severity.ERROR:
            self.untold += 1


class TraceFormat(Protocol):
    """One kind of file with traces."""

    @property
    def name(self) -> str:
        """What ``--format`` takes."""
        ...

    @property
    def title(self) -> str:
        """What people call it."""
        ...

    @property
    def marks(self) -> str:
        """What tells it from the others, for the message that says that nothing fits."""
        ...

    def recognises(self, value: Any) -> bool:
        """Whether a JSON value is of this kind."""
        ...

    def traces(self, records: Iterable[Record], notes: Notes) -> Iterator[TraceRow]:
        """Read the traces of a file. Bad records become problems in ``notes``; nothing is raised for them."""
        ...


def read_each(
    records: Iterable[Record], notes: Notes, read: Callable[[Record], Iterable[TraceRow]]
) -> Iterator[TraceRow]:
    """Read every record for itself; one that cannot be read becomes a problem."""
    for record in records:
        try:
            yield from read(record)
        except BadTrace as bad:
            notes.error(bad.code, bad.message, record, bad.hint)
        except RecursionError:
            notes.error("too_deep", "is nested too deeply to be read", record)
