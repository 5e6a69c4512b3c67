"""From the turns of a fixture to a trial: the trace that its assertions look at, and a trajectory."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from itertools import chain

from proctor.checks.pi.trace import ASSISTANT, TOOL_RESULT, USER, Trace, TraceCall, TraceTurn
from proctor.formats.pi.fixture import Fixture, FixtureTurn, Record, TokenLedger, sum_ledgers, token_ledger
from proctor.plan import Recorded
from proctor.trajectory import Ending, ToolCall, Trajectory, TurnRecord, Usage


def recorded_trial(fixture: Fixture) -> Recorded:
    """The trial that a fixture holds."""
    turns = tuple(_turn_record(exchange) for exchange in _exchanges(fixture.turns))
    usage = _usage(token_ledger(fixture), sum(turn.role == ASSISTANT for turn in fixture.turns))
    return Recorded(Trajectory(Ending.COMPLETED, turns, usage=usage), recorded_trace(fixture))


def recorded_trace(fixture: Fixture) -> Trace:
    """The exact trace of a fixture."""
    return Trace(tuple(map(_trace_turn, fixture.turns)))


def _trace_turn(turn: FixtureTurn) -> TraceTurn:
    if turn.role == ASSISTANT:
        return TraceTurn(turn.role, turn.text, tuple(map(_trace_call, turn.calls)))
    return TraceTurn(turn.role, turn.text if turn.role == USER else "")


def _trace_call(block: Record) -> TraceCall:
    error = block.get("argumentsError")
    return TraceCall(block["name"], block["arguments"], error if isinstance(error, str) else None)


def _exchanges(turns: Sequence[FixtureTurn]) -> Iterator[list[FixtureTurn]]:
    """The turns in groups: each message of the user begins one."""
    group: list[FixtureTurn] = []
    for turn in turns:
        if turn.role == USER and group:
            yield group
            group = []
        group.append(turn)
    if group:
        yield group


def _turn_record(exchange: Sequence[FixtureTurn]) -> TurnRecord:
    first, answers = exchange[0], [turn for turn in exchange if turn.role == ASSISTANT]
    return TurnRecord(
        user=first.text if first.role == USER else "",
        reply=_reply(answers[-1]) if answers else None,
        tool_calls=tuple(_tool_calls(exchange)),
        usage=_usage(sum_ledgers(turn.ledger for turn in answers if turn.ledger is not None), len(answers)),
    )


def _reply(answer: FixtureTurn) -> str | None:
    """The text of a message; None where it has no text block at all."""
    return answer.text if any(block["type"] == "text" for block in answer.record["content"]) else None


def _tool_calls(exchange: Sequence[FixtureTurn]) -> Iterator[ToolCall]:
    results: defaultdict[str, deque[FixtureTurn]] = defaultdict(deque)
    for turn in exchange:
        if turn.role == TOOL_RESULT:
            results[turn.record["toolUseId"]].append(turn)
    for block in chain.from_iterable(turn.calls for turn in exchange):
        own = results.get(block["id"])
        result = own.popleft() if own else None
        yield ToolCall(
            name=block["name"],
            arguments=block["arguments"],
            id=block["id"],
            result=None if result is None else result.text,
            is_error=result is not None and result.record.get("isError") is True,
        )


def _usage(ledger: TokenLedger, requests: int) -> Usage:
    return Usage(
        input_tokens=ledger.input,
        output_tokens=ledger.output,
        cache_read_tokens=ledger.cache_read,
        cache_write_tokens=ledger.cache_creation,
        requests=requests,
    )
