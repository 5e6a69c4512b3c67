"""Text that has to wait for its place in a file, kept compressed: what repeats itself takes a tenth or less."""

from __future__ import annotations

import zlib
from collections.abc import Iterator

BLOCK = 64_000
"""Characters that wait before they are compressed together."""


class PackedText:
    """Text that is added piece by piece and read once, in order. It needs no file that would have to be closed."""

    def __init__(self) -> None:
        self._blocks: list[bytes] = []
        self._waiting: list[str] = []
        self._length = 0

    def add(self, text: str) -> None:
        """Add text to the end. It must not hold lone surrogates."""
        self._waiting.append(text)
        self._length += len(text)
        if self._length >= BLOCK:
            self._blocks.append(zlib.compress("".join(self._waiting).encode(), 1))
            self._waiting = []
            self._length = 0

    def pieces(self) -> Iterator[str]:
        """Give the text in pieces of about a block."""
        for block in self._blocks:
            yield zlib.decompress(block).decode()
        yield "".join(self._waiting)
