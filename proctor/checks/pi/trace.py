"""A trial message by message, as the assertions of pi fixtures look at it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final, NamedTuple

from proctor.plan import CheckContext
from proctor.trajectory import JsonValue, Step, Trajectory, TurnRecord

USER: Final = "user"
ASSISTANT: Final = "assistant"
TOOL_RESULT: Final = "toolResult"


class TraceCall(NamedTuple):
    """One call of a tool. ``arguments_error`` is what pi noted when it could not read the model's arguments."""

    name: str
    arguments: JsonValue
    arguments_error: str | None = None


class TraceTurn(NamedTuple):
    """One message. ``role`` is user, assistant or toolResult.

    ``text`` is what it says: no thinking, no calls, no images. That of a tool's result is left out, as nothing looks at
    it.
    """

    role: str
    text: str = ""
    calls: tuple[TraceCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Trace:
    """All messages of a trial, in their order."""

    turns: tuple[TraceTurn, ...]

    @property
    def calls(self) -> list[TraceCall]:
        """The calls of all messages, in their order."""
        return [call for turn in self.turns for call in turn.calls]


def trace_in(context: CheckContext) -> Trace:
    """The trace of the trial that a check looks at.

    A trial that was recorded with the case has the exact one; that of any other is made of its trajectory.
    """
    recorded = context.case.recorded
    if (
        recorded is not None
        and isinstance(recorded.trace, Trace)
        and recorded.trajectory.turns == context.trajectory.turns
    ):
        return recorded.trace
    return trace_of(context.trajectory)


def trace_of(trajectory: Trajectory) -> Trace:
    """The messages of a trial, as far as its trajectory tells.

    Each call is taken to have a result. Where a turn has no steps, its calls are taken to be made by one message, and
    the reply is a message of its own.
    """
    return Trace(tuple(turn for record in trajectory.turns for turn in _turns_of(record)))


def _turns_of(record: TurnRecord) -> Iterator[TraceTurn]:
    yield TraceTurn(USER, record.user)
    left = iter(record.tool_calls)
    for step in record.steps or _steps_of(record):
        calls = tuple(TraceCall(call.name, call.arguments) for call in islice(left, step.calls))
        yield TraceTurn(ASSISTANT, step.text or "", calls)
        yield from (TraceTurn(TOOL_RESULT) for _ in calls)


def _steps_of(record: TurnRecord) -> Iterator[Step]:
    if record.tool_calls:
        yield Step(calls=len(record.tool_calls))
    if record.reply is not None:
        yield Step(record.reply)
