"""ECMAScript regular expressions that cannot hang a run.

What is provably cheap is compiled and searched in this process; everything else in a worker process that is killed
when it gives no answer in time.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from proctor.checks.ecmascript_cost import most_steps
from proctor.checks.ecmascript_engine import NoPattern, OutOfBounds, compile_source, search_here
from proctor.checks.pattern_worker import PatternProblem
from proctor.checks.worker_process import NoAnswer, TooSlow, WorkerProcess
from proctor.excerpt import mark_controls, quote

__all__ = ["PatternProblem", "search", "syntax_problem"]

_CHEAP_STEPS: Final = 10_000_000
"""Steps of a search that may be made in this process: some tenths of a second."""
_CHEAP_SOURCE: Final = 1_000
"""Characters of a source that may be compiled in this process: the time grows with their square."""

_worker = WorkerProcess("proctor.checks.ecmascript_worker")


@lru_cache(maxsize=4096)
def syntax_problem(source: str) -> str | None:
    """Why ``source`` is no ECMAScript regular expression (without flags); None if it is one."""
    try:
        if len(source) <= _CHEAP_SOURCE:
            compile_source(source)
        else:
            _ask(source)
    except NoPattern as problem:
        return mark_controls(str(problem))
    except (OutOfBounds, NoAnswer) as problem:
        return f"it {problem}"
    return None


def search(source: str, text: str) -> bool:
    """Whether the pattern ``source`` is found anywhere in ``text``, as ``new RegExp(source).test(text)`` says.

    ``source`` has no `syntax_problem`.

    Raises:
        PatternProblem: no answer within the time limit, or not enough memory.
    """
    try:
        if len(source) <= _CHEAP_SOURCE and most_steps(source, len(text)) <= _CHEAP_STEPS:
            return search_here(source, text)
        return _ask(source, text)
    except (NoPattern, NoAnswer, OutOfBounds) as problem:
        raise PatternProblem(f"the pattern {quote(source, 80)} {problem}{_advice(problem, text)}") from None


def _ask(*question: str) -> bool:
    found: Any
    found, no_pattern, out_of_bounds = _worker.ask(question)
    if no_pattern is not None:
        raise NoPattern(no_pattern)
    if out_of_bounds is not None:
        raise OutOfBounds(out_of_bounds)
    return bool(found)


def _advice(problem: Exception, text: str) -> str:
    if isinstance(problem, TooSlow | OutOfBounds):
        return f" on a text of {len(text):,} characters; write it without repeats inside repeats"
    return ""
