"""One trial: the turns of a case are played with the agent, in order and to the end.

Caught here, and turned into the failure of this one trial: every exception of the agent, its time limits, and answers
outside its contract. A failed check does not stop a conversation; checks come later.

A case with a recording to replay is played with the hosts of `proctor.replay`. Where the replay is stopped, because the
recording is at its end, the agent runs away or its time is over, the trial is judged by what was done until then.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from time import perf_counter

from proctor.agents import Agent, AgentReply, Message, Session, failed_usage
from proctor.agents.guard import is_cancelled
from proctor.errors import AgentRefused, AgentSetupError, ProctorError, TrialError, TrialStopped, TrialTimeout
from proctor.excerpt import shorten, text_of
from proctor.plan import Case, Limits, Turn
from proctor.replay import Replayer
from proctor.trajectory import Ending, Failure, Trajectory, TurnRecord, Usage

_MESSAGE_LIMIT = 2_000


async def play(agent: Agent, case: Case, limits: Limits) -> Trajectory:
    """Play one trial. Nothing is raised but cancellation and AgentSetupError."""
    trial = _Trial(case.turns, limits, None if case.replay is None else Replayer(case.replay))
    started = perf_counter()
    failure: Failure | None = None
    try:
        async with _limit(limits.trial_timeout_s, "the trial"), trial.session(agent) as session:
            try:
                await trial.converse(session)
            finally:
                trial.usage = failed_usage(session)
    except AgentSetupError:
        raise
    except asyncio.CancelledError as error:
        if is_cancelled():
            raise
        failure = _failure(error, len(trial.records))
    except (Exception, SystemExit) as error:  # an agent that calls sys.exit() ends its trial, not the run
        failure = None if trial.is_cut_short(error) else _failure(error, len(trial.records))
    return trial.trajectory(failure, _ms_since(started))


class _Trial:
    """A trial under way: its records so far."""

    def __init__(self, turns: tuple[Turn, ...], limits: Limits, replayer: Replayer | None) -> None:
        self.records: list[TurnRecord] = []
        self.usage = Usage()
        self._turns = turns
        self._limits = limits
        self._replayer = replayer
        self._turn_started: float | None = None
        self._out_of_time = False

    def session(self, agent: Agent) -> AbstractAsyncContextManager[Session]:
        """Open the conversation."""
        return agent.session() if self._replayer is None else agent.session(self._replayer.tools, self._replayer.model)

    async def converse(self, session: Session) -> None:
        """Add one record a turn. The agent sees user and assistant texts, not the tool calls of earlier turns."""
        messages: list[Message] = []
        for turn in self._turns:
            message: Message = {"role": "user", "content": turn.user}
            if turn.audio is not None:
                message["audio"] = turn.audio
            messages.append(message)
            if self._replayer is not None:
                self._replayer.begin_turn()
            self._turn_started = perf_counter()
            async with _limit(self._limits.turn_timeout_s, f"turn {len(self.records) + 1}"):
                answer = await session.reply(messages)
            self._add(turn, answer, _ms_since(self._turn_started))
            messages.append({"role": "assistant", "content": answer.reply})

    def is_cut_short(self, error: BaseException) -> bool:
        """Whether an error only ends a replay that is under way. What its turn has done so far is then on record."""
        if self._replayer is None or self._turn_started is None or not isinstance(error, TrialStopped | TrialTimeout):
            return False
        turn = self._turns[len(self.records)]
        self.records.append(self._replayer.cut_short(turn, error.message, _ms_since(self._turn_started)))
        self._out_of_time = isinstance(error, TrialTimeout)
        return True

    def trajectory(self, failure: Failure | None, latency_ms: float) -> Trajectory:
        """All that the trial produced."""
        return Trajectory(
            ending=_ending(failure),
            turns=tuple(self.records),
            failure=failure,
            usage=sum((record.usage for record in self.records if record.usage), self.usage),
            latency_ms=latency_ms,
            notes=() if self._replayer is None or failure is not None else self._replayer.notes,
            out_of_time=self._out_of_time,
        )

    def _add(self, turn: Turn, answer: AgentReply, latency_ms: float) -> None:
        self._turn_started = None
        calls, usage, steps = answer.tool_calls, answer.usage, answer.steps
        self.records.append(TurnRecord(turn.user, answer.reply, calls, turn.audio, latency_ms, usage, steps=steps))


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


def _ms_since(started: float) -> float:
    return (perf_counter() - started) * 1000


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
