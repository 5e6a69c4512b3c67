"""Whose interface a chat log is of: OpenAI's (Chat Completions and Responses) or Anthropic's (Messages)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from proctor.traces.chat_log import ChatLog
from proctor.traces.messages import is_message_list

_ANTHROPIC_PARTS: Final = frozenset(("tool_use", "tool_result", "server_tool_use", "thinking", "redacted_thinking"))
_OPENAI_OBJECTS: Final = ("chat.completion", "text_completion", "response")


def _is_of_anthropic(part: Mapping[str, Any]) -> bool:
    kind = part.get("type")
    if kind == "message":
        return "stop_reason" in part and isinstance(part.get("content"), list)
    model = part.get("model")
    is_claude = isinstance(model, str) and model.startswith("claude") and "choices" not in part
    return is_claude or "anthropic_version" in part or (isinstance(kind, str) and kind in _ANTHROPIC_PARTS)


def _is_of_openai(part: Mapping[str, Any]) -> bool:
    choices = part.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return "message" in choices[0] or "text" in choices[0]
    if part.get("object") in _OPENAI_OBJECTS:
        return True
    return is_message_list(part.get("messages")) or is_message_list([part])


ANTHROPIC: Final = ChatLog(
    name="anthropic",
    title="Anthropic messages",
    marks="a response with type message and stop_reason, or messages with tool_use and tool_result parts",
    is_mark=_is_of_anthropic,
)
OPENAI: Final = ChatLog(
    name="openai",
    title="OpenAI chats",
    marks="a response with choices or output items, or messages with a role",
    is_mark=_is_of_openai,
)
