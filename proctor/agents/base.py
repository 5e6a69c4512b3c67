"""The seam to the agent under test: messages in, a reply and tool calls out.

An `Agent` is built once a run; a `Session` is opened for each trial and closed after it, so that no trial sees
another one's state. A session is asked once a turn, with the whole conversation so far. What a session raises is
classified by `proctor.errors`: TrialTimeout, MalformedReply, AgentUnavailable, AgentRefused; any other exception is
the agent's own and makes the trial errored. Time limits are the caller's: a session that is cancelled cleans up.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import NotRequired, Protocol, TypedDict, runtime_checkable

from proctor.errors import AgentUnavailable
from proctor.replay_plan import ModelAnswer
from proctor.trajectory import JsonValue, Step, ToolCall, Usage

CONTRACT_VERSION = 1
"""The version of what agents receive and return. It is part of every trial key."""


class Message(TypedDict):
    """One message of the conversation. ``audio`` is a path, on user messages of voice cases only."""

    role: str
    content: str | None
    audio: NotRequired[str]


@dataclass(frozen=True, slots=True)
class AgentReply:
    """The answer to one user message: text (None for no reply at all), and the tools called on the way to it.

    ``steps`` are the messages on the way, the reply last; a session with a tool host tells them.
    """

    reply: str | None
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None
    steps: tuple[Step, ...] = ()


class AgentOutage(AgentUnavailable):
    """An outage with what a retry needs to know.

    ``retry_after_s`` is how long the other side asked to be left alone, in seconds. ``is_transient`` is False when
    asking again cannot help: a wrong key, a spent quota.
    """

    def __init__(
        self, message: str, *, hint: str | None = None, retry_after_s: float | None = None, is_transient: bool = True
    ) -> None:
        super().__init__(message, hint=hint)
        self.retry_after_s = retry_after_s
        self.is_transient = is_transient


class ToolHost(Protocol):
    """Whoever answers tool calls in the agent's place: a recording, when a trace is replayed."""

    def before_model_request(self) -> None:
        """Take note that the agent is about to ask its model, as far as that can be seen from here.

        Raises TrialStopped when the trial has to end here.
        """
        ...

    async def call(self, name: str, arguments: JsonValue, call_id: str | None = None) -> tuple[JsonValue, bool]:
        """Answer one call: the result, and whether it is an error. Calls arrive in the order the agent made them."""
        ...


class ModelHost(Protocol):
    """Whoever answers in the place of the agent's model: a recording, when the loop of an agent is replayed."""

    def answer(self) -> ModelAnswer:
        """Answer the next request.

        Raises TrialStopped when there is no answer left.
        """
        ...


class Session(Protocol):
    """One conversation with the agent."""

    async def reply(self, messages: list[Message]) -> AgentReply:
        """Answer the last message. ``messages`` is the conversation so far and ends with the user's message."""
        ...


@runtime_checkable
class MeteredSession(Protocol):
    """A session that also knows what its failed turns cost."""

    @property
    def failed_usage(self) -> Usage:
        """The tokens of all turns so far that ended in an exception, which no reply carries."""
        ...


def failed_usage(session: Session) -> Usage:
    """Get the tokens of a session's failed turns; nothing for a session that does not count them."""
    return session.failed_usage if isinstance(session, MeteredSession) else Usage()


class Agent(Protocol):
    """An agent under test, ready to be talked to."""

    def session(
        self, tools: ToolHost | None = None, model: ModelHost | None = None
    ) -> AbstractAsyncContextManager[Session]:
        """Open a fresh conversation.

        With ``tools``, the agent's tools are not run but answered by that host; with ``model``, its model is not asked
        but answered for. Raises AgentSetupError when the agent cannot hand over what it should, or cannot be started.
        """
        ...

    async def close(self) -> None:
        """Free what the agent holds: connections, processes. Called once, at the end of the run."""
        ...
