"""Lines and columns of the values of a JSON text. A container is read once, however many places in it are asked for."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Final

from proctor.formats.pointers import Pointer

_DECODER: Final = json.JSONDecoder()
_SPACE: Final = re.compile(r"[ \t\n\r]*+")


class Places:
    """Where things stand in a text that is valid JSON. Lines and columns count from 1, in characters."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._children: dict[int, Mapping[str | int, int]] = {}
        self._line_starts: list[int] = []

    def offset(self, pointer: Pointer) -> int:
        """The position of the value that a pointer names; of the nearest parent for one that is not there."""
        at = _skip_space(self._text, 0)
        for step in pointer:
            if at not in self._children:
                self._children[at] = dict(_children(self._text, at))
            if step not in self._children[at]:
                break
            at = self._children[at][step]
        return at

    def line_and_column(self, offset: int) -> tuple[int, int]:
        """The line and the column of a position."""
        if not self._line_starts:
            self._line_starts = [0, *(found.end() for found in re.finditer("\n", self._text))]
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1


def _children(text: str, at: int) -> Iterator[tuple[str | int, int]]:
    """The members of the object, or the items of the array, at a position: each with the position of its value."""
    if text[at] not in "[{":
        return
    is_object, index = text[at] == "{", 0
    at = _skip_space(text, at + 1)
    while text[at] not in "]}":
        step: str | int = index
        if is_object:
            step, at = _DECODER.raw_decode(text, at)
            at = _skip_space(text, _skip_space(text, at) + 1)
        yield step, at
        index += 1
        at = _skip_space(text, _DECODER.raw_decode(text, at)[1])
        if text[at] == ",":
            at = _skip_space(text, at + 1)


def _skip_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
