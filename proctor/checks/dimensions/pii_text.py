"""One spelling for texts that are searched for numbers, so that a dash, blank or digit of another kind hides none."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_BLANKS: Final = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_DASHES: Final = "\u058a\u05be\u2010-\u2015\u2212\ufe58\ufe63\uff0d"
# Format characters (category Cf) have no width: soft hyphens, joiners, direction marks, tags.
_FORMAT: Final = (
    "\u00ad\u0600-\u0605\u061c\u06dd\u070f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0001\U000e0020-\U000e007f"
)
_UNUSUAL = re.compile(f"[{_BLANKS}{_DASHES}{_FORMAT}\uff20\uff0b]")
_OTHER_DIGIT = re.compile(r"[^\D0-9]")
_BY_CATEGORY: Final = {"Zs": " ", "Pd": "-", "Cf": "", "Sm": "-"}
_FULL_WIDTH: Final = {"\uff20": "@", "\uff0b": "+"}


def plain_spelling(text: str) -> str:
    """The text with ASCII digits, blanks and hyphens, and without characters that have no width."""
    if text.isascii():
        return text
    return _OTHER_DIGIT.sub(_digit, _UNUSUAL.sub(_spelling, text))


def _spelling(match: re.Match[str]) -> str:
    character = match[0]
    return _FULL_WIDTH.get(character) or _BY_CATEGORY[unicodedata.category(character)]


def _digit(match: re.Match[str]) -> str:
    return str(unicodedata.decimal(match[0]))
