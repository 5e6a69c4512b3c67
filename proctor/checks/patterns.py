"""Searches with Python's ``re`` that cannot hang a run.

A pattern that is provably cheap is searched in this process; every other one in a worker process that is killed when
it gives no answer in time. ``re`` holds the interpreter lock while it runs, so neither a thread nor a signal could
stop it.
"""

from __future__ import annotations

import functools
import re
import warnings
from math import inf
from typing import Any, Final

from proctor.checks.pattern_worker import PatternProblem, PatternWorker

__all__ = ["PatternProblem", "search"]

_CHEAP_TEXT: Final = 10_000
_CHEAP_WAYS: Final = 1_000

_worker = PatternWorker()


def search(pattern: str, text: str) -> bool:
    """Whether ``pattern`` is found anywhere in ``text``, ignoring case.

    Raises:
        PatternProblem: no answer within the time limit, or not enough memory.
    """
    if len(text) <= _CHEAP_TEXT and _is_cheap(pattern):
        return _compiled(pattern).search(text) is not None
    return _worker.search(pattern, text)


@functools.lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return re.compile(pattern, re.IGNORECASE)


@functools.lru_cache(maxsize=512)
def _is_cheap(pattern: str) -> bool:
    """At most one unbounded repeat, of something that can match in one way only, and few alternatives besides."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = re._parser.parse(pattern, re.IGNORECASE)  # type: ignore[attr-defined]  # noqa: SLF001
    ways, unbounded = _freedom(tree)
    return unbounded <= 1 and ways <= _CHEAP_WAYS


def _freedom(sequence: Any) -> tuple[float, int]:
    """In how many ways a sequence can match at one place, unbounded repeats apart, and how many of those it has."""
    ways, unbounded = 1.0, 0
    for operator, argument in sequence:
        more_ways, more_unbounded = _freedom_of(str(operator), argument)
        ways, unbounded = ways * more_ways, unbounded + more_unbounded
    return ways, unbounded


def _freedom_of(operator: str, argument: Any) -> tuple[float, int]:
    match operator:
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return _freedom_of_repeat(*argument)
        case "BRANCH":
            parts = [_freedom(part) for part in argument[1]]
            return sum(ways for ways, _ in parts), sum(unbounded for _, unbounded in parts)
        case "SUBPATTERN" | "ASSERT" | "ASSERT_NOT":
            return _freedom(argument[-1])
        case "ATOMIC_GROUP":
            return _freedom(argument)
        case "GROUPREF" | "GROUPREF_IGNORE" | "GROUPREF_EXISTS":
            return inf, 0
    return 1.0, 0


def _freedom_of_repeat(low: int, high: int, body: Any) -> tuple[float, int]:
    ways, unbounded = _freedom(body)
    if high <= 1:
        return ways + (1 - low), unbounded
    if ways > 1 or unbounded:
        return inf, 0
    return (high - low + 1.0, 0) if high <= _CHEAP_WAYS else (1.0, 1)
