"""pydantic-ai agents: real message history between turns, tool calls with arguments and results, usage and cost.

Imported only when an agent is one, so that pydantic_ai is never loaded in vain.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pydantic_core
from pydantic_ai import ModelSettings, ToolFailed
from pydantic_ai.agent import AbstractAgent
from pydantic_ai.capabilities import AbstractCapability, ReinjectSystemPrompt
from pydantic_ai.messages import (
    BaseToolCallPart,
    BaseToolReturnPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models import ModelRequestContext
from pydantic_ai.tools import RunContext, ToolDefinition
from pydantic_ai.usage import RunUsage, UsageLimits
from typing_extensions import override

from proctor.agents.base import AgentReply, Message, ModelHost, ToolHost
from proctor.agents.guard import guarded
from proctor.agents.recorded_model import RecordedModel
from proctor.errors import TrialError
from proctor.jsonvalue import well_formed, well_formed_value
from proctor.model_usage import usage_of
from proctor.trajectory import JsonValue, Step, ToolCall, Usage

# Retries are made in one layer, around a whole turn; those of the provider's SDK would multiply with them.
_SETTINGS = ModelSettings(max_retries=0)
# A tool host has limits of its own.
_NO_LIMITS = UsageLimits(request_limit=None)


class PydanticAISession:
    """A conversation with a pydantic-ai agent.

    The agent's own messages are kept from turn to turn, with tool calls and results; the record that the caller
    passes is used for the last user message only, and on the first turn for a seeded history. A turn that failed
    leaves no trace in the history, so it can be asked again. With a model host, its answers take the place of the
    agent's model.
    """

    def __init__(
        self, agent: AbstractAgent[Any, Any], tools: ToolHost | None, name: str, model: ModelHost | None = None
    ) -> None:
        self._agent = agent
        self._tools = tools
        self._name = name
        self._model = None if model is None else RecordedModel(model)
        self._history: list[ModelMessage] | None = None
        self._is_seeded = False
        self.failed_usage = Usage()

    async def reply(self, messages: list[Message]) -> AgentReply:
        """Run the agent on the last message, and collect what it did for it."""
        if self._history is None:
            self._history = seeded_history(messages[:-1])
            self._is_seeded = bool(self._history)
        observer, said = _Observer(self._tools), messages[-1]["content"]
        usage = RunUsage()
        try:
            result = await guarded(
                self._name,
                lambda: self._agent.run(
                    said and well_formed(said),
                    message_history=self._history,
                    model=self._model,
                    usage=usage,
                    usage_limits=_NO_LIMITS if self._tools else None,
                    model_settings=_SETTINGS,
                    # With a history that it did not write itself, pydantic-ai would leave out the system prompt.
                    capabilities=[observer, ReinjectSystemPrompt()] if self._is_seeded else [observer],
                ),
            )
        except BaseException:
            self.failed_usage += usage_of(usage)
            raise
        self._history = result.all_messages()
        made, reply = result.new_messages(), _reply_text(result.output)
        calls = tuple(tool_calls(made, without=observer.output_tools))
        if self._tools is None:
            return AgentReply(reply, calls, usage_of(usage))
        return AgentReply(reply, calls, usage_of(usage), tuple(steps(made, reply, without=observer.output_tools)))


@dataclass
class _Observer(AbstractCapability[Any]):
    """Learns which tools only carry the structured output, and answers all others from the host if there is one.

    The host is also told of every request to the model.
    """

    host: ToolHost | None
    output_tools: set[str] = field(default_factory=set)

    @override
    async def prepare_output_tools(self, ctx: RunContext[Any], tool_defs: list[ToolDefinition]) -> list[ToolDefinition]:
        self.output_tools.update(tool.name for tool in tool_defs)
        return tool_defs

    @override
    async def before_model_request(
        self, ctx: RunContext[Any], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        if self.host is not None:
            self.host.before_model_request()
        return request_context

    @override
    async def wrap_tool_execute(
        self, ctx: RunContext[Any], *, call: ToolCallPart, tool_def: ToolDefinition, args: dict[str, Any], handler: Any
    ) -> Any:
        if self.host is None:
            return await handler(args)
        result, is_error = await self.host.call(call.tool_name, _arguments(call), call.tool_call_id)
        result = well_formed_value(result)  # what is recorded may be cut in the middle of a character
        if is_error:
            raise ToolFailed(result if isinstance(result, str) else json.dumps(result, ensure_ascii=False))
        return result


def seeded_history(messages: Sequence[Message]) -> list[ModelMessage]:
    """Write the messages before the first turn in pydantic-ai's form. A message without content is left out.

    Raises TrialError for a role other than user and assistant.
    """
    history: list[ModelMessage] = []
    for message in messages:
        if (content := message["content"]) is None:
            continue
        match message["role"]:
            case "user":
                history.append(ModelRequest([UserPromptPart(content)]))
            case "assistant":
                history.append(ModelResponse([TextPart(content)]))
            case role:
                raise TrialError(
                    f"a message of role {role!r} cannot be passed on to a pydantic-ai agent",
                    hint="seed a conversation with user and assistant messages only",
                )
    return history


def tool_calls(messages: Iterable[ModelMessage], *, without: set[str]) -> Iterator[ToolCall]:
    """List the tool calls in order, joined with their results, but for the tools named in ``without``.

    A call that was retried, failed, denied or cut off is an error and is kept: the agent did make it. Searches for
    tools are the library's own and are left out.
    """
    parts = [part for message in messages for part in message.parts]
    results = {part.tool_call_id: part for part in parts if isinstance(part, BaseToolReturnPart)}
    for part in _own_calls(parts, without):
        result = results.get(part.tool_call_id)
        yield ToolCall(
            name=part.tool_name,
            arguments=_arguments(part),
            id=part.tool_call_id,
            result=None if result is None else _plain(result.content),
            is_error=result is not None and result.outcome != "success",
        )


def steps(messages: Iterable[ModelMessage], reply: str | None, *, without: set[str]) -> Iterator[Step]:
    """List the answers of the model in order, each with its text and the number of its calls in `tool_calls`.

    ``reply`` is the text of the last one, if it has none of its own because a tool carries the output.
    """
    responses = [message for message in messages if isinstance(message, ModelResponse)]
    for response in responses:
        texts = [part.content for part in response.parts if isinstance(part, TextPart)]
        text = "\n".join(texts) if texts else reply if response is responses[-1] else None
        yield Step(text, len(list(_own_calls(response.parts, without))))


def _own_calls(parts: Iterable[object], without: set[str]) -> Iterator[BaseToolCallPart[Any]]:
    for part in parts:
        if isinstance(part, BaseToolCallPart) and part.tool_name not in without and part.tool_kind != "tool-search":
            yield part


def _arguments(part: BaseToolCallPart[Any]) -> JsonValue:
    try:
        return _plain(part.args_as_dict(raise_if_invalid=True))
    except (ValueError, AssertionError):
        # What the model wrote is no JSON object. It is kept as it stands, and counts as "not captured" in checks.
        return str(part.args)


def _plain(value: Any) -> JsonValue:
    text = pydantic_core.to_json(value, fallback=str, bytes_mode="base64", inf_nan_mode="null")
    plain: JsonValue = pydantic_core.from_json(text)
    return plain


def _reply_text(output: Any) -> str | None:
    if output is None or isinstance(output, str):
        return output
    return json.dumps(_plain(output), ensure_ascii=False)
