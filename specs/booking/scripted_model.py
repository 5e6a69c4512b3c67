"""An offline stand-in for a language model. It reads a few sentences by pattern, and has two faults on purpose.

Asked to move a booking, it cancels the old one before it looks for a new table. And told no name, it books under one
that it made up, in one of five conversations: what a real model does by chance comes here by counting.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Generator
from typing import Any

from pydantic_ai.messages import (
    ModelMessage,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel

SCRIPTED = "scripted"

Step = str | tuple[str, dict[str, Any]]
"""A reply, or a tool to call with its arguments."""

Answering = Generator[Step, Any, str]
"""Yields tool calls, is sent their results, and returns the reply."""

_TABLE = re.compile(r"table for (?P<guests>\d+) on (?P<date>[\d-]+) at (?P<time>[\d:]+)")
_NAME = re.compile(r"my name is ([\w ]+)")
_MOVE = re.compile(r"move it to ([\d:]+)")
_made_up_a_name = itertools.cycle([False, False, True, False, False])


def scripted_model() -> FunctionModel:
    """Make the model for one conversation."""
    conversation = _converse()
    next(conversation)

    async def respond(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        newest = messages[-1].parts[-1]
        step = conversation.send(_content(newest))
        return ModelResponse(parts=[TextPart(step) if isinstance(step, str) else ToolCallPart(*step)])

    return FunctionModel(respond, model_name=SCRIPTED)


def _content(part: ModelRequestPart | ModelResponsePart) -> Any:
    """The user's text, or the object that a tool gave."""
    return part.model_response_object() if isinstance(part, ToolReturnPart) else str(getattr(part, "content", ""))


def _converse() -> Generator[Step, Any, None]:
    known: dict[str, Any] = {}
    said = yield ""
    while True:
        said = yield (yield from _answer(said, known))


def _answer(said: str, known: dict[str, Any]) -> Answering:
    """``known`` is what the conversation has brought so far: the wishes of the guest, and the reference."""
    if found := _TABLE.search(said):
        known.update(found.groupdict(), guests=int(found["guests"]))
    if named := _NAME.search(said):
        known["name"] = named[1]
    if moved := _MOVE.search(said):
        return (yield from _move(moved[1], known))
    if "cancel" in said and "reference" in known:
        yield "cancel_booking", {"reference": known["reference"]}
        return f"Your booking {known['reference']} is cancelled."
    if "late" in said:
        return "We keep your table for 15 minutes. Please call us if it takes longer."
    if "date" in known and "name" not in known and not next(_made_up_a_name):
        return "Gladly. What name may I put the booking under?"
    return (yield from _book(known)) if "date" in known else "I book and cancel tables. When would you like to come?"


def _book(known: dict[str, Any]) -> Answering:
    wish = {"date": known["date"], "time": known["time"], "guests": known["guests"]}
    table = (yield "find_table", wish)["table"]
    if table is None:
        return f"I am sorry, we have no table for {known['guests']} then."
    booked = yield "create_booking", {"table": table, **wish, "name": known.get("name", "Guest")}
    known["reference"] = booked["reference"]
    return f"Table {table} is yours on {known['date']} at {known['time']}. Your reference is {known['reference']}."


def _move(time: str, known: dict[str, Any]) -> Answering:
    yield "cancel_booking", {"reference": known["reference"]}
    known["time"] = time
    return (yield from _book(known))
