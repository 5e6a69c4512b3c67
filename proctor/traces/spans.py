"""OpenTelemetry spans out of the shapes in which exporters write them.

Read are OTLP's JSON (``resourceSpans``, also under ``batches``, with scopes or instrumentation libraries), objects with
``spans``, and flat spans as the console exporters of the SDKs and Phoenix write them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Any, Final

from proctor.traces.base import BadTrace
from proctor.traces.span_attributes import Attributes, event_attributes, find, find_text, span_attributes, whole_number

_OUTER: Final = ("resourceSpans", "resource_spans", "batches", "scopeSpans", "scope_spans",
                 "instrumentationLibrarySpans", "instrumentation_library_spans", "spans")  # fmt: skip
_WRAPPERS: Final = ("data", "trace", "traces")
_OTHER_SIGNALS: Final = ("resourceLogs", "resource_logs", "resourceMetrics", "resource_metrics")
_TRACE_ID: Final = ("traceId", "trace_id", "context.trace_id")
_SPAN_ID: Final = ("spanId", "span_id", "context.span_id")
_PARENT_ID: Final = ("parentSpanId", "parent_span_id", "parent_id", "parentId")
_START: Final = ("startTimeUnixNano", "start_time_unix_nano", "startTime", "start_time")
_END: Final = ("endTimeUnixNano", "end_time_unix_nano", "endTime", "end_time")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class Kind(Enum):
    """What a span is for an evaluation."""

    MODEL = "model"
    TOOL = "tool"
    AGENT = "agent"
    RETRIEVER = "retriever"
    OTHER = "other"


_KINDS: Final[Mapping[str, Kind]] = {
    "chat": Kind.MODEL,
    "text_completion": Kind.MODEL,
    "generate_content": Kind.MODEL,
    "completion": Kind.MODEL,
    "llm": Kind.MODEL,
    "execute_tool": Kind.TOOL,
    "tool": Kind.TOOL,
    "invoke_agent": Kind.AGENT,
    "invoke_workflow": Kind.AGENT,
    "agent": Kind.AGENT,
    "chain": Kind.AGENT,
    "workflow": Kind.AGENT,
    "task": Kind.AGENT,
    "retriever": Kind.RETRIEVER,
    "retrieval": Kind.RETRIEVER,
}
"""By gen_ai.operation.name, openinference.span.kind, traceloop.span.kind or llm.request.type, in lower case."""


@dataclass(frozen=True, slots=True)
class Span:
    """What an evaluation needs of a span. Times are nanoseconds since 1970; ``parent`` is None for a root."""

    trace_id: str
    id: str | None
    parent: str | None
    name: str
    start: int | None
    end: int | None
    attributes: Attributes
    line: int
    events: tuple[tuple[str, Attributes], ...] = ()
    kind: Kind = field(default=Kind.OTHER)


def is_otel(value: Any) -> bool:
    """Whether a JSON value holds spans, or another signal of OpenTelemetry."""
    if not isinstance(value, dict):
        return False
    if any(isinstance(value.get(name), list) for name in (*_OUTER, *_OTHER_SIGNALS)) or _is_span(value):
        return True
    return any(isinstance(value.get(name), dict) and is_otel(value[name]) for name in _WRAPPERS)


def has_other_signal(value: Any) -> bool:
    """Whether a value holds logs or metrics of OpenTelemetry."""
    return isinstance(value, dict) and any(name in value for name in _OTHER_SIGNALS)


def spans_in(value: Any, line: int) -> Iterator[Span]:
    """All spans of a JSON value. Raises BadTrace for a span that belongs to no trace."""
    if isinstance(value, list):
        for entry in value:
            yield from spans_in(entry, line)
    elif isinstance(value, dict):
        inner = [value[name] for name in _OUTER if isinstance(value.get(name), list)]
        inner += [value[name] for name in _WRAPPERS if isinstance(value.get(name), dict | list)]
        if _is_span(value) or not (inner or has_other_signal(value)):
            yield _read_span(value, line)
        for entries in inner:
            yield from spans_in(entries, line)


def _is_span(value: Mapping[str, Any]) -> bool:
    """Spans have an id beside the trace's; a record with a trace id alone can be anything."""
    return find_text(value, *_TRACE_ID) is not None and find_text(value, *_SPAN_ID) is not None


def _read_span(value: Mapping[str, Any], line: int) -> Span:
    trace_id = _identifier(find(value, *_TRACE_ID))
    if trace_id is None:
        hint = "a span has a traceId and a spanId"
        raise BadTrace("bad_span", "is no OpenTelemetry span: it has no trace id", hint)
    attributes = span_attributes(_attributes(value))
    name = value.get("name")
    events = value.get("events")
    return Span(
        trace_id=trace_id,
        id=_identifier(find(value, *_SPAN_ID)),
        parent=_identifier(find(value, *_PARENT_ID)),
        name=name if isinstance(name, str) else "",
        start=_nanoseconds(find(value, *_START)),
        end=_nanoseconds(find(value, *_END)),
        attributes=attributes,
        line=line,
        events=tuple(_events(events if isinstance(events, list) else [])),
        kind=_kind(attributes),
    )


def _attributes(span: Mapping[str, Any]) -> Any:
    """The attributes; in Phoenix' tables each one is a column ``attributes.NAME``."""
    if "attributes" in span:
        return span["attributes"]
    prefix = "attributes."
    return {key.removeprefix(prefix): value for key, value in span.items() if key.startswith(prefix)}


def _events(entries: list[Any]) -> Iterator[tuple[str, Attributes]]:
    for entry in entries:
        if isinstance(entry, dict) and isinstance(name := entry.get("name"), str) and name.startswith("gen_ai"):
            yield name, event_attributes(entry.get("attributes"))


def _kind(attributes: Attributes) -> Kind:
    names = ("openinference.span.kind", "gen_ai.operation.name", "traceloop.span.kind", "llm.request.type")
    for name in names:
        said = find_text(attributes, name)
        if said is not None:
            return _KINDS.get(said.lower(), Kind.OTHER)
    method = find_text(attributes, "mcp.method.name")
    if method is not None:
        return Kind.TOOL if method == "tools/call" else Kind.OTHER
    if find_text(attributes, "gen_ai.tool.name") is not None:
        return Kind.TOOL
    if find_text(attributes, "gen_ai.agent.name", "agent_name") is not None:
        return Kind.AGENT
    if find_text(attributes, "gen_ai.request.model", "gen_ai.response.model", "llm.model_name") is not None:
        return Kind.MODEL
    return Kind.OTHER


def _identifier(value: Any) -> str | None:
    """An id without ``0x``; None for what is empty or all zeros, as in the parent of a root."""
    text = value.strip().removeprefix("0x") if isinstance(value, str) else ""
    return text if text.strip("0") else None


def _nanoseconds(value: Any) -> int | None:
    """A time as nanoseconds since 1970: OTLP's number, ISO 8601, or JavaScript's ``[seconds, nanoseconds]``."""
    value = whole_number(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value if value > 10**17 else None  # an earlier one would be before 1973: another unit
    if isinstance(value, list) and len(value) == 2 and all(isinstance(part, int) for part in value):
        return int(value[0]) * 10**9 + int(value[1])
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (moment - _EPOCH) // timedelta(microseconds=1) * 1000
