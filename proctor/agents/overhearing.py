"""Hear what a pydantic-ai agent's model is sent and answers, so that a recording has it message by message."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from proctor.agents.base import Agent, AgentReply, Message, ModelHost, Session, ToolHost, failed_usage
from proctor.trajectory import Usage

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage


class OverheardAgent:
    """An agent that tells the steps of its replies and its system prompt, if it is a pydantic-ai agent.

    Agents of other kinds are passed on as they are: nobody can see into them. ``prompt`` is the system prompt of the
    first request to the model; None before it, and where it cannot be heard.
    """

    def __init__(self, agent: Agent) -> None:
        self.prompt: str | None = None
        self._agent = agent

    @asynccontextmanager
    async def session(self, tools: ToolHost | None = None, model: ModelHost | None = None) -> AsyncIterator[Session]:
        """Open a conversation with the agent."""
        async with self._agent.session(tools, model) as session:
            yield _Overheard(session, self._hear) if _is_pydantic_ai(session) else session

    async def close(self) -> None:
        """Close the agent."""
        await self._agent.close()

    def _hear(self, prompt: str | None) -> None:
        self.prompt = self.prompt or prompt


class _Overheard:
    """A conversation with a pydantic-ai agent, in which each reply has its steps."""

    def __init__(self, session: Session, hear: Callable[[str | None], None]) -> None:
        self._session = session
        self._hear = hear

    @property
    def failed_usage(self) -> Usage:
        """The tokens of turns that failed."""
        return failed_usage(self._session)

    async def reply(self, messages: list[Message]) -> AgentReply:
        """Answer the last message."""
        from pydantic_ai import capture_run_messages

        with capture_run_messages() as heard:
            answer = await self._session.reply(messages)
        made = [message for message in heard if message.run_id == heard[-1].run_id]
        self._hear(system_prompt(made))
        return answer if answer.steps else _with_steps(answer, made)


def system_prompt(messages: Sequence[ModelMessage]) -> str | None:
    """The system prompt of the first request: its system parts and its instructions, with a blank line between.

    That is the order in which pydantic-ai puts them into a request. None where there are none.
    """
    from pydantic_ai.messages import ModelRequest, SystemPromptPart

    first = next((message for message in messages if isinstance(message, ModelRequest)), None)
    if first is None:
        return None
    parts = [part.content for part in first.parts if isinstance(part, SystemPromptPart)]
    return "\n\n".join(filter(None, [*parts, first.instructions])) or None


def _with_steps(answer: AgentReply, made: Sequence[ModelMessage]) -> AgentReply:
    """The answer with the messages on the way to it. Tools that are not among its calls only carried its output."""
    from pydantic_ai.messages import BaseToolCallPart

    from proctor.agents.pydantic_ai_agent import steps

    own = {call.id for call in answer.tool_calls}
    calls = [part for message in made for part in message.parts if isinstance(part, BaseToolCallPart)]
    others = {part.tool_name for part in calls if part.tool_call_id not in own}
    return replace(answer, steps=tuple(steps(made, answer.reply, without=others)))


def _is_pydantic_ai(session: Session) -> bool:
    # Only where this module has been imported there can be such a session.
    module = sys.modules.get("proctor.agents.pydantic_ai_agent")
    return module is not None and isinstance(session, module.PydanticAISession)
