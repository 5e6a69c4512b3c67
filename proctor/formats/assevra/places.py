"""Where the parts of a JSON text stand. Used for messages only: it reads the text again."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

_DECODER: Final = json.JSONDecoder()
_SPACE: Final = re.compile(r"[ \t\n\r]*")


def offset_of(text: str, pointer: tuple[str | int, ...]) -> int:
    """The position in ``text`` of the value that ``pointer`` names; of the nearest parent for one that is not there.

    Of a repeated key, the last value counts, as it does for readers.
    """
    at = len(text) - len(text.lstrip())
    for step in pointer:
        found = _item(text, at, step) if isinstance(step, int) else _member(text, at, step)
        if found is None:
            break
        at = found
    return at


def _item(text: str, at: int, step: int) -> int | None:
    return next((start for index, start in enumerate(_items(text, at)) if index == step), None)


def _member(text: str, at: int, step: str) -> int | None:
    found = None
    for key, start in _members(text, at):
        if key == step:
            found = start
    return found


def _members(text: str, at: int) -> Iterator[tuple[str, int]]:
    """Key and position of the value, for each member of the object at a position."""
    if text[at] != "{":
        return
    at = _skip_space(text, at + 1)
    while text[at] != "}":
        key, at = _DECODER.raw_decode(text, at)
        start = _skip_space(text, _skip_space(text, at) + 1)
        yield key, start
        at = _next(text, start)


def _items(text: str, at: int) -> Iterator[int]:
    """The position of each item of the list at a position."""
    if text[at] != "[":
        return
    at = _skip_space(text, at + 1)
    while text[at] != "]":
        yield at
        at = _next(text, at)


def _next(text: str, start: int) -> int:
    """The position behind a value and its comma."""
    at = _skip_space(text, _DECODER.raw_decode(text, start)[1])
    return _skip_space(text, at + 1) if text[at] == "," else at


def _skip_space(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at
