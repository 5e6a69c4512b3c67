"""Tries an agent out before an evaluation: two turns, a second conversation, and its tools on a host."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from enum import StrEnum

from proctor.agents.base import Agent, AgentReply, Message
from proctor.errors import AgentSetupError, ProctorError, TrialError
from proctor.excerpt import quote, said
from proctor.trajectory import JsonValue

HELLO = "hello"


class Level(StrEnum):
    """How much a finding weighs."""

    OK = "ok"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was seen, in a sentence."""

    level: Level
    message: str


async def check_agent(agent: Agent, timeout_s: float) -> list[Finding]:
    """Talk to an agent and report what was seen. Each conversation may take ``timeout_s`` seconds; nothing is raised.

    The first error ends the check. The agent is left open.
    """
    findings: list[Finding] = []
    try:
        await _talk(agent, timeout_s, findings)
        await _try_host(agent, timeout_s, findings)
    except TimeoutError:
        findings.append(Finding(Level.ERROR, f"a conversation of one or two turns took longer than {timeout_s:g} s"))
    except ProctorError as error:
        findings.append(Finding(Level.ERROR, str(error)))
    except Exception as error:
        findings.append(Finding(Level.ERROR, f"the agent raised {said(error)}"))
    return findings


async def _talk(agent: Agent, timeout_s: float, findings: list[Finding]) -> None:
    conversation: list[Message] = []
    reports_usage = False
    async with asyncio.timeout(timeout_s), agent.session() as session:
        for turn in ("first", "second"):
            conversation.append({"role": "user", "content": HELLO})
            started = time.perf_counter()
            answer = await session.reply(conversation)
            reports_usage = answer.usage is not None
            findings += _seen(f"the {turn} turn", answer, time.perf_counter() - started)
            conversation.append({"role": "assistant", "content": answer.reply})
    if not reports_usage:
        findings.append(
            Finding(Level.WARNING, "the agent reports no usage: its tokens and cost will be missing in reports")
        )
    async with asyncio.timeout(timeout_s), agent.session() as other:
        await other.reply([{"role": "user", "content": HELLO}])
    findings.append(Finding(Level.OK, "a second conversation can be opened"))


async def _try_host(agent: Agent, timeout_s: float, findings: list[Finding]) -> None:
    host = _Probe()
    try:
        async with asyncio.timeout(timeout_s), agent.session(host) as session:
            await session.reply([{"role": "user", "content": HELLO}])
    except AgentSetupError as error:
        findings.append(Finding(Level.WARNING, f"traces cannot be replayed: {error.message}"))
    except TrialError as error:
        findings.append(Finding(Level.WARNING, f"with its tools on a host, the agent fails: {error.message}"))
    else:
        asked = f"asked for {', '.join(map(quote, host.asked))}" if host.asked else "asked for none"
        findings.append(Finding(Level.OK, f"tools can be answered by a host; on {quote(HELLO)} the agent {asked}"))


def _seen(turn: str, answer: AgentReply, seconds: float) -> list[Finding]:
    calls = ", ".join(quote(call.name, 60) for call in answer.tool_calls)
    tools = f"with the tool calls {calls}" if calls else "without tool calls"
    found = [Finding(Level.OK, f"{turn} took {seconds:.2f} s and gave {quote(answer.reply, 120)} {tools}")]
    if answer.reply is None and not answer.tool_calls:
        found.append(Finding(Level.WARNING, f"{turn} gave neither a reply nor a tool call"))
    return found


class _Probe:
    """A tool host without a recording: it notes what is asked for, and answers with an error."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def before_model_request(self) -> None:
        """Nothing is limited here but time."""

    async def call(self, name: str, arguments: JsonValue, call_id: str | None = None) -> tuple[JsonValue, bool]:  # noqa: ARG002
        self.asked.append(name)
        return "this is a check; no tool was run", True
