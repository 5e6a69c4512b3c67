"""Whether a file begins like a transcript: broken and unfinished ones too, other JSON never."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

_HEAD: Final = 2**16
"""Bytes at the beginning that are looked at."""
_BYTE_ORDER_MARK: Final = "\ufeff"
_BEGINNING: Final = re.compile(r"[ \t\r\n]*(?:\[[ \t\r\n]*)?(?=\{)")
_TOKEN: Final = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)
_COLON: Final = re.compile(r"[ \t\r\n]*:")
_TURN: Final = re.compile(r'"turn_index"[ \t\r\n]*:')

_NEVER: Final = frozenset({"type", "dimension", "agent_output"})
"""Members of the records of other formats."""
_OURS: Final = frozenset({"schema_version", "adapter", "started_at", "ended_at", "turns"})


def looks_like_transcript(data: bytes) -> bool:
    """Whether the first object of a file, or of the array that it is, has members by which a transcript is told.

    They are ``probe_id`` with another one, ``schema_version`` with ``adapter``, or ``turns`` with one of these two or
    with a turn in them.
    """
    text = data[:_HEAD].decode("utf-8", "replace").removeprefix(_BYTE_ORDER_MARK)
    beginning = _BEGINNING.match(text)
    if beginning is None:
        return False
    names = set(_names(text, beginning.end()))
    if names & _NEVER:
        return False
    if "probe_id" in names:
        return bool(names & _OURS)
    if "turns" in names:
        return bool(names & {"schema_version", "adapter"}) or _TURN.search(text) is not None
    return {"schema_version", "adapter"} <= names


def _names(text: str, start: int) -> Iterator[str]:
    """The names of the members of the object that begins at a position, as far as the text goes."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        mark = token.group()
        if mark in "[{":
            depth += 1
        elif mark in "]}":
            depth -= 1
            if depth == 0:
                return
        elif depth == 1 and _COLON.match(text, token.end()):
            yield _name(mark)


def _name(written: str) -> str:
    try:
        return str(json.loads(written))
    except ValueError:
        return written
