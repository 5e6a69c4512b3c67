"""How long a search for an ECMAScript pattern may take at most, told from its source. Rather too much than too little.

A backtracking engine tries, from each place of the text, every way in which the pattern can match there. Unbounded
repeats that do not nest multiply these ways by the length of the text each; where they nest there is no bound.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from math import inf, prod
from typing import Final, NamedTuple

_COUNTED: Final = 1_000
"""A repeat with a higher limit counts as unbounded."""
_MOST_UNBOUNDED: Final = 10

_PART: Final = re.compile(
    r"""(?P<reference>\\[1-9k])
    | (?P<group>\((?:\?(?::|<?[=!]|<[^>]*>))?)
    | (?P<end>\))
    | (?P<bar>\|)
    | (?P<optional>\?\??)
    | (?P<repeat>(?:[*+]|\{(?P<low>\d+)(?P<comma>,(?P<high>\d*))?\})\??)
    | (?P<atom>\\.|\[\^?(?:\\.|[^\]\\])*\]|.)""",
    re.DOTALL | re.VERBOSE | re.ASCII,
)


def most_steps(source: str, length: int) -> float:
    """A bound on the steps of a search in a text of ``length`` characters. ``source`` is a pattern that compiles."""
    effort = _effort(source)
    if effort.unbounded > _MOST_UNBOUNDED:
        return inf
    units = 2.0 * length + 1  # the engine counts UTF-16 units
    return effort.ways * effort.length * units ** (1 + effort.unbounded)


class _Effort(NamedTuple):
    """In how many ways a pattern can match at one place, unbounded repeats apart; their number; and its length."""

    ways: float
    unbounded: int
    length: float


@lru_cache(maxsize=4096)
def _effort(source: str) -> _Effort:
    parts = list(_PART.finditer(source))
    kinds = [part.lastgroup for part in parts]
    if "reference" in kinds or ("end", "repeat") in pairwise(kinds):
        return _Effort(inf, 0, 1)
    repeats = [_repeat(part) for part in parts if part.lastgroup == "repeat"]
    ways = prod(repeat.ways for repeat in repeats) * 2.0 ** min(kinds.count("optional"), 1000) * _choices(kinds)
    length = 1 + kinds.count("atom") + sum(repeat.length for repeat in repeats)
    return _Effort(ways, sum(repeat.unbounded for repeat in repeats), length)


def _repeat(part: re.Match[str]) -> _Effort:
    """The effort of a repeated character or class."""
    low = float(part["low"] or 0)
    high = low if part["low"] and not part["comma"] else float(part["high"] or inf)
    if high > _COUNTED:
        return _Effort(1, 1, min(low, _COUNTED))
    return _Effort(high - low + 1, 0, high)


def _choices(kinds: Sequence[str | None]) -> float:
    """In how many ways the alternatives of all groups can be combined."""
    choices, alternatives = 1.0, [1]
    for kind in kinds:
        if kind == "group":
            alternatives.append(1)
        elif kind == "bar":
            alternatives[-1] += 1
        elif kind == "end":
            choices *= alternatives.pop()
    return choices * alternatives.pop()
