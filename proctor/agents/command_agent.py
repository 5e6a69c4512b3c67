"""Agents that are commands: one process a trial, which speaks `proctor.agents.wire` in lines on stdin and stdout."""

from __future__ import annotations

import os
import shlex
import shutil
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from proctor.agents.base import Agent, AgentOutage, AgentReply, Message, ModelHost, Session, ToolHost
from proctor.agents.line_process import GRACE_S, LineProcess
from proctor.agents.model_reach import refuse_model
from proctor.agents.wire import converse, decode, encode
from proctor.errors import AgentSetupError, TrialError
from proctor.excerpt import quote
from proctor.plan import AgentSpec
from proctor.trajectory import JsonValue


def build_command_agent(spec: AgentSpec, root: Path) -> Agent:
    """Build an agent for a command line, split as a shell would, with the option ``args`` behind it.

    No shell is involved. Raises AgentSetupError when the program is not there; nothing is started yet.
    """
    try:
        words = shlex.split(spec.target)
    except ValueError as error:
        raise AgentSetupError(
            f"the command of the agent {spec.name} cannot be split into words: {error}", hint="look for an open quote"
        ) from error
    unknown = sorted(spec.options.keys() - {"args"})
    if unknown:
        raise AgentSetupError(
            f"the command agent {spec.name} has an unknown option {unknown[0]!r}", hint="it takes args only"
        )
    command = [*words, *_arguments(spec.name, spec.options.get("args", []))]
    if not words or not _is_program(words[0], root):
        raise AgentSetupError(
            f"the agent {spec.name} has no program to run: {quote(spec.target)}",
            hint=f"programs are looked up on the PATH, and those with a slash from {root}",
        )
    return CommandAgent(command, root)


class CommandAgent:
    """An agent under test that is a command."""

    def __init__(self, command: list[str], root: Path) -> None:
        self._command = command
        self._root = root

    @asynccontextmanager
    async def session(self, tools: ToolHost | None = None, model: ModelHost | None = None) -> AsyncIterator[Session]:
        """Start the process, and end it with all its children when the conversation is over."""
        refuse_model(model, f"the command {quote(self._command[0])}")
        try:
            process = await LineProcess.start(self._command, self._root)
        except OSError as error:
            raise AgentOutage(
                f"the command {quote(self._command[0])} cannot be started: {error}",
                hint="check the file's rights and the limits on processes and open files",
            ) from error
        session = CommandSession(process, tools)
        try:
            yield session
        finally:
            await process.stop(grace_s=0 if session.is_lost else GRACE_S)

    async def close(self) -> None:
        """Do nothing: each process ends with its session."""


class CommandSession:
    """A conversation with one process."""

    def __init__(self, process: LineProcess, tools: ToolHost | None) -> None:
        self._process = process
        self._tools = tools
        self._id = uuid.uuid4().hex
        self.is_lost = False
        """Whether a request was not answered as it should: a later answer could belong to it."""

    async def reply(self, messages: list[Message]) -> AgentReply:
        """Write the conversation so far, and answer tool calls until the reply comes."""
        return await converse(self._exchange, self._id, messages, self._tools)

    async def _exchange(self, request: dict[str, Any]) -> object:
        if self.is_lost:
            raise TrialError(
                "the agent's process was given up after an earlier request in this trial",
                hint="look at the first error of the trial",
            )
        self.is_lost = True
        answer = decode(await self._process.ask(encode(request)))
        self.is_lost = False
        return answer


def _arguments(agent: str, given: JsonValue) -> list[str]:
    if not isinstance(given, list) or not all(isinstance(each, str) for each in given):
        raise AgentSetupError(f"the args of the agent {agent} are no list of texts", hint="put numbers in quotes")
    return [str(each) for each in given]


def _is_program(name: str, root: Path) -> bool:
    if os.sep in name:
        return os.access(root / name, os.X_OK)
    return shutil.which(name) is not None
