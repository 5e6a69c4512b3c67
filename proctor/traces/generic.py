"""Logs of any other shape: one JSON object a trace, its fields found by their usual names or by those a user gives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from proctor.traces import field_names as names
from proctor.traces.base import BadTrace, Notes, Record, TraceRow, read_each
from proctor.traces.content_blocks import as_text, read_calls, read_content
from proctor.traces.documents import embedded_json
from proctor.traces.field_names import FieldNames, View
from proctor.traces.measures import measures_of, name_of
from proctor.traces.messages import ASSISTANT, USER, last_exchange, read_messages, whole_conversation
from proctor.trajectory import ToolCall

MAX_UNUSED: Final = 100
"""How many names of unused fields are remembered."""

_OBSERVATIONS: Final = (
    *names.OUTPUT, *names.TOOL_CALLS, *names.COST, *names.LATENCY_MS, *names.LATENCY_S, *names.USAGE,
    *names.INPUT_TOKENS, *names.OUTPUT_TOKENS,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Generic:
    """Records with usual or given names of fields."""

    own: FieldNames = field(default_factory=FieldNames)
    name: str = "generic"
    title: str = "JSON records"

    @property
    def marks(self) -> str:
        """The names that stand for an answer."""
        answer = f"{self.own.output} (as given)" if self.own.output else ", ".join(names.OUTPUT[:6])
        return f"an object with an answer ({answer}, …), tool_calls, usage, a cost or a latency"

    def recognises(self, value: Any) -> bool:
        """Whether the record has anything to observe."""
        if not isinstance(value, dict):
            return False
        return bool(self.own) or View(value).has(_OBSERVATIONS)

    def traces(self, records: Iterable[Record], notes: Notes) -> Iterator[TraceRow]:
        """Read one trace a record."""
        notes.wanted |= self.own.given
        return read_each(records, notes, partial(self._read, notes))

    def _read(self, notes: Notes, record: Record) -> Iterator[TraceRow]:
        if not isinstance(record.value, dict):
            raise BadTrace("not_a_trace", f"is no trace: looked for {self.marks}")
        view = View(record.value)
        row = self._row(view, record.line)
        if all(value is None for value in (row.agent_output, row.tool_calls, row.usage, row.cost_usd, row.latency_ms)):
            missing = self.own.output if self.own.output not in record.value else None
            hint = f"there is no field {missing}" if missing else "name the field of the answer with --output-field"
            raise BadTrace("not_a_trace", f"shows nothing of an agent: looked for {self.marks}", hint)
        notes.wanted = {name for name in notes.wanted if view.take_named(name, ()) in (None, "")}
        for name in view.unused() if len(notes.unused) < MAX_UNUSED else ():
            notes.unused[name] = None
        yield row

    def _row(self, view: View, line: int) -> TraceRow:
        asked = read_messages(view.take_named(self.own.input, names.INPUT), USER)
        answered = read_messages(view.take_named(self.own.output, names.OUTPUT), ASSISTANT)
        talk = last_exchange((*asked, *answered)) if answered else whole_conversation(asked)
        given = embedded_json(view.take(names.TOOL_CALLS))
        told = last_exchange(answered).calls if answered else ()
        usage, cost, latency = measures_of(view)
        return TraceRow(
            line=line,
            trace_id=name_of(view.take(names.TRACE_ID)),
            case_id=name_of(view.take(names.CASE_ID)),
            input=talk.request if asked else None,
            agent_output=talk.answer,
            context=_context(view.take_named(self.own.context, names.CONTEXT)),
            tool_calls=_calls(given) if given not in (None, "") else told or None,
            usage=usage,
            cost_usd=cost,
            latency_ms=latency,
        )


def _calls(value: Any) -> tuple[ToolCall, ...]:
    if isinstance(value, list | dict):
        return read_calls(value)
    hint = 'write a JSON list such as [{"name": "find_table", "arguments": {}}]'
    raise BadTrace("bad_tool_calls", "the tool calls are neither a list nor an object in JSON", hint)


def _context(value: Any) -> str | None:
    """Retrieved texts, with blank lines between them."""
    value = embedded_json(value)
    if isinstance(value, list):
        return "\n\n".join(_passage(entry) for entry in value) or None
    return None if value in (None, "") else as_text(value)


def _passage(entry: Any) -> str:
    """The text of a retrieved document; LangChain calls it ``page_content``."""
    if not isinstance(entry, dict):
        return as_text(entry)
    for name in ("page_content", "text", "content"):
        text = read_content(entry.get(name)).text
        if text is not None:
            return text
    return as_text(entry)
