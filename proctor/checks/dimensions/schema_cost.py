"""Whether arguments can be checked against a JSON Schema in no time, for certain.

Without the keywords in `_OPEN_ENDED` each part of a schema looks at each part of the arguments at most once, so the
work is bounded by the product of their sizes. What a pattern costs is bounded by `proctor.checks.patterns`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from math import inf
from typing import Any, Final

from proctor.checks.patterns import is_cheap

_OPEN_ENDED: Final = frozenset({"$ref", "$dynamicRef", "unevaluatedItems", "unevaluatedProperties", "uniqueItems"})
"""References can branch without end; the others look at the same parts of the arguments again and again."""

_CHEAP_WORK: Final = 1_000_000
"""Parts of a schema times characters of the arguments: a second or so at the most."""


def is_bounded(schema_text: str, characters: int) -> bool:
    """Whether arguments of so many characters are soon checked, whatever they are."""
    parts, patterns = _effort(schema_text)
    if parts * characters > _CHEAP_WORK:
        return False
    try:
        return all(is_cheap(pattern, characters) for pattern in patterns)
    except (re.error, OverflowError, RecursionError):
        return False


@lru_cache(maxsize=256)
def _effort(schema_text: str) -> tuple[float, tuple[str, ...]]:
    """The number of the parts of a schema, infinite with an open-ended keyword, and its patterns."""
    parts = 0
    patterns: list[str] = []
    for part in _parts(json.loads(schema_text)):
        parts += 1
        if isinstance(part, dict):
            if not _OPEN_ENDED.isdisjoint(part):
                return inf, ()
            patterns += _patterns(part)
    return parts, tuple(patterns)


def _patterns(part: dict[str, Any]) -> Iterator[str]:
    pattern, named = part.get("pattern"), part.get("patternProperties")
    if isinstance(pattern, str):
        yield pattern
    if isinstance(named, dict):
        yield from named


def _parts(value: Any) -> Iterator[Any]:
    """A value and all that is in it."""
    waiting = [value]
    while waiting:
        part = waiting.pop()
        yield part
        if isinstance(part, dict):
            waiting += part.values()
        elif isinstance(part, list):
            waiting += part
