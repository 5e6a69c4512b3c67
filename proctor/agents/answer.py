"""Answers of agents, checked and made plain: one `AgentReply` from the shapes that the contract allows.

Nothing is guessed. A text in place of a list, a letter in place of a reply or an object that JSON does not know is a
`MalformedReply`, since a check that runs on a misread answer gives a verdict on something the agent never did.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from proctor.agents.base import AgentReply
from proctor.errors import MalformedReply
from proctor.excerpt import quote
from proctor.trajectory import JsonValue, ToolCall, Usage

ANSWER_MEMBERS = ("reply", "tool_calls", "usage")
CALL_MEMBERS = ("name", "arguments", "args", "id", "result", "is_error")
USAGE_COUNTS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "requests")
MAX_DEPTH = 100
# Python refuses to write whole numbers of more than 4,300 digits (14,284 bits) as text.
_MAX_BITS = 14_000
_HINT = 'answer with a reply (text or null) and a list of tool calls, as in {"reply": "done", "tool_calls": ["book"]}'


def malformed(message: str) -> MalformedReply:
    """Build the error for an answer outside the contract, with the contract as its hint."""
    return MalformedReply(message, hint=_HINT)


def read_answer(value: object) -> AgentReply:
    """Check an answer: a pair (reply, tool calls), a mapping with these names, or an `AgentReply`.

    Raises MalformedReply for anything else, naming the place.
    """
    if isinstance(value, AgentReply):
        return _reply(value.reply, value.tool_calls, value.usage)
    if isinstance(value, Mapping):
        known_members(value, ANSWER_MEMBERS, "the answer")
        if "reply" not in value:
            raise malformed('the answer has no "reply"')
        return _reply(value["reply"], value.get("tool_calls", ()), value.get("usage"))
    if isinstance(value, tuple | list):
        if len(value) != 2:
            raise malformed(f"the answer is a {type(value).__name__} of {len(value)} items, not of two")
        return _reply(value[0], value[1], None)
    raise malformed(f"the answer is {describe(value)}, not a reply with its tool calls")


def json_data(value: object, place: str, depth: int = 0) -> JsonValue:
    """Copy a value as JSON data: tuples become lists, mappings become objects, subclasses their plain type.

    NaN, infinities, numbers of more than 4,000 digits, keys that are no text, nesting deeper than 100 and everything
    that JSON does not know raise MalformedReply with the place.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int | float):
        return _number(value, place)
    if not isinstance(value, list | tuple | Mapping):
        raise malformed(f"{place} is {describe(value)}, which is no JSON data")
    if depth >= MAX_DEPTH:
        raise malformed(f"{place} is nested deeper than {MAX_DEPTH} levels")
    if isinstance(value, Mapping):
        return {_key(key, place): json_data(item, f"{place}.{_short(key)}", depth + 1) for key, item in value.items()}
    return [json_data(item, f"{place}[{index}]", depth + 1) for index, item in enumerate(value)]


def read_tool_call(value: object, place: str) -> ToolCall:
    """Check one tool call: its name, a mapping with ``name`` and ``arguments``, or a `ToolCall`.

    A text with an ``args`` attribute carries its arguments there, as the calls of pytest-agent-eval do.
    """
    if isinstance(value, ToolCall):
        return _tool_call(value.to_json(), place)
    if isinstance(value, str):
        return _tool_call({"name": value, "arguments": getattr(value, "args", None)}, place)
    if isinstance(value, Mapping):
        known_members(value, CALL_MEMBERS, place)
        if "args" in value and "arguments" in value:
            raise malformed(f'{place} has both "arguments" and "args"')
        return _tool_call(value, place)
    raise malformed(f"{place} is {describe(value)}, not a tool call")


def known_members(value: Mapping[Any, Any], known: Iterable[str], place: str) -> None:
    """Refuse members that the contract does not know: a misspelt one would be lost without a word."""
    for name in value:
        if name not in known:
            raise malformed(f"{place} has an unknown member {_short(name)}; known are {', '.join(known)}")


def describe(value: object) -> str:
    """Name what an agent gave instead of what was asked: its type, and an excerpt of a text."""
    if value is None:
        return "None"
    if isinstance(value, str):
        return f"the text {quote(value, 60)}"
    return f"of type {type(value).__name__}"


def _reply(reply: object, calls: object, usage: object) -> AgentReply:
    if not (reply is None or isinstance(reply, str)):
        raise malformed(f"the reply is {describe(reply)}, not a text or None")
    if not isinstance(calls, list | tuple):
        raise malformed(f"the tool calls are {describe(calls)}, not a list")
    return AgentReply(
        reply=None if reply is None else str.__str__(reply),
        tool_calls=tuple(read_tool_call(call, f"tool_calls[{index}]") for index, call in enumerate(calls)),
        usage=None if usage is None else _usage(usage),
    )


def _tool_call(value: Mapping[str, Any], place: str) -> ToolCall:
    name, call_id, is_error = value.get("name"), value.get("id"), value.get("is_error", False)
    if not isinstance(name, str) or not name:
        raise malformed(f"{place} has no name")
    if not (call_id is None or isinstance(call_id, str)):
        raise malformed(f"{place}.id is {describe(call_id)}, not a text")
    if not isinstance(is_error, bool):
        raise malformed(f"{place}.is_error is {describe(is_error)}, not true or false")
    return ToolCall(
        name=str.__str__(name),
        arguments=json_data(value.get("arguments", value.get("args")), f"{place}.arguments"),
        id=None if call_id is None else str.__str__(call_id),
        result=json_data(value.get("result"), f"{place}.result"),
        is_error=is_error,
    )


def _usage(value: object) -> Usage:
    if isinstance(value, Usage):
        return value
    if not isinstance(value, Mapping):
        raise malformed(f"the usage is {describe(value)}, not an object")
    known_members(value, (*USAGE_COUNTS, "cost_usd"), "usage")
    counts = {name: _count(value[name], f"usage.{name}") for name in USAGE_COUNTS if name in value}
    return Usage(**counts, cost_usd=_money(value.get("cost_usd")))


def _count(value: Any, place: str) -> int:
    # JSON has one kind of number: 12.0 is a whole one, as JSON Schema has it.
    is_whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not is_whole or not 0 <= value < 2**63:
        raise malformed(f"{place} is no whole number from 0 on")
    return int(value)


def _money(value: object) -> Decimal | None:
    if value is None:
        return None
    try:
        money = Decimal(str(value)) if isinstance(value, int | float | str | Decimal) else Decimal("NaN")
    except (InvalidOperation, ValueError):
        money = Decimal("NaN")
    if isinstance(value, bool) or not money.is_finite() or money < 0 or money.adjusted() > 12:
        raise malformed("usage.cost_usd is no amount of money from 0 on")
    return money


def _number(value: float, place: str) -> int | float:
    if isinstance(value, int):
        if value.bit_length() > _MAX_BITS:
            raise malformed(f"{place} is a number of more than 4,000 digits")
        return int(value)
    if not math.isfinite(value):
        raise malformed(f"{place} is {value}, which is no JSON number")
    return float(value)


def _key(key: object, place: str) -> str:
    if not isinstance(key, str):
        raise malformed(f"{place} has a key {describe(key)}, where JSON has texts only")
    return str.__str__(key)


def _short(key: object) -> str:
    return quote(key, 40) if isinstance(key, str) else describe(key)
