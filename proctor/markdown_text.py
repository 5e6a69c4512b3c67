"""Text in Markdown that stays text: no markup, no mention, no link, no table cell more than there was."""

from __future__ import annotations

import re
from typing import Final

from proctor.excerpt import mark_controls, shorten

_BACKTICKS: Final = re.compile("`+")
_MARKUP: Final = re.compile(r"[\\`*_\[\]|~$!{}]|:(?=//|[a-z+_-])|(?<=www)\.", re.IGNORECASE)
_REFERENCE: Final = re.compile("[@#]")
_ENTITIES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def code(text: str, limit: int = 120) -> str:
    """Give text from outside as a code span on one line: nothing in it is markup, a mention, a link or an emoji."""
    clean = _one_line(text, limit)
    if not clean:
        return "(empty)"
    fence = "`" * (_longest_backticks(clean) + 1)
    pad = " " if clean[0] == "`" or clean[-1] == "`" else ""
    return f"{fence}{pad}{clean}{pad}{fence}"


def cell(text: str, limit: int = 300) -> str:
    """Give text from outside as a code span inside a table, where a bar would end the cell even in code."""
    return code(text, limit).replace("|", "\\|")


def table_row(*cells: str) -> str:
    """Give a line of a table, of cells that are Markdown already."""
    return f"| {' | '.join(cells)} |"


def fenced(text: str, language: str = "") -> str:
    """Give text from outside, all of it, as a block whose fence is longer than any run of back-ticks in it."""
    shown = mark_controls(text)
    fence = "`" * max(3, _longest_backticks(shown) + 1)
    return f"{fence}{language}\n{shown}\n{fence}\n"


def prose(text: str, limit: int = 600) -> str:
    """Give a sentence of ours, which may quote names from specs, as plain text on one line.

    GitHub looks for mentions and issue numbers after the Markdown is gone, so escaping does not stop them: an
    invisible space does.
    """
    escaped = _MARKUP.sub(r"\\\g<0>", _one_line(text, limit)).translate(_ENTITIES)
    return _REFERENCE.sub("\\g<0>\u200b", escaped)


def _one_line(text: str, limit: int) -> str:
    return shorten(" ".join(mark_controls(text).split()), limit)


def _longest_backticks(text: str) -> int:
    return max(map(len, _BACKTICKS.findall(text)), default=0)
