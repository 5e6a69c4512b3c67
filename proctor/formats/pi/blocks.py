"""Content blocks as pi-ai has them. Only what is required is looked at; a block of another kind is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from proctor.checks.pi.trace import ASSISTANT, TOOL_RESULT, USER
from proctor.formats.members import Fault, required, required_text, unknown_choice, wrong_type
from proctor.formats.pointers import Pointer

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


_Checks = Mapping[str, Callable[[Block, Pointer], None]]

_OF_TEXT_AND_IMAGES: Final[_Checks] = {"text": _check_text, "image": _check_image}
_OF_ASSISTANT: Final[_Checks] = {"text": _check_text, "thinking": _check_thinking, "toolCall": _check_tool_call}
_CHECKS: Final[Mapping[str, _Checks]] = {
    USER: _OF_TEXT_AND_IMAGES,
    ASSISTANT: _OF_ASSISTANT,
    TOOL_RESULT: _OF_TEXT_AND_IMAGES,
}
"""The blocks that may stand in the turns of each role."""
_KINDS: Final = frozenset((*_OF_TEXT_AND_IMAGES, *_OF_ASSISTANT))


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
    checks = _CHECKS[role]
    for index, block in enumerate(content):
        at: Pointer = ("content", index)
        if not isinstance(block, dict):
            raise wrong_type(at, "an object", block)
        kind = required(block, "type", at)
        check = checks.get(kind) if isinstance(kind, str) else None
        if check is None:
            raise _wrong_kind(kind, role, (*at, "type"))
        check(block, at)


def _wrong_kind(kind: object, role: str, at: Pointer) -> Fault:
    allowed = tuple(_CHECKS[role])
    if not isinstance(kind, str) or kind not in _KINDS:
        return unknown_choice(at, "block type", kind, allowed)
    return Fault(
        "bad_choice", at, f"a {kind} block cannot stand in a turn of the {role}; expected {' or '.join(allowed)}"
    )
