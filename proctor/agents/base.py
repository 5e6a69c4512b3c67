"""The seam to the agent under test: messages in, a reply and tool calls out.

An `Agent` is built once a run; a `Session` is opened for each trial and closed after it, so that no trial sees
another one's state. A session is asked once a turn, with the whole conversation so far. What a session raises is
classified by `proctor.errors`: TrialTimeout, MalformedReply, AgentUnavailable, AgentRefused; any other exception is
the agent's own and makes the trial errored.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import NotRequired, Protocol, TypedDict

from proctor.trajectory import ToolCall, Usage

CONTRACT_VERSION = 1
"""The version of what agents receive and return. It is part of every trial key."""


class Message(TypedDict):
    """One message of the conversation. ``audio`` is a path, on user messages of voice cases only."""

    role: str
    content: str | None
    audio: NotRequired[str]


@dataclass(frozen=True, slots=True)
class AgentReply:
    """The answer to one user message: text (None for no reply at all), and the tools called on the way to it."""

    reply: str | None
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage | None = None


class Session(Protocol):
    """One conversation with the agent."""

    async def reply(self, messages: list[Message]) -> AgentReply:
        """Answer the last message. ``messages`` is the conversation so far and ends with the user's message."""
        ...


class Agent(Protocol):
    """An agent under test, ready to be talked to."""

    def session(self) -> AbstractAsyncContextManager[Session]:
        """Open a fresh conversation."""
        ...

    async def close(self) -> None:
        """Free what the agent holds: connections, processes. Called once, at the end of the run."""
        ...
