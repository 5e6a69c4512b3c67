"""Agents whose tools, and whose model, are answered for by a recording."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent, RunContext
from pydantic_ai.capabilities import ProcessEventStream, ProcessHistory
from pydantic_ai.messages import (
    AgentStreamEvent,
    ModelMessage,
    ModelResponse,
    PartStartEvent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

from proctor.agents import AgentReply, build_agent, wrap_object
from proctor.errors import AgentSetupError, TrialStopped
from proctor.plan import AgentSpec
from proctor.replay_plan import AnswerCall, AnswerText, AnswerThinking, ModelAnswer
from proctor.trajectory import JsonValue, Step, ToolCall

BOOK = AnswerCall("book", {"seats": 2}, "call-1", "sig-c")


class Tools:
    """Answers every call with its number, and counts requests to the model."""

    def __init__(self, most: int = 100) -> None:
        self.asked: list[tuple[str, JsonValue, str | None]] = []
        self.requests = 0
        self._most = most

    def before_model_request(self) -> None:
        if self.requests == self._most:
            raise TrialStopped("enough")
        self.requests += 1

    async def call(self, name: str, arguments: JsonValue, call_id: str | None = None) -> tuple[JsonValue, bool]:
        self.asked.append((name, arguments, call_id))
        return f"result {len(self.asked)}", False


class Model:
    """Gives answers in their order."""

    def __init__(self, *answers: ModelAnswer) -> None:
        self._left = list(answers)

    def answer(self) -> ModelAnswer:
        if not self._left:
            raise TrialStopped("more model calls than recorded")
        return self._left.pop(0)


def network_model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    raise AssertionError("the real model was asked")


def booking_agent(**options: Any) -> Agent[None, Any]:
    agent: Agent[None, Any] = Agent(FunctionModel(network_model), **options)

    @agent.tool_plain
    def book(seats: int) -> str:
        raise AssertionError("the real tool was run")

    return agent


def replayed(agent: Any, *answers: ModelAnswer, tools: Tools | None = None, turns: int = 1) -> list[AgentReply]:
    async def run() -> list[AgentReply]:
        async with wrap_object(agent).session(tools or Tools(), Model(*answers)) as session:
            return [await session.reply([{"role": "user", "content": "hi"}]) for _ in range(turns)]

    return asyncio.run(run())


class TestARecordedModel:
    def test_is_asked_in_the_place_of_the_agents_own(self) -> None:
        tools = Tools()
        (reply,) = replayed(
            booking_agent(), (AnswerText("One"), AnswerText("moment."), BOOK), (AnswerText("Done."),), tools=tools
        )
        assert reply.reply == "Done."
        assert reply.tool_calls == (ToolCall("book", {"seats": 2}, "call-1", "result 1"),)
        assert reply.steps == (Step("One\nmoment.", 1), Step("Done."))
        assert tools.asked == [("book", {"seats": 2}, "call-1")]
        assert tools.requests == 2

    def test_spends_no_tokens(self) -> None:
        (reply,) = replayed(booking_agent(), (AnswerText("Done."),))
        assert reply.usage is not None
        assert reply.usage.to_json() == {"requests": 1}

    def test_keeps_thinking_and_signatures(self) -> None:
        said: list[ModelMessage] = []

        def listen(messages: list[ModelMessage]) -> list[ModelMessage]:
            said.extend(messages)
            return messages

        agent = booking_agent(capabilities=[ProcessHistory(listen)])
        thought = AnswerThinking("hm", "sig-t")
        replayed(agent, (thought, AnswerText("so", "sig-x"), BOOK), (AnswerText("Done."),))
        response = next(message for message in said if isinstance(message, ModelResponse))
        first, second, third = response.parts
        assert isinstance(first, ThinkingPart)
        assert isinstance(second, TextPart)
        assert isinstance(third, ToolCallPart)
        assert (first.content, first.signature) == ("hm", "sig-t")
        assert (second.content, second.provider_details) == ("so", {"signature": "sig-x"})
        assert (third.args, third.provider_details) == ({"seats": 2}, {"signature": "sig-c"})

    def test_goes_on_from_turn_to_turn(self) -> None:
        replies = replayed(booking_agent(), (AnswerText("one"),), (AnswerText("two"),), turns=2)
        assert [reply.reply for reply in replies] == ["one", "two"]

    def test_streams_to_agents_that_listen_to_events(self) -> None:
        heard: list[str] = []

        async def listen(context: RunContext[None], events: AsyncIterable[AgentStreamEvent]) -> None:
            heard.extend([event.part.part_kind async for event in events if isinstance(event, PartStartEvent)])

        (reply,) = replayed(booking_agent(capabilities=[ProcessEventStream(listen)]), (BOOK,), (AnswerText("Done."),))
        assert reply.reply == "Done."
        assert heard == ["tool-call", "text"]

    def test_may_be_asked_more_than_fifty_times_in_a_turn(self) -> None:
        answers = [(AnswerCall("book", {"seats": number}, f"call-{number}"),) for number in range(60)]
        (reply,) = replayed(booking_agent(), *answers, (AnswerText("Done."),))
        assert len(reply.tool_calls) == 60

    def test_stops_the_turn_when_it_has_no_answer_left(self) -> None:
        with pytest.raises(TrialStopped, match="more model calls than recorded"):
            replayed(booking_agent(), (BOOK,))

    def test_cut_in_the_middle_of_a_character_is_heard_as_javascript_would_send_it(self) -> None:
        call = AnswerCall("book", {"seats": 2, "note\ud83d": "\ud83d"}, "a")
        (reply,) = replayed(booking_agent(), (AnswerThinking("\ud83d"), call), (AnswerText("Done \ud83d"),))
        assert reply.reply == "Done \ufffd"
        assert reply.tool_calls[0].arguments == {"seats": 2, "note\ufffd": "\ufffd"}

    def test_of_structured_output_has_the_reply_as_its_last_message(self) -> None:
        class Table(BaseModel):
            seats: int

        (reply,) = replayed(booking_agent(output_type=Table), (AnswerCall("final_result", {"seats": 2}, "a"),))
        assert reply.reply == '{"seats": 2}'
        assert reply.steps == (Step('{"seats": 2}'),)
        assert reply.tool_calls == ()


class TestAToolHost:
    def test_gets_the_calls_of_a_batch_in_their_order(self) -> None:
        tools = Tools()
        batch = tuple(AnswerCall("book", {"seats": seats}, f"call-{seats}") for seats in (3, 1, 2))
        (reply,) = replayed(booking_agent(), batch, (AnswerText("Done."),), tools=tools)
        assert [call_id for _, _, call_id in tools.asked] == ["call-3", "call-1", "call-2"]
        assert [call.result for call in reply.tool_calls] == ["result 1", "result 2", "result 3"]

    def test_stops_an_agent_before_it_asks_its_model(self) -> None:
        with pytest.raises(TrialStopped, match="enough"):
            replayed(booking_agent(), (BOOK,), (AnswerText("Done."),), tools=Tools(most=1))


class TestAModelOutOfReach:
    async def _open(self, agent: Any) -> None:
        async with agent.session(Tools(), Model()):
            pass

    @pytest.mark.parametrize(
        ("kind", "target", "name"),
        [
            ("http", "http://user:secret@127.0.0.1:9/agent?key=1", "the agent at http://127.0.0.1:9/agent"),
            ("command", "true --fast", 'the command "true"'),
        ],
    )
    def test_is_refused_with_the_next_step(self, kind: str, target: str, name: str) -> None:
        agent = build_agent(AgentSpec("bot", kind, target), Path())
        with pytest.raises(AgentSetupError) as refused:
            asyncio.run(self._open(agent))
        assert refused.value.message == (
            f"{name} asks its model out of our reach, so a recording cannot answer in the model's place"
        )
        assert refused.value.hint == (
            "replay it live (mode: live below replay: in the suite, or --replay live), or name a pydantic-ai one"
        )

    def test_is_refused_for_callables_too(self) -> None:
        async def echo(messages: list[Any]) -> tuple[str, list[str]]:
            return "hi", []

        with pytest.raises(
            AgentSetupError, match=r"the agent .*echo, a plain callable, asks its model out of our reach"
        ):
            asyncio.run(self._open(wrap_object(echo, name="echo")))
