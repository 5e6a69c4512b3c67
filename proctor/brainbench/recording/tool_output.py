"""What a transcript keeps of a tool's output: a text, cut at a limit, with the planted items that it names.

The unit of the limit is the UTF-16 unit, as in JavaScript: a character beyond U+FFFF counts twice. A cut never parts
the two halves of such a character.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from proctor.brainbench.planted.catalogue import Catalogue
from proctor.excerpt import shorten
from proctor.jsonvalue import well_formed
from proctor.trajectory import JsonValue
from proctor.value_text import value_text

CONTENT_LIMIT: Final = 131_072
"""UTF-16 units of a content at most: 32,768 tokens at four units each."""

CUT_MARK: Final = "…[truncated]"
"""How a content ends that was cut."""

FORBIDDEN_OP: Final = "forbidden_op"
UNKNOWN_TOOL: Final = "unknown_tool"
TOOL_ERROR: Final = "tool_error"

_LONGEST_ERROR: Final = 600
"""Characters of an error's text: even if each of them has to be escaped, the content is known for an error's."""


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """The output of one call. ``error`` is the kind of error that the content tells, None where it tells none."""

    content: str
    truncated: bool = False
    planted_ids: tuple[str, ...] = ()
    error: str | None = None


def shaped_output(value: JsonValue, planted: Catalogue, limit: int = CONTENT_LIMIT) -> ToolOutput:
    """The output of a tool that reads: a text as it is, anything else as JSON text, cut, and searched after the cut.

    JSON text is what ``JSON.stringify`` gives, but that whole numbers keep all their digits.
    """
    content, truncated = cut(value_text(value), limit)
    return ToolOutput(content, truncated, planted.named_in(content))


def error_output(kind: str, message: str) -> ToolOutput:
    """The small object by which an error is told. It is neither cut nor searched for planted items.

    Of a long message, the middle is left out; half a character becomes U+FFFD, as strict readers refuse it.
    """
    told: JsonValue = {"error": shorten(well_formed(message), _LONGEST_ERROR), "kind": kind}
    return ToolOutput(value_text(told), error=kind)


def cut(text: str, limit: int) -> tuple[str, bool]:
    """The text in at most ``limit`` units, closed by a mark if something was cut, and whether that was so.

    Where not even the mark has room, the mark stands alone and is longer than the limit.
    """
    if 2 * len(text) <= limit or utf16_units(text) <= limit:
        return text, False
    room = max(0, limit - utf16_units(CUT_MARK))
    units = _encode(text[: room + 1])
    if _is_low_half(units, room) and _is_high_half(units, room - 1):
        room -= 1
    return units[: 2 * room].decode("utf-16-le", "surrogatepass") + CUT_MARK, True


def utf16_units(text: str) -> int:
    """The length of a text in UTF-16 units."""
    return len(_encode(text)) // 2


def _encode(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")


def _is_high_half(units: bytes, position: int) -> bool:
    return position >= 0 and 0xD8 <= units[2 * position + 1] < 0xDC


def _is_low_half(units: bytes, position: int) -> bool:
    return 2 * position < len(units) and 0xDC <= units[2 * position + 1] < 0xE0
