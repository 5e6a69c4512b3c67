"""Trying an agent out, and what the package costs to load."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from typing import Any

import pydantic_ai
from pydantic_ai.models.test import TestModel

from proctor import agents
from proctor.agents import AgentReply, Finding, Level, check_agent, wrap_object
from proctor.trajectory import Usage


def check(subject: object, timeout_s: float = 5) -> list[Finding]:
    return asyncio.run(check_agent(wrap_object(subject, name="bot"), timeout_s))


class TestCheck:
    def test_a_good_callable_is_told_what_was_seen_and_what_it_cannot(self) -> None:
        async def bot(messages: list[dict[str, Any]]) -> AgentReply:
            return agents.AgentReply(f"{len(messages)} \x1b", (), Usage(input_tokens=1))

        first, second, other, replay = check(bot)
        assert first.level is second.level is other.level is Level.OK
        assert first.message.endswith('and gave "1 <1B>" without tool calls')
        assert '"3 <1B>"' in second.message
        assert other.message == "a second conversation can be opened"
        assert replay.level is Level.WARNING
        assert replay.message.startswith("traces cannot be replayed: the agent bot is a plain callable")

    def test_tool_calls_and_missing_usage_are_told(self) -> None:
        async def bot(messages: object) -> tuple[None, list[str]]:
            return None, ["find"] if len(messages) == 1 else []  # type: ignore[arg-type]

        messages = [(finding.level, finding.message) for finding in check(bot)]
        assert messages[0][1].endswith('gave no reply with the tool calls "find"')
        assert (Level.WARNING, "the second turn gave neither a reply nor a tool call") in messages
        assert any("reports no usage" in message for _, message in messages)

    def test_a_pydantic_ai_agent_has_its_tools_answered(self) -> None:
        bot = pydantic_ai.Agent(TestModel())
        ran: list[int] = []

        @bot.tool_plain
        def find() -> int:
            ran.append(1)
            return 1

        findings = check(bot)
        assert findings[-1] == Finding(
            Level.OK, 'tools can be answered by a host; on "hello" the agent asked for "find"'
        )
        assert {finding.level for finding in findings} == {Level.OK}
        # The test model calls its tools once a conversation: in both, but not with the host.
        assert len(ran) == 2

    def test_the_first_error_ends_the_check_with_a_sentence(self) -> None:
        async def bot(messages: object) -> str:
            return "hi"

        (finding,) = check(bot)
        assert finding.level is Level.ERROR
        assert finding.message.startswith('the answer is the text "hi", not a reply with its tool calls\n  hint: ')

    def test_an_exception_of_the_agent_is_a_finding_not_a_traceback(self) -> None:
        async def bot(messages: object) -> str:
            raise KeyError("\x1bseat")

        assert check(bot) == [Finding(Level.ERROR, "the agent raised KeyError: '\\x1bseat'")]

    def test_an_exception_that_cannot_be_shown_is_a_finding_too(self) -> None:
        class Mute(Exception):
            def __str__(self) -> str:
                raise ValueError

        async def bot(messages: object) -> str:
            raise Mute

        assert check(bot) == [Finding(Level.ERROR, "the agent raised Mute: (the exception cannot be shown)")]

    def test_an_agent_that_does_not_answer_is_named_with_the_limit(self) -> None:
        async def bot(messages: object) -> None:
            await asyncio.sleep(20)

        assert check(bot, 0.02) == [Finding(Level.ERROR, "a conversation of one or two turns took longer than 0.02 s")]


class TestPackage:
    def test_all_is_sorted_and_complete(self) -> None:
        assert sorted(agents.__all__) == sorted(set(agents.__all__))
        assert all(hasattr(agents, name) for name in agents.__all__)

    def test_loading_it_loads_no_model_sdk_and_no_http_client(self) -> None:
        heavy = "'prefect', 'pydantic_ai', 'openai', 'anthropic', 'sqlmodel', 'httpx'"
        code = f"import proctor.agents, sys; print([name for name in ({heavy}) if name in sys.modules])"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "[]"
