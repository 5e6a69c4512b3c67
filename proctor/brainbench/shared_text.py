"""Runs of characters that texts have in common, found exactly and in time linear in the size of the texts.

A run of n characters covers a whole block of n // 2 that begins at a multiple of n - n // 2 + 1. So of a long text only
every so manyth block is looked up, and runs are compared where a block is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Self


def runs_of(text: str, length: int) -> Iterator[str]:
    """Every run of ``length`` characters; none in a shorter text."""
    return (text[start : start + length] for start in range(len(text) - length + 1))


class RunFinder:
    """Finds the runs of some texts in others. All runs have one ``length``, of at least 2 characters."""

    def __init__(self, texts: Iterable[str], length: int) -> None:
        long_enough = [text for text in texts if len(text) >= length]
        self._length = length
        self._block = length // 2
        self._runs = frozenset(run for text in long_enough for run in runs_of(text, length))
        self._blocks = frozenset(block for text in long_enough for block in runs_of(text, self._block))

    def without(self, texts: Iterable[str]) -> Self:
        """A finder for those runs that stand in none of these texts."""
        finder = object.__new__(type(self))
        finder._length, finder._block, finder._blocks = self._length, self._block, self._blocks
        finder._runs = self._runs.difference(*map(self.found_in, texts))
        return finder

    def first_in(self, text: str) -> str | None:
        """The first run that stands in a text."""
        return next(self.found_in(text), None)

    def found_in(self, text: str) -> Iterator[str]:
        """The runs that stand in a text, in order. One that covers two known blocks is given twice."""
        if not self._runs:
            return
        blocks, block, length = self._blocks, self._block, self._length
        for start in range(0, len(text) - block + 1, length - block + 1):
            if text[start : start + block] in blocks:
                around = range(max(0, start + block - length), start + 1)
                candidates = (text[at : at + length] for at in around)
                yield from (run for run in candidates if run in self._runs)
