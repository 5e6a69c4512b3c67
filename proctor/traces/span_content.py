"""What a span holds of the conversation: what went in, what came out, a tool's call, retrieved texts.

The names are those of OpenTelemetry's GenAI conventions (from 1.37 on ``gen_ai.input.messages``; from 1.28 on
events; before ``gen_ai.prompt`` and ``gen_ai.completion``), of OpenInference, of OpenLLMetry and of pydantic-ai.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from proctor.traces.content_blocks import as_text
from proctor.traces.documents import embedded_json
from proctor.traces.measures import count
from proctor.traces.messages import ASSISTANT, USER, Message, read_messages, read_value
from proctor.traces.span_attributes import find, find_list, find_text
from proctor.traces.spans import Kind, Span
from proctor.trajectory import ToolCall

_INPUT_LISTS: Final = ("gen_ai.input.messages", "llm.input_messages", "gen_ai.prompt")
_OUTPUT_LISTS: Final = ("gen_ai.output.messages", "llm.output_messages", "gen_ai.completion")
_HISTORIES: Final = ("pydantic_ai.all_messages", "all_messages_events")
_INPUT_VALUES: Final = ("gen_ai.prompt", "input.value", "traceloop.entity.input")
_OUTPUT_VALUES: Final = ("final_result", "gen_ai.completion", "output.value", "traceloop.entity.output")
_ARGUMENTS: Final = ("gen_ai.tool.call.arguments", "tool_arguments", "tool.parameters", "input.value",
                     "traceloop.entity.input")  # fmt: skip
_RESULTS: Final = ("gen_ai.tool.call.result", "tool_response", "output.value", "traceloop.entity.output")
_TOOL_NAMES: Final = ("gen_ai.tool.name", "tool.name", "traceloop.entity.name")
_CALL_IDS: Final = ("gen_ai.tool.call.id", "tool_call.id", "tool.call.id")
_INPUT_TOKENS: Final = ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt",
                        "llm.usage.prompt_tokens")  # fmt: skip
_OUTPUT_TOKENS: Final = ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion",
                         "llm.usage.completion_tokens")  # fmt: skip
_COSTS: Final = ("gen_ai.usage.cost", "llm.cost.total", "operation.cost")
_EVENT_ROLES: Final[Mapping[str, str]] = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": USER,
    "gen_ai.assistant.message": ASSISTANT,
    "gen_ai.tool.message": "tool",
}


def input_of(span: Span) -> list[Message]:
    """The messages that went into a span; empty where it does not say."""
    found = _first_list(span, _INPUT_LISTS, USER) or _events_in(span)
    found = found or _first_list(span, _HISTORIES, USER)
    value = find(span.attributes, *_INPUT_VALUES)
    return found or ([] if value is None else read_value(value, USER))


def output_of(span: Span) -> list[Message]:
    """The messages that came out of a span; empty where it does not say."""
    found = _first_list(span, _OUTPUT_LISTS, ASSISTANT) or _events_out(span)
    value = find(span.attributes, *_OUTPUT_VALUES)
    found = found or ([] if value is None else read_value(value, ASSISTANT))
    return found or _first_list(span, _HISTORIES, ASSISTANT)


def tool_of(span: Span) -> str:
    """The name of the tool that a span is a call of; the span's own where no attribute names one."""
    return find_text(span.attributes, *_TOOL_NAMES) or span.name.removeprefix("execute_tool ")


def call_of(span: Span) -> ToolCall:
    """The call that a tool's span is of."""
    arguments = embedded_json(find(span.attributes, *_ARGUMENTS))
    return ToolCall(tool_of(span), arguments, find_text(span.attributes, *_CALL_IDS))


def passages_of(span: Span) -> list[str]:
    """What a retriever or a tool gave back, as texts."""
    if span.kind is Kind.RETRIEVER:
        documents = find_list(span.attributes, "retrieval.documents") or find_list(
            span.attributes, "gen_ai.retrieval.documents"
        )
        texts = [text for document in documents if (text := _document_text(document)) is not None]
        if texts:
            return texts
    result = find(span.attributes, *_RESULTS)
    return [] if result is None else [as_text(result)]


def tokens_of_span(span: Span) -> dict[str, int]:
    """The tokens that a span counts; empty where it counts none. Cached ones are among the input tokens."""
    counts = {
        "input_tokens": count(find(span.attributes, *_INPUT_TOKENS)),
        "output_tokens": count(find(span.attributes, *_OUTPUT_TOKENS)),
    }
    return {name: number for name, number in counts.items() if number is not None}


def cost_of_span(span: Span) -> Any:
    """What a span says that it cost, in dollars."""
    return find(span.attributes, *_COSTS)


def _first_list(span: Span, names: tuple[str, ...], role: str) -> list[Message]:
    for name in names:
        entries = find_list(span.attributes, name)
        if entries:
            return read_messages([_spelled_out(entry) for entry in entries], role)
    return []


def _spelled_out(entry: Any) -> Any:
    """OpenLLMetry writes the parts of a message as JSON into its content."""
    if isinstance(entry, dict) and isinstance(content := entry.get("content"), str) and content.startswith("[{"):
        parts = embedded_json(content)
        if isinstance(parts, list) and all(isinstance(part, dict) and "type" in part for part in parts):
            return {**entry, "content": parts}
    return entry


def _events_in(span: Span) -> list[Message]:
    messages: list[Message] = []
    for name, attributes in span.events:
        if name in _EVENT_ROLES:
            messages += read_messages([_with_calls({"role": _EVENT_ROLES[name], **attributes})], USER)
        elif name == "gen_ai.content.prompt":
            messages += read_value(attributes.get("prompt"), USER)
        elif "input.messages" in attributes:
            messages += read_value(attributes["input.messages"], USER)
    return messages


def _events_out(span: Span) -> list[Message]:
    messages: list[Message] = []
    for name, attributes in span.events:
        if name == "gen_ai.choice":
            inner = embedded_json(attributes.get("message"))
            message = inner if isinstance(inner, dict) else attributes
            messages += read_messages([_with_calls({**message, "role": ASSISTANT})], ASSISTANT)
        elif name == "gen_ai.content.completion":
            messages += read_value(attributes.get("completion"), ASSISTANT)
        elif "output.messages" in attributes:
            messages += read_value(attributes["output.messages"], ASSISTANT)
    return messages


def _with_calls(message: Mapping[str, Any]) -> dict[str, Any]:
    return {**message, "tool_calls": embedded_json(message.get("tool_calls"))}


def _document_text(document: Any) -> str | None:
    if not isinstance(document, dict):
        return as_text(document)
    inner = document.get("document")
    held = inner if isinstance(inner, dict) else document
    names = ("content", "text", "document.content")
    return next((value for name in names if isinstance(value := held.get(name), str)), None)
