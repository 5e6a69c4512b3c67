"""Hostile text in Markdown: it stays text, and never ends the place it stands in."""

from __future__ import annotations

import re
from typing import Final

from proctor.excerpt import mark_controls, shorten

_TICKS: Final = re.compile("`+")
_LONGEST_SPAN: Final = 200


def fenced(text: str, language: str = "") -> str:
    """The text as a block, whose fence is longer than any run of back-ticks in it."""
    shown = mark_controls(text)
    fence = "`" * max(3, _longest_run(shown) + 1)
    return f"{fence}{language}\n{shown}\n{fence}\n"


def code(text: str) -> str:
    """The text as a code span on one line, for headings and sentences; the middle of a long one is left out."""
    shown = shorten(" ".join(mark_controls(text).split()), _LONGEST_SPAN)
    if not shown:
        return "(empty)"
    ticks = "`" * (_longest_run(shown) + 1)
    pad = " " if "`" in (shown[0], shown[-1]) else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def cell(text: str) -> str:
    """The text as a code span in a table, where a bar would end the cell.

    It is escaped, and parted from a backslash before it, which would undo that.
    """
    return code(text.replace("\\|", "\\ |")).replace("|", "\\|")


def row(*cells: str) -> str:
    """A line of a table, of cells that are Markdown already."""
    return f"| {' | '.join(cells)} |\n"


def _longest_run(text: str) -> int:
    return max(map(len, _TICKS.findall(text)), default=0)
