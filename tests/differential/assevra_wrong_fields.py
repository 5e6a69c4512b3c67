"""Fields of a recorded row in which something is wrong that the published schema does not look at, or lets through."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any, Final


def also_wrong(row: Mapping[str, Any]) -> set[str]:
    """The names of those fields."""
    return {field for field, is_wrong in _ALSO_WRONG.items() if field in row and is_wrong(row[field])}


def _is_no_amount(value: Any) -> bool:
    return isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf


def _is_no_usage(value: Any) -> bool:
    counts = value.values() if isinstance(value, dict) else ()
    return any(count not in (None, "") and _is_no_count(count) for count in counts)


def _is_no_count(value: Any) -> bool:
    return not (isinstance(value, str) and value.isdigit()) and (value != math.inf and _is_no_amount(value))


def _is_no_expectation(value: Any) -> bool:
    """A call that cannot be met, because its arguments are no object."""
    calls = value if isinstance(value, list) else [value]
    return not all(isinstance(call, dict) and _are_arguments(call) for call in calls)


def _are_arguments(call: Mapping[str, Any]) -> bool:
    inner = call.get("function")
    holder = inner if isinstance(inner, dict) else call
    given = next((holder[name] for name in ("arguments", "args", "input") if name in holder), None)
    if isinstance(given, str) and given.strip():
        try:
            given = json.loads(given)
        except ValueError:
            return False
        return isinstance(given, dict)
    return given is None or isinstance(given, str | dict)


_ALSO_WRONG: Final[Mapping[str, Callable[[Any], bool]]] = {
    "cost_usd": lambda value: value != math.inf and _is_no_amount(value),
    "cost_budget_usd": _is_no_amount,
    "latency_budget_ms": _is_no_amount,
    "latency_ms": lambda value: value != math.inf and _is_no_amount(value),
    "duration_ms": _is_no_amount,
    "elapsed_ms": _is_no_amount,
    "latency_s": _is_no_amount,
    "usage": _is_no_usage,
    "expected_tool_calls": _is_no_expectation,
}
