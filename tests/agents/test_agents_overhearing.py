"""What a pydantic-ai agent's model was sent and answered is heard, and other agents are left alone."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from pydantic_ai import Agent, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.messages import ModelMessage
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.models.test import TestModel

from proctor.agents import AgentReply, Message, failed_usage, wrap_object
from proctor.agents.overhearing import OverheardAgent, system_prompt
from proctor.trajectory import Step


def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Say something and look twice, look once more, and reply."""
    rounds = sum(isinstance(message, ModelResponse) for message in messages) % 3
    if rounds == 0:
        return ModelResponse([TextPart("one moment"), ToolCallPart("look", {}), ToolCallPart("look", {})])
    return ModelResponse([ToolCallPart("look", {})] if rounds == 1 else [TextPart("done")])


def looking(model: FunctionModel | None = None, **more: Any) -> Agent[None, Any]:
    """An agent with a tool."""
    agent: Agent[None, Any] = Agent(model or FunctionModel(answer), **more)

    @agent.tool_plain
    def look() -> int:
        return 1

    return agent


def replies(agent: OverheardAgent, *said: str) -> list[AgentReply]:
    async def talk() -> list[AgentReply]:
        found, messages = [], list[Message]()
        async with agent.session() as session:
            for text in said:
                messages.append({"role": "user", "content": text})
                found.append(await session.reply(messages))
                messages.append({"role": "assistant", "content": found[-1].reply})
        await agent.close()
        return found

    return asyncio.run(talk())


class TestSteps:
    def test_are_those_of_each_reply(self) -> None:
        found = replies(OverheardAgent(wrap_object(looking())), "a", "b")
        told = [[(step.text or "", step.calls) for step in each.steps] for each in found]
        assert told == [[("one moment", 2), ("", 1), ("done", 0)]] * 2
        assert [len(each.tool_calls) for each in found] == [3, 3]

    def test_do_not_count_the_tool_that_carries_the_output(self) -> None:
        agent: Agent[None, int] = Agent(TestModel(), output_type=int)
        [found] = replies(OverheardAgent(wrap_object(agent)), "a")
        assert found.reply == "0"
        assert found.steps == (Step("0"),)

    def test_are_not_known_of_a_callable(self) -> None:
        agent = OverheardAgent(wrap_object(lambda messages: ("hi", ["look"])))
        [found] = replies(agent, "a")
        assert found.steps == ()
        assert agent.prompt is None

    def test_are_not_known_of_a_callable_that_asks_a_model_itself(self) -> None:
        inner = Agent(TestModel(), instructions="inner")

        async def outer(messages: list[Message]) -> tuple[str, list[str]]:
            return (await inner.run("x")).output, []

        agent = OverheardAgent(wrap_object(outer))
        [found] = replies(agent, "a")
        assert (found.steps, agent.prompt) == ((), None)


class TestThePrompt:
    @pytest.mark.parametrize(
        ("more", "prompt"),
        [
            ({}, None),
            ({"instructions": "Be brief."}, "Be brief."),
            ({"system_prompt": "Be kind.\n"}, "Be kind.\n"),
            ({"system_prompt": ("Be kind.", "Be brief."), "instructions": "Look."}, "Be kind.\n\nBe brief.\n\nLook."),
        ],
    )
    def test_is_what_the_first_request_had(self, more: dict[str, Any], prompt: str | None) -> None:
        agent = OverheardAgent(wrap_object(looking(**more)))
        replies(agent, "a", "b")
        assert agent.prompt == prompt

    def test_of_no_request_is_none(self) -> None:
        assert system_prompt([]) is None


class TestATurnThatFails:
    def test_costs_what_it_cost(self) -> None:
        def fail(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            if len(messages) > 1:
                raise ValueError("no")
            return answer(messages, info)

        agent = OverheardAgent(wrap_object(looking(FunctionModel(fail))))

        async def talk() -> int:
            async with agent.session() as session:
                with pytest.raises(ValueError, match="no"):
                    await session.reply([{"role": "user", "content": "a"}])
                return failed_usage(session).requests

        assert asyncio.run(talk()) == 1
