"""ECMAScript regular expressions as QuickJS has them, searched in the calling thread.

Pattern and text cross over as JSON text, so that lone surrogates and NUL survive. Time and memory are bounded; the
time is CPU time of the whole process. `proctor.checks.ecmascript` says where it is safe to search.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from typing import Final

CPU_LIMIT_S: Final = 2.0
MEMORY_LIMIT_BYTES: Final = 64 * 2**20

_PROGRAM: Final = """
const compiled = new Map();
function compile(source) {
    let pattern = compiled.get(source);
    if (pattern === undefined) {
        pattern = new RegExp(JSON.parse(source));
        if (compiled.size >= 256) compiled.clear();
        if (source.length < 1000) compiled.set(source, pattern);
    }
    return pattern;
}
(source, text) => { const pattern = compile(source); return text === null || pattern.test(JSON.parse(text)); }
"""
"""A function that compiles a pattern, and searches it where there is a text. A pattern without flags has no state."""


class NoPattern(Exception):
    """The source is no ECMAScript regular expression. What it says is the engine's reason."""


class OutOfBounds(Exception):
    """There was not enough time or memory. What it says continues a sentence about the pattern."""


class _Engine(threading.local):
    """The function of `_PROGRAM`, one a thread: another thread may not touch it."""

    function: Callable[[str, str | None], bool] | None = None


_engine = _Engine()


def compile_source(source: str) -> None:
    """Compile a pattern, without flags.

    Raises:
        NoPattern: it is none.
        OutOfBounds: there was not enough time or memory to tell.
    """
    _call(source, None)


def search_here(source: str, text: str) -> bool:
    """Whether a pattern, without flags, is found anywhere in a text: ``new RegExp(source).test(text)``.

    Raises:
        NoPattern: it is none.
        OutOfBounds: there was not enough time or memory to tell.
    """
    return _call(source, json.dumps(text))


def _call(source: str, text: str | None) -> bool:
    import quickjs  # type: ignore[import-untyped]

    function = _engine.function = _engine.function or _new_function()
    try:
        return function(json.dumps(source), text)
    except (quickjs.JSException, quickjs.StackOverflow) as error:
        kind, _, reason = str(error).partition("\n")[0].partition(": ")
        if kind == "SyntaxError":
            raise NoPattern(reason) from None
        _engine.function = None  # what went wrong inside may have left something behind
        raise OutOfBounds(_exceeded(reason)) from None


def _new_function() -> Callable[[str, str | None], bool]:
    import quickjs

    context = quickjs.Context()
    context.set_memory_limit(MEMORY_LIMIT_BYTES)
    context.set_time_limit(CPU_LIMIT_S)
    function: Callable[[str, str | None], bool] = context.eval(_PROGRAM)
    return function


def _exceeded(reason: str) -> str:
    if "interrupted" in reason:
        return f"gave no answer in {CPU_LIMIT_S:g} s"
    return "could not be decided: out of memory"
