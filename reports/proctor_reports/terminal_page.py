"""A page of text for a terminal: folded to its width, in colour or not, in Unicode or ASCII."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import NamedTuple

from proctor.category_scores import Comparison
from proctor.dimension_scores import Change
from proctor.excerpt import mark_controls, shorten
from proctor.results import Decision, GateStatus, Outcome

NARROWEST = 40
"""Characters that a line has at least, however narrow the terminal is."""

_COLORS: Mapping[str, int] = {
    Decision.PASSED: 32, Decision.FAILED: 31, Decision.COULD_NOT_EVALUATE: 33, GateStatus.MET: 32,
    GateStatus.NOT_MET: 31, Outcome.ERRORED: 33, Outcome.UNSCORED: 33, Outcome.REFUSED: 35, Outcome.SKIPPED: 37,
    Change.REGRESSED: 31, Change.IMPROVED: 32, Comparison.BETTER: 32, Comparison.WORSE: 31,
}  # fmt: skip
_ASCII = str.maketrans({"✓": "+", "✗": "x", "⊘": "o", "–": "-", "…": "...", "—": "-", "“": '"', "”": '"', "±": "+/-"})


class Row(NamedTuple):
    """A row of a table; ``note`` is a sentence to stand below it."""

    cells: tuple[str, ...]
    paint: str | None = None
    note: str = ""
    indent: int = 2


class Page:
    """Lines of text. Everything that is added is made fit for a terminal here, and nowhere else."""

    def __init__(self, *, color: bool, width: int, unicode: bool) -> None:
        self._color = color
        self._width = max(width, NARROWEST)
        self._unicode = unicode
        self._lines: list[str] = []

    def line(self, text: str, *, indent: int = 0, hang: int = 2, paint: str | None = None) -> None:
        """Add a paragraph, folded, with ``hang`` more blanks before the lines after the first."""
        first, rest = " " * indent, " " * (indent + hang)
        folded = wrap(
            self._safe(text), self._width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
        )
        self._add(folded, paint)

    def table(self, rows: Sequence[Row], *, right: frozenset[int]) -> bool:
        """Add rows whose cells stand below each other, those of the columns ``right`` to the right.

        False, and nothing is added, if one of them is wider than the page.
        """
        cells = [[" " * row.indent + self._safe(row.cells[0]), *map(self._safe, row.cells[1:])] for row in rows]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ["  ".join(_padded(line, widths, right)).rstrip() for line in cells]
        if max(map(len, lines)) > self._width:
            return False
        for row, line in zip(rows, lines, strict=True):
            self._add([line], row.paint)
            if row.note:
                self.line(row.note, indent=row.indent + 2, hang=0)
        return True

    def blank(self) -> None:
        """Add an empty line."""
        self._lines.append("")

    def unfolded(self, text: str) -> None:
        """Add a line that must stay whole."""
        self._lines.append(self._plain(mark_controls(text).replace("\n", "<0A>")))

    def text(self) -> str:
        """Give the page."""
        return "\n".join(self._lines) + "\n"

    def _add(self, lines: list[str], paint: str | None) -> None:
        code = _COLORS.get(paint or "")
        if self._color and code is not None:
            lines = [f"\x1b[{code}m{line}\x1b[0m" for line in lines]
        self._lines += lines

    def _safe(self, text: str) -> str:
        return self._plain(" ".join(mark_controls(shorten(text, 600)).split()))

    def _plain(self, text: str) -> str:
        return text if self._unicode else text.translate(_ASCII).encode("ascii", "replace").decode()


def _padded(cells: Sequence[str], widths: Sequence[int], right: frozenset[int]) -> Iterator[str]:
    for place, (cell, width) in enumerate(zip(cells, widths, strict=True)):
        yield cell.rjust(width) if place in right else cell.ljust(width)
