"""What a message of pi has to hold so that it can be a turn of a fixture, in the shapes of pi-ai 0.6.2 and later."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from proctor.excerpt import quote
from proctor.traces.base import BadTrace

_REQUIRED: Final[Mapping[str, Mapping[str, type]]] = {
    "text": {"text": str},
    "thinking": {"thinking": str},
    "toolCall": {"id": str, "name": str, "arguments": dict},
    "image": {"data": str, "mimeType": str},
}
_ALLOWED: Final[Mapping[str, tuple[str, ...]]] = {
    "user": ("text", "image"),
    "assistant": ("text", "thinking", "toolCall"),
    "toolResult": ("text", "image"),
}
_NOT_EMPTY: Final = frozenset(("name", "mimeType"))
_LEDGER: Final = {"input": "input", "cache_read": "cacheRead", "cache_creation": "cacheWrite", "output": "output"}
_LARGEST: Final = 2**53 - 1
_OLD: Final = "sessions of pi-ai before 0.6.2 had other messages and cannot be imported"


def turn_content(message: Mapping[str, Any], role: str) -> str | list[dict[str, Any]]:
    """The content of a message as it stands, null as an empty list. Raises BadTrace for what no turn can hold."""
    content = message.get("content", ...)
    if content is None:
        return []
    if isinstance(content, str) and role == "user":
        return content
    if not isinstance(content, list):
        what = "no content" if content is ... else "a content that is no list of blocks"
        raise BadTrace("bad_content", f"this {role} message has {what}", _OLD)
    for index, block in enumerate(content):
        _check_block(block, role, f"content[{index}]")
    return content


def turn_ledger(message: Mapping[str, Any]) -> dict[str, int]:
    """The four counts of tokens of an answer; nothing is guessed. Raises BadTrace."""
    usage = message.get("usage")
    if not isinstance(usage, dict):
        raise BadTrace("no_usage", "this assistant message has no usage", "a fixture needs the tokens of every answer")
    return {name: _count(usage, source) for name, source in _LEDGER.items()}


def calls_of(content: str | list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The tool calls of a turn, in their order."""
    return [block for block in content if isinstance(block, dict) and block.get("type") == "toolCall"]


def _check_block(block: Any, role: str, place: str) -> None:
    kind = block.get("type") if isinstance(block, dict) else None
    if not isinstance(kind, str) or kind not in _ALLOWED[role]:
        shown = f"a block {quote(kind, 40)}" if isinstance(kind, str) else "no block with a type"
        raise BadTrace("bad_content", f"{place} is {shown}, and {role} messages have {' or '.join(_ALLOWED[role])}")
    for name, wanted in _REQUIRED[kind].items():
        value = block.get(name)
        if not isinstance(value, wanted) or (name in _NOT_EMPTY and not value):
            article = "a text" if wanted is str else "an object"
            raise BadTrace("bad_content", f"{place}.{name} has to be {article}{' that is not empty' * (value == '')}")


def _count(usage: Mapping[str, Any], name: str) -> int:
    value = usage.get(name)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if type(value) is not int or abs(value) > _LARGEST:
        raise BadTrace("bad_usage", f"usage.{name} has to be a whole number")
    return value
