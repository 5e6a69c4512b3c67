"""Logs of a model's interface: pairs of request and response, or the messages of a conversation.

A record with a response is one exchange: the last request of a user, with the calls and results that followed it. A
record of messages alone is one conversation: everything in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from proctor.traces import field_names as names
from proctor.traces.base import BadTrace, Notes, Record, TraceRow, read_each
from proctor.traces.field_names import View
from proctor.traces.measures import measures_of, name_of
from proctor.traces.messages import (
    ASSISTANT,
    USER,
    Message,
    Talk,
    is_message_list,
    last_exchange,
    read_messages,
    whole_conversation,
)


@dataclass(frozen=True, slots=True)
class Sides:
    """The two sides of a record; either may be missing. ``body`` is the response's own object."""

    request: tuple[Message, ...]
    response: tuple[Message, ...]
    body: Mapping[str, Any] | None = None
    choices: int = 1


@dataclass(frozen=True, slots=True)
class ChatLog:
    """Logs of one vendor's interface; ``is_mark`` says whether a request, response or message could be only theirs."""

    name: str
    title: str
    marks: str
    is_mark: Callable[[Mapping[str, Any]], bool]

    def recognises(self, value: Any) -> bool:
        """Whether the record, one of its sides, or one of its messages has a mark."""
        entries = value if isinstance(value, list) else [value]
        return any(isinstance(entry, dict) and any(map(self.is_mark, _insides(entry))) for entry in entries)

    def traces(self, records: Iterable[Record], notes: Notes) -> Iterator[TraceRow]:
        """Read one trace a record."""
        return read_each(records, notes, partial(self._read, notes))

    def _read(self, notes: Notes, record: Record) -> Iterator[TraceRow]:
        value = {"messages": record.value} if is_message_list(record.value) else record.value
        sides = read_sides(value) if isinstance(value, dict) else None
        has_answer = sides is not None and bool(sides.response or sides.body)
        if isinstance(value, dict) and value.get("error") and not has_answer:
            notes.leave_out("call", "that failed")
        elif sides is None:
            raise BadTrace("not_a_trace", f"is no entry of a log of {self.title}: looked for {self.marks}")
        else:
            if sides.choices > 1:
                notes.warn("more_choices", f"of {sides.choices} choices the first is taken", record.line)
            yield _trace(value, sides, record)


def read_sides(record: Mapping[str, Any]) -> Sides | None:
    """The messages of a record on both sides; None where there is neither."""
    body = _body(record, ("response", "output"), _is_response)
    response, choices = (_bare_answer(record), 1) if body is None else _response_messages(body)
    asked = _body(record, ("request", "body", "input", "kwargs"), _is_request)
    request: list[Message] = []
    if asked is not None:
        has_messages = is_message_list(asked.get("messages"))
        request = read_messages(asked["messages" if has_messages else "input"], USER)
    if not request and not response and body is None:
        return None
    return Sides(tuple(request), tuple(response), body, choices)


def _bare_answer(record: Mapping[str, Any]) -> list[Message]:
    """The answer of a logger that keeps no more of the response than that."""
    for name in ("response", "output", "completion", "answer"):
        value = record.get(name)
        if isinstance(value, str) or is_message_list(value) or (isinstance(value, dict) and "content" in value):
            return read_messages(value, ASSISTANT)
    return []


def _insides(entry: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A record, its sides, and the messages and parts of all of them."""
    sides = [entry, *(entry.get(name) for name in ("request", "response", "body", "input", "output"))]
    for side in sides:
        if isinstance(side, dict):
            inner = side.get("body")
            yield from (each for each in (side, inner) if isinstance(each, dict))
            for name in ("messages", "content", "output"):
                yield from _parts(side.get(name))


def _parts(values: Any) -> Iterator[Mapping[str, Any]]:
    for value in values if isinstance(values, list) else ():
        if isinstance(value, dict):
            yield value
            content = value.get("content")
            yield from (part for part in (content if isinstance(content, list) else ()) if isinstance(part, dict))


def _body(
    record: Mapping[str, Any], places: tuple[str, ...], fits: Callable[[Mapping[str, Any]], bool]
) -> Mapping[str, Any] | None:
    """The object of one side: under one of these names, in the ``body`` of that, or the record itself."""
    for name in places:
        side = record.get(name)
        for candidate in (side, side.get("body")) if isinstance(side, dict) else ():
            if isinstance(candidate, dict) and fits(candidate):
                return candidate
    return record if fits(record) else None


def _is_response(side: Mapping[str, Any]) -> bool:
    if isinstance(side.get("choices"), list) and side["choices"]:
        return True
    if side.get("role") == ASSISTANT and "content" in side:
        return True
    return side.get("object") == "response" and isinstance(side.get("output"), list)


def _is_request(side: Mapping[str, Any]) -> bool:
    if is_message_list(side.get("messages")):
        return True
    return isinstance(side.get("input"), str) or is_message_list(side.get("input"))


def _response_messages(body: Mapping[str, Any]) -> tuple[list[Message], int]:
    choices = body.get("choices")
    if isinstance(choices, list) and choices:
        first = choices[0] if isinstance(choices[0], dict) else {}
        said = first.get("message", first.get("text"))
        return read_messages(said, ASSISTANT), len(choices)
    if isinstance(body.get("output"), list):
        return read_messages(body["output"], ASSISTANT) if is_message_list(body["output"]) else [], 1
    return read_messages(dict(body, role=ASSISTANT), ASSISTANT), 1


def _trace(record: Mapping[str, Any], sides: Sides, place: Record) -> TraceRow:
    talk = _talk(sides)
    view = View(record)
    usage = (sides.body or {}).get("usage")
    usage, cost, latency = measures_of(view, usage if isinstance(usage, dict) else None)
    return TraceRow(
        line=place.line,
        trace_id=name_of(view.take(names.TRACE_ID)) or name_of((sides.body or {}).get("id")),
        case_id=name_of(view.take(names.CASE_ID)),
        input=talk.request,
        agent_output=talk.answer,
        context="\n\n".join(talk.results) or None,
        tool_calls=talk.calls,
        usage=usage,
        cost_usd=cost,
        latency_ms=latency,
    )


def _talk(sides: Sides) -> Talk:
    if sides.response or sides.body is not None:
        return last_exchange((*sides.request, *sides.response))
    return whole_conversation(sides.request)
