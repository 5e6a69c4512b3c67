"""Text from agents, made fit to be shown: shortened in the middle, control characters marked.

Everything an agent or a judge says is hostile text. Escape sequences must not reach a terminal, and characters that
XML does not know must not reach JUnit.
"""

from __future__ import annotations

import re

# C0 and C1 controls but tab and line feed; bidirectional overrides; lone surrogates; non-characters.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]"
    "|[" + "".join(f"{chr(plane * 0x10000 + 0xFFFE)}{chr(plane * 0x10000 + 0xFFFF)}" for plane in range(1, 17)) + "]"
)


def mark_controls(text: str) -> str:
    """Replace each character that a terminal, a browser or XML must not see by a visible mark such as ``<1B>``."""
    return _UNSAFE.sub(lambda match: f"<{ord(match.group()):02X}>", text)


def shorten(text: str, limit: int = 200) -> str:
    """Keep both ends of a long text and say in the middle how much was left out."""
    if len(text) <= limit:
        return text
    left = limit // 2
    right = limit - left
    return f"{text[:left]} […{len(text) - limit} characters…] {text[-right:]}"


def quote(text: str | None, limit: int = 200) -> str:
    """The text in quotes on one line, shortened and safe to show; ``no reply`` for None."""
    if text is None:
        return "no reply"
    one_line = shorten(text, limit).replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t")
    return f'"{mark_controls(one_line)}"'


def text_of(error: BaseException) -> str:
    """What an exception says; its own ``__str__`` may fail."""
    try:
        return str(error)
    except Exception:
        return "(the exception cannot be shown)"


def said(error: BaseException) -> str:
    """Name an exception with what it says: short and safe to show."""
    text = shorten(mark_controls(text_of(error)), 300)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
