"""The parts of a message: texts, tool calls and tool results, as OpenAI, Anthropic and OpenTelemetry spell them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from proctor.traces.documents import embedded_json
from proctor.trajectory import ToolCall

_CALL_TYPES: Final = frozenset(
    ("tool_call", "tool_use", "function_call", "custom_tool_call", "server_tool_use", "mcp_tool_use", "mcp_call",
     "server_tool_call", "tool-call", "function")
)  # fmt: skip
_RESULT_TYPES: Final = frozenset(
    ("tool_result", "tool_call_response", "function_call_output", "custom_tool_call_output", "mcp_tool_result",
     "web_search_tool_result", "code_execution_tool_result", "server_tool_call_response", "tool-result")
)  # fmt: skip
_THOUGHTS: Final = frozenset(("thinking", "redacted_thinking", "reasoning", "compaction"))
_BINARY: Final = frozenset(("blob", "image", "audio"))
_ARGUMENT_NAMES: Final = ("arguments", "args", "input", "parameters")
_ID_NAMES: Final = ("call_id", "id", "tool_use_id", "tool_call_id", "toolCallId")
_DEFINITION_MARKS: Final = ("input_schema", "inputSchema", "json_schema", "description")


class Content(NamedTuple):
    """What the parts of a message hold. ``text`` is None where there is no text part at all."""

    text: str | None = None
    calls: tuple[ToolCall, ...] = ()
    results: tuple[str, ...] = ()


def read_content(value: Any) -> Content:
    """Read the content of a message: a text, one part, or a list of parts."""
    if value is None:
        return Content()
    if isinstance(value, str):
        return Content(value)
    blocks = value if isinstance(value, list) else [value]
    texts: list[str] = []
    calls: list[ToolCall] = []
    results: list[str] = []
    for block in blocks:
        part = _read_block(block)
        texts += [] if part.text is None else [part.text]
        calls += part.calls
        results += part.results
    # A cited answer is one text that is cut wherever a citation begins.
    is_cited = any(isinstance(block, dict) and block.get("citations") for block in blocks)
    return Content(("" if is_cited else "\n").join(texts) if texts else None, tuple(calls), tuple(results))


def read_calls(value: Any) -> tuple[ToolCall, ...]:
    """Read a list of tool calls, or one. What only defines a tool is no call."""
    entries = value if isinstance(value, list) else [value]
    return tuple(read_call(entry) for entry in entries if isinstance(entry, dict | str) and not _defines(entry))


def read_call(entry: Mapping[str, Any] | str) -> ToolCall:
    """Read one call; the name is empty where none is given."""
    if isinstance(entry, str):
        return ToolCall(entry)
    entry = _unwrapped(entry, "tool_call")
    function = entry.get("function")
    inner = function if isinstance(function, dict) else entry
    name = _first_text(inner, ("name",)) or _first_text(entry, ("name", "tool_name", "tool", "function"))
    return ToolCall(name or "", _arguments(inner), _first_text(entry, _ID_NAMES))


def as_text(value: Any) -> str:
    """A text as it is; any other JSON value as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _read_block(block: Any) -> Content:
    if isinstance(block, str):
        return Content(block)
    if not isinstance(block, dict):
        return Content()
    block = _unwrapped(block, "message_content")
    kind = block.get("type")
    return _read_part(block, kind) if isinstance(kind, str) else Content(_first_text(block, ("text", "content")))


def _read_part(block: Mapping[str, Any], kind: str) -> Content:
    if kind in _CALL_TYPES:
        return Content(calls=(read_call(block),))
    if kind.endswith("_call"):  # a tool of the vendor's own, such as web_search_call
        name = kind.removesuffix("_call")
        return Content(calls=(ToolCall(name, block.get("action"), _first_text(block, _ID_NAMES)),))
    if kind in _RESULT_TYPES or kind.endswith("_call_output"):
        return Content(results=(_result(block),))
    if kind in _THOUGHTS:
        return Content()
    text = None if kind in _BINARY else _first_text(block, ("text", "content", "refusal"))
    return Content(f"[{kind}]" if text is None else text)


def _result(block: Mapping[str, Any]) -> str:
    value = next((block[name] for name in ("content", "output", "response", "result") if name in block), "")
    content = read_content(value) if isinstance(value, list) else Content()
    return content.text if content.text is not None else as_text(value)


def _arguments(call: Mapping[str, Any]) -> Any:
    """The arguments as an object where they are one, also if it is spelled as a text; None where none are told."""
    value = next((call[name] for name in _ARGUMENT_NAMES if call.get(name) is not None), None)
    return embedded_json(value)


def _defines(entry: Mapping[str, Any] | str) -> bool:
    """Whether an entry describes a tool that may be called."""
    if isinstance(entry, str):
        return False
    entry = _unwrapped(entry, "tool_call")
    function = entry.get("function")
    inner = function if isinstance(function, dict) else entry
    parameters = inner.get("parameters")
    if isinstance(parameters, dict) and ("properties" in parameters or parameters.get("type") == "object"):
        return True
    return any(mark in inner for mark in _DEFINITION_MARKS) and not any(name in inner for name in _ARGUMENT_NAMES)


def _unwrapped(entry: Mapping[str, Any], wrapper: str) -> Mapping[str, Any]:
    """OpenInference puts an object of one member around every part."""
    inner = entry.get(wrapper)
    return inner if isinstance(inner, dict) else entry


def _first_text(entry: Mapping[str, Any], names: Iterable[str]) -> str | None:
    return next((value for name in names if isinstance(value := entry.get(name), str)), None)
