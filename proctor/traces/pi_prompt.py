"""The system prompt of a pi run, and the hash that a fixture keeps of it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from itertools import takewhile
from typing import Any, Final

from proctor.traces.pi_messages import PiMessage

_SURROGATE: Final = re.compile("[\ud800-\udfff]")


def prompt_hash(text: str) -> str:
    """SHA-256 over the UTF-8 bytes of the exact text, in hex; lone surrogates count as U+FFFD, as in JavaScript."""
    return hashlib.sha256(_SURROGATE.sub("\ufffd", text).encode()).hexdigest()


def recorded_prompt(messages: Iterable[PiMessage]) -> str | None:
    """The prompt of the first request to the model; None where it was not recorded, as before pi 0.86.

    It is rendered as pi-ai 1.6.0 does: texts of all system messages before that request, then the sections that are
    left, with a blank line between. A section is replaced where it stands, and null removes it.
    """
    before = takewhile(lambda message: message.role != "assistant", messages)
    system = [message.value for message in before if message.role == "system"]
    if not system:
        return None
    texts = [_text(message.get("content")) for message in system]
    sections: dict[str, str] = {}
    for message in system:
        _patch(sections, message.get("sections"))
    return "\n\n".join(part for part in (*texts, *sections.values()) if part)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    return "\n".join(block["text"] for block in blocks if block.get("type") == "text" and _is_text(block.get("text")))


def _patch(sections: dict[str, str], changes: Any) -> None:
    for name, value in changes.items() if isinstance(changes, dict) else ():
        if _is_text(value):
            sections[name] = value
        else:
            sections.pop(name, None)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)
