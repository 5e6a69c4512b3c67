r"""Paths into the arguments of a call: ``agent.roles.0``, with ``\.`` for a dot inside a name and ``\\`` for ``\``."""

from __future__ import annotations

import re
from typing import Final

from proctor.trajectory import JsonValue

Path = tuple[str, ...]

_SEGMENT: Final = re.compile(r"(?:^|\.)((?:\\[.\\]|[^.])*)")
_ESCAPE: Final = re.compile(r"\\([.\\])")
_INDEX: Final = re.compile(r"0|[1-9][0-9]{0,9}")


class Missing:
    """What is found where nothing is: null is a value."""


MISSING: Final = Missing()


def parse_path(text: str) -> Path:
    """The segments of a path.

    Raises:
        ValueError: a segment is empty.
    """
    segments = _SEGMENT.findall(text)
    if not all(segments):
        raise ValueError("a segment of the path is empty")
    return tuple(_ESCAPE.sub(r"\1", segment) for segment in segments)


def value_at(arguments: JsonValue, path: Path) -> JsonValue | Missing:
    """The value that a path leads to: through own members of objects and items of arrays, and through nothing else."""
    value = arguments
    for segment in path:
        if isinstance(value, dict) and segment in value:
            value = value[segment]
        elif isinstance(value, list) and _INDEX.fullmatch(segment) and int(segment) < len(value):
            value = value[int(segment)]
        else:
            return MISSING
    return value
