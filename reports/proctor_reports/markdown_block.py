"""A part of a Markdown report that takes no more room than there is."""

from __future__ import annotations

from proctor.wording import count


class Block:
    """A heading with rows, of which as many are written as there is room for; the rest is counted."""

    def __init__(self, head: list[str], rows: list[str] | None = None, noun: str = "row", left_out: int = 0) -> None:
        self._head = head
        self._rows = rows
        self._noun = noun
        self._left_out = left_out

    def text(self, room: int) -> str:
        """Give the text in at most ``room`` characters; nothing if there are no rows or not even the heading fits."""
        if self._rows is not None and not self._rows:
            return ""
        lines = list(self._head)
        room -= sum(len(line) + 1 for line in lines) + len(self._note(10**9))
        if room < 0:
            return ""
        left_out = self._left_out
        for row in self._rows or ():
            room -= len(row) + 1
            if room < 0:
                left_out += 1
            else:
                lines.append(row)
        return "\n".join(lines) + "\n" + (self._note(left_out) if left_out else "")

    def _note(self, number: int) -> str:
        return f"\nNot listed here: {count(number, f'more {self._noun}')}.\n"
