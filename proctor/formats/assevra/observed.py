"""What was observed of a recorded row, as a trajectory; and what was asked of it, as a checksum."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any, Final
from zlib import crc32

from pydantic_core import to_json

from proctor.checks.dimensions.base import Row
from proctor.checks.dimensions.observed_calls import arguments_of, calls_of, name_of
from proctor.trajectory import Ending, JsonValue, ToolCall, Trajectory, TurnRecord, Usage

OBSERVED: Final = frozenset({
    "agent_output", "agent_actions", "tool_calls", "tool_results", "observed_state", "trajectory",
    "usage", "cost_usd", "latency_ms", "duration_ms", "elapsed_ms", "latency_s",
    "trace_id", "span_id", "trial_id", "human_label", "_capture_error", "_capture_refused",
})  # fmt: skip
"""The fields of a row that are observed, or said of what was observed. All others define what is asked."""

_NESTING: Final = frozenset((dict, list))
_SPELL = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def definition(row: Row) -> int:
    """A checksum over what is asked of a row. Neither its place in the file nor the order of its fields matters."""
    names, start = _asked(tuple(row))
    values = [row[name] for name in names]
    if _NESTING.isdisjoint(map(type, values)) or all(map(_has_no_fields, values)):
        try:
            return crc32(to_json(values), start)
        except ValueError:  # a lone surrogate
            pass
    return crc32(_SPELL(values).encode(), start)


@lru_cache(maxsize=1024)
def _asked(names: tuple[str, ...]) -> tuple[tuple[str, ...], int]:
    """The names of the fields that say what is asked, in order, and their checksum. Most rows have the same few."""
    asked = tuple(sorted(set(names) - OBSERVED))
    return asked, crc32(_SPELL(asked).encode())


def _has_no_fields(value: Any) -> bool:
    """Whether nothing in the value can be in another order, so that it can be spelled several times as fast."""
    return _NESTING.isdisjoint(map(type, value)) if type(value) is list else type(value) is not dict


def trajectory(row: Row) -> Trajectory:
    """The recorded answer: one turn, with its tool calls, tokens, cost and time as far as they are in the row."""
    usage = _usage(row)
    latency_ms = _number(row.get("latency_ms"))
    turn = TurnRecord(
        user=_text(row.get("input")) or "",
        reply=_text(row.get("agent_output")),
        tool_calls=tuple(map(_tool_call, calls_of(row))),
        latency_ms=latency_ms,
        usage=usage,
        context=_context(row),
    )
    return Trajectory(Ending.COMPLETED, (turn,), usage=usage or Usage(), latency_ms=latency_ms)


def _context(row: Row) -> str | None:
    """What the agent was given: the context, and the instruction that was planted in it or in the request."""
    context, planted = _text(row.get("context")), _text(row.get("injection"))
    parts = [context or "", f"Planted instruction: {planted}" if planted else ""]
    return "\n\n".join(filter(None, parts)) or None


def _tool_call(call: Any) -> ToolCall:
    if not isinstance(call, dict):
        return ToolCall(_text(call) or "")
    arguments = arguments_of(call)
    return ToolCall(_text(name_of(call)) or "", _parsed(arguments), id=_text(call.get("id")), result=call.get("result"))


def _parsed(arguments: JsonValue) -> JsonValue:
    """Arguments that a model wrote as JSON, read; what cannot be read stands as it was written."""
    if not isinstance(arguments, str):
        return arguments
    try:
        parsed: JsonValue = json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
    return parsed


def _usage(row: Row) -> Usage | None:
    usage = row.get("usage")
    tokens = usage if isinstance(usage, Mapping) else {}
    cost = _cost(row.get("cost_usd"))
    if not tokens and cost is None:
        return None
    given, made = _count(tokens, "input_tokens", "prompt_tokens"), _count(tokens, "output_tokens", "completion_tokens")
    return Usage(given, made, cost_usd=cost)


def _count(tokens: Mapping[str, Any], *names: str) -> int:
    return next((int(value) for name in names if type(value := tokens.get(name)) is int and value >= 0), 0)


def _cost(value: JsonValue) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        cost = Decimal(str(value))
    except (InvalidOperation, ValueError):  # an integer with thousands of digits cannot be spelled
        return None
    return cost if cost.is_finite() else None


def _number(value: JsonValue) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    try:
        number = float(value)
    except OverflowError:
        return 0.0
    return number if 0 <= number < float("inf") else 0.0


def _text(value: JsonValue) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
