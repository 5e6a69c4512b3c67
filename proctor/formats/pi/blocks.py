"""Content blocks as pi-ai has them. Only what is required is looked at; a block of another kind is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from proctor.checks.pi.trace import ASSISTANT, TOOL_RESULT, USER
from proctor.formats.pi.members import Fault, Pointer, required, required_text, unknown_choice, wrong_type

Block = dict[str, Any]


def _check_text(block: Block, at: Pointer) -> None:
    required_text(block, "text", at, may_be_empty=True)


def _check_thinking(block: Block, at: Pointer) -> None:
    required_text(block, "thinking", at, may_be_empty=True)


def _check_tool_call(block: Block, at: Pointer) -> None:
    required_text(block, "id", at, may_be_empty=True)
    required_text(block, "name", at)
    arguments = required(block, "arguments", at)
    if not isinstance(arguments, dict):
        raise wrong_type((*at, "arguments"), "an object", arguments)


def _check_image(block: Block, at: Pointer) -> None:
    required_text(block, "data", at, may_be_empty=True)
    required_text(block, "mimeType", at)


_CHECKS: Final[Mapping[str, Callable[[Block, Pointer], None]]] = {
    "text": _check_text,
    "thinking": _check_thinking,
    "toolCall": _check_tool_call,
    "image": _check_image,
}
_ALLOWED: Final[Mapping[str, tuple[str, ...]]] = {
    USER: ("text", "image"),
    ASSISTANT: ("text", "thinking", "toolCall"),
    TOOL_RESULT: ("text", "image"),
}


def check_content(record: dict[str, Any], role: str) -> None:
    """Check the ``content`` of a turn.

    Raises:
        Fault: it is not there, or the first block that cannot stand there.
    """
    content = required(record, "content")
    if role == USER and isinstance(content, str):
        return
    if not isinstance(content, list):
        wanted = "a string or an array of blocks" if role == USER else "an array of blocks"
        raise wrong_type(("content",), wanted, content)
    for index, block in enumerate(content):
        _check_block(block, role, index)


def _check_block(block: object, role: str, index: int) -> None:
    at: Pointer = ("content", index)
    if not isinstance(block, dict):
        raise wrong_type(at, "an object", block)
    kind = required(block, "type", at)
    check = _CHECKS.get(kind) if isinstance(kind, str) else None
    if check is None:
        raise unknown_choice((*at, "type"), "block type", kind, _ALLOWED[role])
    if kind not in _ALLOWED[role]:
        message = f"a {kind} block cannot stand in a turn of the {role}; expected {' or '.join(_ALLOWED[role])}"
        raise Fault("bad_choice", (*at, "type"), message)
    check(block, at)
