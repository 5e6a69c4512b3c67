"""Agents that are Python objects: callables, pydantic-ai agents, and factories of either.

What is given decides how it is used:

- a pydantic-ai agent is run with its own message history (`proctor.agents.pydantic_ai_agent`);
- a class, or a function without required parameters, is a factory: each trial gets a fresh agent from it;
- any other callable is the agent itself. It takes the messages and gives the reply with its tool calls; a coroutine is
  awaited, a blocking one runs in the trial's own thread.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from proctor.agents.answer import read_answer
from proctor.agents.base import Agent, AgentReply, Message, ModelHost, Session, ToolHost
from proctor.agents.call_thread import CallThread
from proctor.agents.guard import guarded
from proctor.agents.model_reach import refuse_model
from proctor.errors import AgentSetupError, TargetError
from proctor.import_target import import_target
from proctor.plan import AgentSpec
from proctor.trajectory import JsonValue

_SHAPES = "an agent is called with the messages and gives (reply, tool_calls); a factory is called with nothing"


def build_python_agent(spec: AgentSpec, root: Path) -> Agent:
    """Import the target of a declared agent. Its options are keyword arguments for the factory that it then has to be.

    Raises AgentSetupError when it cannot be imported, or is no agent.
    """
    try:
        found = import_target(spec.target, root)
    except TargetError as error:
        raise AgentSetupError(error.message, hint=error.hint) from error
    return wrap_object(found, name=spec.target, options=spec.options)


def wrap_object(
    subject: object, *, name: str | None = None, options: Mapping[str, JsonValue] | None = None
) -> PythonAgent:
    """Make an agent of an object: a pydantic-ai agent, a callable, a class or a factory function.

    ``name`` is what errors call it. Raises AgentSetupError when it is none of these.
    """
    name = name or str(getattr(subject, "__qualname__", type(subject).__name__))
    if _is_pydantic_ai(subject):
        if options:
            raise AgentSetupError(
                f"the agent {name} is built already and takes no options",
                hint="point to a function that builds it, and the options become its keyword arguments",
            )
        return PythonAgent(lambda: subject, name)
    if not callable(subject):
        raise AgentSetupError(f"the agent {name} is of type {type(subject).__name__}, not callable", hint=_SHAPES)
    if options or _is_factory(subject):
        return PythonAgent(_factory(subject, name, options or {}), name, in_thread=_is_blocking_class(subject))
    if not _takes(subject, []):
        raise AgentSetupError(f"the agent {name} cannot be called with one argument, the messages", hint=_SHAPES)
    return PythonAgent(lambda: subject, name)


class PythonAgent:
    """An agent under test that lives in this process."""

    def __init__(self, factory: Callable[[], object], name: str, *, in_thread: bool = False) -> None:
        self._factory = factory
        self._name = name
        self._in_thread = in_thread

    @asynccontextmanager
    async def session(self, tools: ToolHost | None = None, model: ModelHost | None = None) -> AsyncIterator[Session]:
        """Open a conversation with a fresh agent, or with the one object that there is."""
        thread = CallThread()
        try:
            yield self._open(await self._subject(thread), thread, tools, model)
        finally:
            thread.close()

    async def close(self) -> None:
        """Do nothing: the object belongs to the user."""

    async def _subject(self, thread: CallThread) -> object:
        built = await guarded(self._name, lambda: self._build(thread))
        if not (_is_pydantic_ai(built) or callable(built)):
            raise AgentSetupError(
                f"the factory {self._name} gave an object of type {type(built).__name__}, not an agent",
                hint=f"{_SHAPES}; a parameter for the messages must have no default",
            )
        return built

    async def _build(self, thread: CallThread) -> object:
        return await _settled(await thread.run(self._factory) if self._in_thread else self._factory())

    def _open(self, subject: Any, thread: CallThread, tools: ToolHost | None, model: ModelHost | None) -> Session:
        if _is_pydantic_ai(subject):
            from proctor.agents.pydantic_ai_agent import PydanticAISession

            return PydanticAISession(subject, tools, self._name, model)
        refuse_model(model, f"the agent {self._name}, a plain callable,")
        if tools is not None:
            raise AgentSetupError(
                f"the agent {self._name} is a plain callable and runs its tools itself, so it cannot be replayed",
                hint="a pydantic-ai agent, or an HTTP or command agent that hands its tool calls over, can be",
            )
        return CallableSession(subject, thread, self._name)


class CallableSession:
    """A conversation with a callable."""

    def __init__(self, subject: Callable[[list[dict[str, Any]]], Any], thread: CallThread, name: str) -> None:
        self._subject = subject
        self._thread = thread
        self._name = name

    async def reply(self, messages: list[Message]) -> AgentReply:
        """Call the agent with a copy of the messages, which it may alter as it likes."""
        copies = [dict(message) for message in messages]
        return read_answer(await guarded(self._name, lambda: _call(self._subject, copies, self._thread)))


async def _call(subject: Callable[[Any], Any], messages: list[dict[str, Any]], thread: CallThread) -> object:
    if _is_async(subject):
        return await _settled(subject(messages))
    return await _settled(await thread.run(lambda: subject(messages)))


async def _settled(value: Any) -> object:
    return await value if inspect.isawaitable(value) else value


def _is_async(subject: Any) -> bool:
    return inspect.iscoroutinefunction(subject) or inspect.iscoroutinefunction(type(subject).__call__)


def _is_blocking_class(subject: Callable[..., Any]) -> bool:
    # Such an agent is built in the thread in which it is called. All others may need the running event loop.
    if not isinstance(subject, type):
        return False
    call = subject.__call__
    return inspect.isfunction(call) and not inspect.iscoroutinefunction(call)


def _is_pydantic_ai(subject: object) -> bool:
    # Only who has imported pydantic_ai can have such an agent.
    module = sys.modules.get("pydantic_ai.agent")
    return module is not None and isinstance(subject, module.AbstractAgent)


def _is_factory(subject: Callable[..., Any]) -> bool:
    if isinstance(subject, type):
        return True
    parameters = _signature(subject).parameters.values()
    return not any(each.kind is each.VAR_POSITIONAL or _is_required(each) for each in parameters)


def _is_required(parameter: inspect.Parameter) -> bool:
    return parameter.default is parameter.empty and parameter.kind not in (
        parameter.VAR_POSITIONAL,
        parameter.VAR_KEYWORD,
    )


def _takes(subject: Callable[..., Any], *arguments: object, **options: object) -> bool:
    try:
        _signature(subject).bind(*arguments, **options)
    except TypeError:
        return False
    return True


def _signature(subject: Callable[..., Any]) -> inspect.Signature:
    try:
        return inspect.signature(subject)
    except (TypeError, ValueError):
        # Builtins need not have one. Such an object is taken for what most are: a function of one argument.
        return inspect.Signature([inspect.Parameter("messages", inspect.Parameter.POSITIONAL_ONLY)])


def _factory(subject: Callable[..., Any], name: str, options: Mapping[str, JsonValue]) -> Callable[[], object]:
    if not _takes(subject, **options):
        given = f"the options {', '.join(options)}" if options else "no arguments"
        raise AgentSetupError(
            f"the factory {name}{_signature(subject)} cannot be called with {given}",
            hint="the agent's options are the keyword arguments of its factory; give those that it needs",
        )
    return functools.partial(subject, **options)
