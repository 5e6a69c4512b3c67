"""One trial: the turns of a case are played with the agent, in order and to the end.

Caught here, and turned into the failure of this one trial: every exception of the agent, its time limits, and answers
outside its contract. A failed check does not stop a conversation; checks come later.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from time import perf_counter

from proctor.agents import Agent, Message, Session, failed_usage
from proctor.agents.guard import is_cancelled
from proctor.errors import AgentRefused, AgentSetupError, ProctorError, TrialError, TrialTimeout
from proctor.excerpt import shorten, text_of
from proctor.plan import Case, Limits, Turn
from proctor.trajectory import Ending, Failure, Trajectory, TurnRecord, Usage

_MESSAGE_LIMIT = 2_000


async def play(agent: Agent, case: Case, limits: Limits) -> Trajectory:
    """Play one trial. Nothing is raised but cancellation and AgentSetupError."""
    started = perf_counter()
    records: list[TurnRecord] = []
    usage = Usage()
    failure: Failure | None = None
    try:
        async with _limit(limits.trial_timeout_s, "the trial"), agent.session() as session:
            try:
                await _converse(session, case.turns, limits, records)
            finally:
                usage = failed_usage(session)
    except AgentSetupError:
        raise
    except asyncio.CancelledError as error:
        if is_cancelled():
            raise
        failure = _failure(error, len(records))
    except (Exception, SystemExit) as error:  # an agent that calls sys.exit() ends its trial, not the run
        failure = _failure(error, len(records))
    return Trajectory(
        ending=_ending(failure),
        turns=tuple(records),
        failure=failure,
        usage=sum((record.usage for record in records if record.usage), usage),
        latency_ms=(perf_counter() - started) * 1000,
    )


async def _converse(session: Session, turns: tuple[Turn, ...], limits: Limits, records: list[TurnRecord]) -> None:
    """Add one record a turn. The agent sees user and assistant texts, not the tool calls of earlier turns."""
    messages: list[Message] = []
    for turn in turns:
        message: Message = {"role": "user", "content": turn.user}
        if turn.audio is not None:
            message["audio"] = turn.audio
        messages.append(message)
        started = perf_counter()
        async with _limit(limits.turn_timeout_s, f"turn {len(records) + 1}"):
            answer = await session.reply(messages)
        latency_ms = (perf_counter() - started) * 1000
        records.append(TurnRecord(turn.user, answer.reply, answer.tool_calls, turn.audio, latency_ms, answer.usage))
        messages.append({"role": "assistant", "content": answer.reply})


@asynccontextmanager
async def _limit(seconds: float, what: str) -> AsyncIterator[None]:
    """A time limit of ours; a TimeoutError that the agent raises by itself stays the agent's.

    An agent that blocks the event loop cannot be stopped at its limit, but its answer comes too late all the same.
    """
    too_late = TrialTimeout(f"{what} took longer than {seconds:g} s", hint="raise timeouts in the suite")
    started = perf_counter()
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            yield
    except TimeoutError as error:
        if not limit.expired():
            raise
        raise too_late from error
    if perf_counter() - started > seconds:
        raise too_late


def _failure(error: BaseException, turn: int) -> Failure:
    kind = error.kind if isinstance(error, TrialError) else "exception"
    return Failure(kind, type(error).__name__, shorten(_message(error), _MESSAGE_LIMIT), turn)


def _message(error: BaseException) -> str:
    """What happened, and the next step."""
    if not isinstance(error, ProctorError):
        return text_of(error)
    return f"{error.message}; {error.hint}" if error.hint else error.message


def _ending(failure: Failure | None) -> Ending:
    if failure is None:
        return Ending.COMPLETED
    return Ending.REFUSED if failure.kind == AgentRefused.kind else Ending.ERRORED
