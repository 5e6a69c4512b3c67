"""ECMAScript regular expressions as QuickJS has them, searched in the calling thread.

Pattern and text cross over as JSON text, so that lone surrogates and NUL survive. Time and memory are bounded; the
time is CPU time of the whole process. `proctor.checks.ecmascript` says where it is safe to search.
"""

from __future__ import annotations

import json
import threading
from typing import Any, Final

CPU_LIMIT_S: Final = 2.0
MEMORY_LIMIT_BYTES: Final = 64 * 2**20

_FUNCTIONS: Final = """
function compile(source) { new RegExp(JSON.parse(source)); return true; }
function search(source, text) { return new RegExp(JSON.parse(source)).test(JSON.parse(text)); }
"""


class NoPattern(Exception):
    """The source is no ECMAScript regular expression. What it says is the engine's reason."""


class OutOfBounds(Exception):
    """There was not enough time or memory. What it says continues a sentence about the pattern."""


class _Contexts(threading.local):
    """One context a thread: another thread may not touch it."""

    current: Any = None


_contexts = _Contexts()


def compile_source(source: str) -> None:
    """Compile a pattern, without flags.

    Raises:
        NoPattern: it is none.
        OutOfBounds: there was not enough time or memory to tell.
    """
    _call("compile", source)


def search_here(source: str, text: str) -> bool:
    """Whether a pattern, without flags, is found anywhere in a text: ``new RegExp(source).test(text)``.

    Raises:
        NoPattern: it is none.
        OutOfBounds: there was not enough time or memory to tell.
    """
    return bool(_call("search", source, text))


def _call(function: str, *texts: str) -> Any:
    import quickjs  # type: ignore[import-untyped]

    context = _contexts.current or _new_context()
    try:
        return context.get(function)(*map(json.dumps, texts))
    except (quickjs.JSException, quickjs.StackOverflow) as error:
        kind, _, reason = str(error).partition("\n")[0].partition(": ")
        if kind == "SyntaxError":
            raise NoPattern(reason) from None
        _contexts.current = None  # what went wrong inside may have left something behind
        raise OutOfBounds(_exceeded(reason)) from None


def _new_context() -> Any:
    import quickjs

    context = quickjs.Context()
    context.set_memory_limit(MEMORY_LIMIT_BYTES)
    context.set_time_limit(CPU_LIMIT_S)
    context.eval(_FUNCTIONS)
    _contexts.current = context
    return context


def _exceeded(reason: str) -> str:
    if "interrupted" in reason:
        return f"gave no answer in {CPU_LIMIT_S:g} s"
    return "could not be decided: out of memory"
