"""Tokens, money, time and names of a record, whatever its writer called them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from proctor.excerpt import quote
from proctor.traces import field_names as names
from proctor.traces.base import BadTrace
from proctor.traces.documents import embedded_json
from proctor.traces.field_names import View

MAX_TOKENS: Final = 2**53
"""Beyond it a count is a mistake, and other programs cannot hold it."""


class Measures(NamedTuple):
    """What a record says of tokens, dollars and milliseconds."""

    usage: dict[str, int] | None
    cost_usd: float | None
    latency_ms: float | None

    def __bool__(self) -> bool:
        return any(value is not None for value in self)


def measures_of(view: View, usage: Mapping[str, Any] | None = None) -> Measures:
    """What a record measures. ``usage`` is its usage where it stands apart. Raises BadTrace for what is no number."""
    found = usage or embedded_json(view.take(names.USAGE))
    counted = tokens_of(View(found)) if isinstance(found, dict) else None
    milliseconds = quantity("latency", view.take(names.LATENCY_MS))
    if milliseconds is None and (seconds := quantity("latency", view.take(names.LATENCY_S))) is not None:
        milliseconds = round(seconds * 1000, 3)
    return Measures(counted or tokens_of(view), quantity("cost", view.take(names.COST)), milliseconds)


def tokens_of(view: View) -> dict[str, int] | None:
    """Input tokens, cached ones among them, and output tokens; None where nothing is counted."""
    counts = {
        "input_tokens": _count(view.take(names.INPUT_TOKENS)),
        "output_tokens": _count(view.take(names.OUTPUT_TOKENS)),
    }
    cached = [_count(view.take((name,))) for name in names.CACHED_TOKENS]
    if counts["input_tokens"] is not None:
        counts["input_tokens"] += sum(filter(None, cached))
    return {name: number for name, number in counts.items() if number is not None} or None


def quantity(what: str, value: Any) -> float | None:
    """A number that is finite and not negative; None for None and the empty text. Raises BadTrace for anything else."""
    if value is None or value == "":
        return None
    try:
        number = value if isinstance(value, int | float) and not isinstance(value, bool) else float(_text(value))
        if number >= 0 and math.isfinite(number):
            return number
    except (ValueError, OverflowError):
        pass
    hint = "write a number that is not negative, such as 0.02, without a unit"
    raise BadTrace("bad_number", f"the {what} is {quote(str(value), 60)}, which is no such number", hint)


def name_of(value: Any) -> str | None:
    """A text or a whole number as the name of a trace or case; None for anything else, and for blank texts."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) and value.strip() else None


def count(value: Any) -> int | None:
    """A whole number of tokens, also as JavaScript writes it; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if 0 <= value <= MAX_TOKENS and value == int(value) else None


def _count(value: Any) -> int | None:
    number = quantity("number of tokens", value)
    if number is None or (number <= MAX_TOKENS and number == int(number)):
        return None if number is None else int(number)
    raise BadTrace("bad_number", f"a number of tokens is {quote(str(value), 60)}", "write a whole number")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError("only a text may spell a number")
    return value
