"""The examples of the documentation run, and its JSON keeps to the schema."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
import sys
import threading
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from proctor.agents import Agent, Message, build_agent, wrap_object
from proctor.agents.wire import CONTRACT_SCHEMA
from proctor.plan import AgentSpec

PAGE = (Path(__file__).parents[2] / "docs" / "agents.md").read_text(encoding="utf-8")
HELLO: list[Message] = [{"role": "user", "content": "hello"}]


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def example(start: str) -> str:
    (found,) = [block for block in blocks("python") if start in block]
    return found


def run(code: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "example"}
    exec(compile(code, "docs/agents.md", "exec"), names)
    return names


def replies(agent: Agent, turns: int = 1) -> list[str | None]:
    async def ask() -> list[str | None]:
        try:
            async with agent.session() as session:
                return [(await session.reply(HELLO)).reply for _ in range(turns)]
        finally:
            await agent.close()

    return asyncio.run(ask())


class TestExamples:
    def test_the_python_agents_answer(self) -> None:
        names = run(example("shop/agent.py"))
        assert replies(wrap_object(names["answer"])) == ["You asked: hello"]
        assert replies(wrap_object(names["Counter"]), 2) == ["turn 1", "turn 2"]

    def test_the_pydantic_ai_factory_answers(self) -> None:
        assert replies(wrap_object(run(example("pydantic_ai"))["make_agent"])) == ['{"find_table":7}']

    def test_the_http_agent_answers(self) -> None:
        server = run(example("complete HTTP agent"))["serve"](0)
        server.RequestHandlerClass.log_message = lambda *arguments: None
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            spec = AgentSpec("bot", "http", f"http://127.0.0.1:{server.server_port}/")
            assert replies(build_agent(spec, Path()), 2) == ["You said: hello"] * 2
        finally:
            server.shutdown()
            thread.join()
            server.server_close()

    def test_the_command_agent_answers(self, tmp_path: Path) -> None:
        (tmp_path / "bot.py").write_text(example("complete command agent"), encoding="utf-8")
        spec = AgentSpec("bot", "command", f"{shlex.quote(sys.executable)} bot.py")
        assert replies(build_agent(spec, tmp_path), 2) == ["You said: hello"] * 2

    @pytest.mark.parametrize(
        "text", [*blocks("json"), *re.findall(r'^\| `(\{"[a-z_]+": [^…]*?\})` \|.*$', PAGE, re.MULTILINE)]
    )
    def test_every_json_example_keeps_to_the_contract(self, text: str) -> None:
        jsonschema.Draft202012Validator(json.loads(CONTRACT_SCHEMA.read_text())).validate(json.loads(text))
