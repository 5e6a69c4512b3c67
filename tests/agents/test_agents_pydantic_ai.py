"""pydantic-ai agents, on models that are written down here: no network."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic_ai import Agent, ModelRetry, exceptions
from pydantic_ai.messages import ModelMessage, ModelResponse, SystemPromptPart, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RequestUsage, RunUsage

from proctor.agents import AgentOutage, AgentReply, Message, failed_usage, wrap_object
from proctor.errors import AgentRefused, AgentSetupError, TrialError
from proctor.model_usage import usage_of
from proctor.trajectory import JsonValue, ToolCall, Usage

Step = Callable[[list[ModelMessage], AgentInfo], ModelResponse]


def user(text: str) -> Message:
    return {"role": "user", "content": text}


def scripted(*responses: list[Any] | Exception, seen: list[list[ModelMessage]] | None = None) -> FunctionModel:
    """A model that answers its k-th request with the k-th entry."""
    left = list(responses)

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        if seen is not None:
            seen.append(list(messages))
        response = left.pop(0)
        if isinstance(response, Exception):
            raise response
        return ModelResponse(parts=response, usage=RequestUsage(input_tokens=10, output_tokens=2))

    return FunctionModel(answer)


def ask(agent: Any, *messages: Message) -> AgentReply:
    async def run() -> AgentReply:
        async with wrap_object(agent).session() as session:
            return await session.reply(list(messages) or [user("hello")])

    return asyncio.run(run())


def texts(messages: list[ModelMessage], kind: Any) -> list[str]:
    return [part.content for message in messages for part in message.parts if isinstance(part, kind)]


def booking_agent(model: FunctionModel, **options: Any) -> Agent[None, Any]:
    agent: Agent[None, Any] = Agent(model, **options)

    @agent.tool_plain
    def book(seats: int) -> dict[str, int]:
        if seats > 4:
            raise ModelRetry("four seats at most")
        return {"table": 7}

    return agent


class TestTurns:
    def test_tool_calls_come_in_order_with_arguments_and_results(self) -> None:
        model = scripted(
            [ToolCallPart("book", {"seats": 2}, "a"), ToolCallPart("book", '{"seats": 3}', "b")], [TextPart("done")]
        )
        assert ask(booking_agent(model)) == AgentReply(
            "done",
            (ToolCall("book", {"seats": 2}, "a", {"table": 7}), ToolCall("book", {"seats": 3}, "b", {"table": 7})),
            Usage(input_tokens=20, output_tokens=4, requests=2),
        )

    def test_a_call_that_was_retried_is_kept_as_an_error(self) -> None:
        model = scripted(
            [ToolCallPart("book", {"seats": 9}, "a")],
            [ToolCallPart("book", '{"seats": ', "b")],
            [TextPart("no table")],
        )
        first, second = ask(booking_agent(model, retries=3)).tool_calls
        assert (first.arguments, first.result, first.is_error) == ({"seats": 9}, "four seats at most", True)
        assert (second.arguments, second.is_error) == ('{"seats": ', True)

    def test_the_model_sees_tool_calls_and_results_of_earlier_turns(self) -> None:
        seen: list[list[ModelMessage]] = []
        model = scripted([ToolCallPart("book", {"seats": 2}, "a")], [TextPart("one")], [TextPart("two")], seen=seen)

        async def two_turns() -> list[AgentReply]:
            async with wrap_object(booking_agent(model, system_prompt="be brief")).session() as session:
                first = await session.reply([user("a table")])
                return [
                    first,
                    await session.reply([user("a table"), {"role": "assistant", "content": "one"}, user("ok?")]),
                ]

        first, second = asyncio.run(two_turns())
        assert [call.name for call in first.tool_calls] == ["book"]
        assert second == AgentReply("two", (), Usage(input_tokens=10, output_tokens=2, requests=1))
        assert texts(seen[-1], UserPromptPart) == ["a table", "ok?"]
        assert texts(seen[-1], SystemPromptPart) == ["be brief"]
        assert any(isinstance(part, ToolCallPart) for message in seen[-1] for part in message.parts)

    def test_sessions_share_no_history(self) -> None:
        seen: list[list[ModelMessage]] = []
        agent = Agent(scripted([TextPart("one")], [TextPart("two")], seen=seen))
        ask(agent, user("first"))
        ask(agent, user("second"))
        assert texts(seen[-1], UserPromptPart) == ["second"]

    def test_a_seeded_history_is_passed_on_and_does_not_suppress_the_system_prompt(self) -> None:
        seen: list[list[ModelMessage]] = []
        agent = Agent(scripted([TextPart("two")], seen=seen), system_prompt="be brief")
        ask(
            agent,
            user("one?"),
            {"role": "assistant", "content": "one"},
            {"role": "assistant", "content": None},
            user("2?"),
        )
        assert texts(seen[0], UserPromptPart) == ["one?", "2?"]
        assert texts(seen[0], TextPart) == ["one"]
        assert texts(seen[0], SystemPromptPart) == ["be brief"]

    def test_a_seeded_message_of_another_role_is_an_error(self) -> None:
        with pytest.raises(TrialError, match="a message of role 'tool' cannot be passed on"):
            ask(Agent(scripted()), {"role": "tool", "content": "x"}, user("hello"))

    def test_structured_output_is_its_json_text_and_no_tool_call(self) -> None:
        class Table(BaseModel):
            name: str
            seats: int

        bad = [ToolCallPart("final_result", {"name": "bär"}, "a")]
        good = [ToolCallPart("final_result", {"name": "bär", "seats": 2}, "b")]
        answer = ask(Agent(scripted(bad, good), output_type=Table))
        assert answer.reply == '{"name": "bär", "seats": 2}'
        assert answer.tool_calls == ()

    def test_tool_results_that_are_objects_or_nan_become_plain_json(self) -> None:
        class Table(BaseModel):
            price: float

        agent = Agent(scripted([ToolCallPart("look", {}, "a")], [TextPart("ok")]))

        @agent.tool_plain
        def look() -> list[Any]:
            return [Table(price=2.5), float("nan"), b"\xff"]

        (call,) = ask(agent).tool_calls
        assert json.dumps(call.result) == '[{"price": 2.5}, null, "_w=="]'

    def test_retries_of_the_providers_sdk_are_off_and_other_settings_stay(self) -> None:
        seen: list[Any] = []

        def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            seen.append(info.model_settings)
            return ModelResponse(parts=[TextPart("ok")])

        ask(Agent(FunctionModel(answer), model_settings={"temperature": 0.5, "max_retries": 4}))
        assert seen == [{"temperature": 0.5, "max_retries": 0}]

    def test_a_factory_gives_each_trial_its_own_agent(self) -> None:
        def make(name: str) -> Agent[None, str]:
            return Agent(scripted([TextPart(f"I am {name}")]))

        async def run() -> str | None:
            async with wrap_object(make, options={"name": "Ada"}).session() as session:
                return (await session.reply([user("who?")])).reply

        assert asyncio.run(run()) == "I am Ada"

    def test_an_agent_that_is_built_already_takes_no_options(self) -> None:
        with pytest.raises(AgentSetupError, match="is built already and takes no options"):
            wrap_object(Agent("test"), options={"model": "x"})

    def test_cached_tokens_are_counted_beside_the_others_not_twice(self) -> None:
        usage = RunUsage(input_tokens=100, cache_read_tokens=70, cache_write_tokens=10, output_tokens=5, requests=1)
        usage.cost = Decimal("0.01")
        assert usage_of(usage) == Usage(20, 5, 70, 10, 1, Decimal("0.01"))


class TestErrors:
    @pytest.mark.parametrize(
        "error",
        [
            exceptions.ModelConnectionError("m", "refused"),
            exceptions.ModelTimeoutError("m", "slow"),
            exceptions.ModelUnavailableError("m", "503"),
            exceptions.ModelOverloadedError("m", "529"),
            exceptions.ModelServerError("m", "500"),
            exceptions.ModelHTTPError(408, "m"),
            exceptions.FallbackExceptionGroup(
                "all", [exceptions.ModelAuthenticationError("m", "401"), exceptions.ModelServerError("m", "500")]
            ),
        ],
    )
    def test_an_outage_of_the_provider_is_no_failure_of_the_agent(self, error: Exception) -> None:
        with pytest.raises(AgentOutage) as caught:
            ask(Agent(scripted(error)))
        assert caught.value.is_transient
        assert caught.value.hint
        assert caught.value.__cause__ is error

    def test_a_rate_limit_says_how_long_to_wait(self) -> None:
        with pytest.raises(AgentOutage) as caught:
            ask(Agent(scripted(exceptions.ModelRateLimitError("m", "429", retry_after=2.5))))
        assert caught.value.retry_after_s == 2.5

    @pytest.mark.parametrize("kind", [exceptions.ModelAuthenticationError, exceptions.ModelQuotaExceededError])
    def test_a_wrong_key_or_a_spent_quota_says_so_and_is_not_worth_a_retry(self, kind: Any) -> None:
        with pytest.raises(AgentOutage, match="turned the account away: no more"):
            ask(Agent(scripted(kind("m", "no more"))))
        with pytest.raises(AgentOutage) as caught:
            ask(Agent(scripted(kind("m", "no more"))))
        assert not caught.value.is_transient

    def test_a_content_filter_is_a_refusal_without_the_providers_json(self) -> None:
        with pytest.raises(AgentRefused) as caught:
            ask(Agent(scripted(exceptions.ContentFilterError("filtered", body='{"id": "secret"}'))))
        assert caught.value.message == "filtered"

    @pytest.mark.parametrize(
        "error", [exceptions.ModelNotFoundError("m", "404"), exceptions.UsageLimitExceeded("50"), KeyError("x")]
    )
    def test_every_other_error_passes_as_it_is(self, error: Exception) -> None:
        with pytest.raises(type(error)) as caught:
            ask(Agent(scripted(error)))
        assert caught.value is error

    def test_a_callable_that_uses_pydantic_ai_gets_the_same_words(self) -> None:
        async def answer(messages: object) -> Any:
            raise exceptions.ContentFilterError("filtered")

        with pytest.raises(AgentRefused, match="filtered"):
            ask(answer)

    def test_the_tokens_of_a_failed_turn_are_counted_and_it_can_be_asked_again(self) -> None:
        seen: list[list[ModelMessage]] = []
        down = exceptions.ModelServerError("m", "500")
        model = scripted([ToolCallPart("book", {"seats": 2}, "a")], down, [TextPart("ok")], seen=seen)

        async def run() -> tuple[Usage, AgentReply]:
            async with wrap_object(booking_agent(model)).session() as session:
                with pytest.raises(AgentOutage):
                    await session.reply([user("hello")])
                return failed_usage(session), await session.reply([user("hello")])

        lost, answer = asyncio.run(run())
        assert lost == Usage(input_tokens=10, output_tokens=2, requests=1)
        assert answer == AgentReply("ok", (), Usage(input_tokens=10, output_tokens=2, requests=1))
        assert texts(seen[-1], UserPromptPart) == ["hello"]

    def test_a_turn_that_takes_too_long_is_cancelled_and_its_tokens_are_counted(self) -> None:
        agent = booking_agent(scripted([ToolCallPart("wait", {}, "a")]))

        @agent.tool_plain
        async def wait() -> None:
            await asyncio.sleep(20)

        async def run() -> Usage:
            async with wrap_object(agent).session() as session:
                with pytest.raises(TimeoutError):
                    async with asyncio.timeout(0.2):
                        await session.reply([user("hello")])
                return failed_usage(session)

        assert asyncio.run(run()) == Usage(input_tokens=10, output_tokens=2, requests=1)


class TestToolsOnAHost:
    def test_tools_are_answered_from_the_host_and_never_run(self) -> None:
        asked: list[tuple[str, JsonValue]] = []

        class Recording:
            def before_model_request(self) -> None:
                pass

            async def call(self, name: str, arguments: JsonValue, call_id: str | None = None) -> tuple[JsonValue, bool]:
                asked.append((name, arguments))
                return ({"table": 99}, False) if len(asked) == 1 else ("no recorded result", True)

        model = scripted(
            [ToolCallPart("book", {"seats": 2}, "a")], [ToolCallPart("book", {"seats": 3}, "b")], [TextPart("done")]
        )
        ran: list[int] = []
        agent = Agent(model)

        @agent.tool_plain
        def book(seats: int) -> str:
            ran.append(seats)
            return "booked"

        async def run() -> AgentReply:
            async with wrap_object(agent).session(Recording()) as session:
                return await session.reply([user("a table")])

        answer = asyncio.run(run())
        assert asked == [("book", {"seats": 2}), ("book", {"seats": 3})]
        assert answer.tool_calls == (
            ToolCall("book", {"seats": 2}, "a", {"table": 99}),
            ToolCall("book", {"seats": 3}, "b", "no recorded result", is_error=True),
        )
        assert ran == []
