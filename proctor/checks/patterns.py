"""Searches with Python's ``re`` that cannot hang a run.

What is provably cheap is searched in this process; everything else in a worker process that is killed when it gives no
answer in time. ``re`` holds the interpreter lock while it runs, so neither a thread nor a signal could
stop it.
"""

from __future__ import annotations

import functools
import re
import warnings
from math import inf, prod
from typing import Any, Final, NamedTuple

from proctor.checks.pattern_worker import PatternProblem, PatternWorker

__all__ = ["PatternProblem", "is_cheap", "search"]

_CHEAP_STEPS: Final = 10_000_000
"""Steps of a search that may be made in this process: some tenths of a second."""

_COUNTED: Final = 1_000
"""A repeat with a higher limit counts as unbounded."""

_worker = PatternWorker()


def search(pattern: str, text: str) -> bool:
    """Whether ``pattern`` is found anywhere in ``text``, ignoring case.

    Raises:
        PatternProblem: no answer within the time limit, or not enough memory.
    """
    if is_cheap(pattern, len(text)):
        return _compiled(pattern).search(text) is not None
    return _worker.search(pattern, text)


def is_cheap(pattern: str, length: int) -> bool:
    """Whether a search in a text of this length ends soon, whatever the text is.

    Raises:
        re.error, OverflowError, RecursionError: it is no pattern.
    """
    return _most_steps(pattern, length) <= _CHEAP_STEPS


@functools.lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return re.compile(pattern, re.IGNORECASE)


def _most_steps(pattern: str, length: int) -> float:
    """A bound on the steps of a search: from each place, every way to match, each as long as the pattern."""
    effort = _effort_of_pattern(pattern)
    return effort.ways * effort.length * float(length + 1) ** (1 + effort.unbounded)


class _Effort(NamedTuple):
    """In how many ways something can match at one place, unbounded repeats apart; their number; and its length."""

    ways: float
    unbounded: int
    length: float


@functools.lru_cache(maxsize=512)
def _effort_of_pattern(pattern: str) -> _Effort:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _effort(re._parser.parse(pattern, re.IGNORECASE))  # type: ignore[attr-defined]  # noqa: SLF001


def _effort(sequence: Any) -> _Effort:
    parts = [_effort_of(str(operator), argument) for operator, argument in sequence]
    unbounded = sum(part.unbounded for part in parts)
    return _Effort(prod(part.ways for part in parts), unbounded, 1 + sum(part.length for part in parts))


def _effort_of(operator: str, argument: Any) -> _Effort:
    match operator:
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return _effort_of_repeat(*argument)
        case "BRANCH":
            parts = [_effort(part) for part in argument[1]]
            most = max(part.unbounded for part in parts)
            return _Effort(sum(part.ways for part in parts), most, sum(part.length for part in parts))
        case "SUBPATTERN" | "ASSERT" | "ASSERT_NOT":
            return _effort(argument[-1])
        case "ATOMIC_GROUP":
            return _effort(argument)
        case "GROUPREF" | "GROUPREF_IGNORE" | "GROUPREF_EXISTS":
            return _Effort(inf, 0, 1)
    return _Effort(1, 0, 1)


def _effort_of_repeat(low: int, high: int, body: Any) -> _Effort:
    effort = _effort(body)
    if high <= 1:
        return effort._replace(ways=effort.ways + 1 - low)
    if effort.ways > 1 or effort.unbounded or not body.getwidth()[0]:
        return _Effort(inf, 0, 1)
    if high > _COUNTED:
        return _Effort(1, 1, effort.length)
    return _Effort(high - low + 1, 0, high * effort.length)
