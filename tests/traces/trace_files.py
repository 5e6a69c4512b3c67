"""Files of traces in a temporary folder, and what is read from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from proctor.errors import SpecError
from proctor.traces.base import Notes, TraceRow
from proctor.traces.detection import open_traces
from proctor.traces.field_names import NO_NAMES, FieldNames

SECOND = 10**9
START = 1_925_596_800 * SECOND
TRACE = "5b8efff798038103d269b633813fc60c"


def write(folder: Path, content: Any, name: str = "traces.jsonl") -> Path:
    """Write a text or bytes as they are, several values as JSON Lines, or one value as a JSON document."""
    path = folder / name
    if isinstance(content, bytes | str):
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    elif name.endswith(".jsonl"):
        path.write_text("".join(json.dumps(value) + "\n" for value in content), encoding="utf-8")
    else:
        path.write_text(json.dumps(content, indent=1), encoding="utf-8")
    return path


def read(path: Path, kind: str | None = None, own: FieldNames = NO_NAMES) -> tuple[list[TraceRow], Notes, str]:
    """The traces of a file, what was noted, and its kind."""
    notes = Notes(path)
    found, records = open_traces(path, notes, kind, own)
    return list(found.traces(records, notes)), notes, found.name


def only(path: Path, kind: str, own: FieldNames = NO_NAMES) -> TraceRow:
    """The only trace of a file whose content shows this kind; nothing else is noted."""
    (trace,), notes, found = read(path, own=own)
    assert found == kind
    assert notes.told() == ()
    return trace


def problems(path: Path, kind: str | None = None) -> list[str]:
    """What is wrong with a file, in the words of the messages."""
    try:
        _, notes, _ = read(path, kind)
    except SpecError as error:
        return [str(problem).replace(f"{path.parent}/", "") for problem in error.problems]
    return [str(problem).replace(f"{path.parent}/", "") for problem in notes.told()]


def calls(trace: TraceRow) -> list[tuple[str, Any]]:
    """Name and arguments of each call."""
    assert trace.tool_calls is not None
    return [(call.name, call.arguments) for call in trace.tool_calls]


def span(
    name: str,
    number: int,
    parent: int | None = None,
    start: float = 0,
    end: float = 1,
    trace: str = TRACE,
    events: list[dict[str, Any]] | None = None,
    **attributes: Any,
) -> dict[str, Any]:
    """A span in OTLP's JSON; ``__`` in the names of attributes stands for a dot, times are seconds."""
    return {
        "traceId": trace,
        "spanId": f"{number:016x}",
        "parentSpanId": "" if parent is None else f"{parent:016x}",
        "name": name,
        "startTimeUnixNano": str(START + int(start * SECOND)),
        "endTimeUnixNano": str(START + int(end * SECOND)),
        "attributes": [{"key": key.replace("__", "."), "value": typed(value)} for key, value in attributes.items()],
        "events": events or [],
    }


def typed(value: Any) -> dict[str, Any]:
    """A value with its type, as OTLP has it."""
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, str):
        return {"stringValue": value}
    if isinstance(value, list):
        return {"arrayValue": {"values": [typed(entry) for entry in value]}}
    return {"kvlistValue": {"values": [{"key": key, "value": typed(entry)} for key, entry in value.items()]}}


def otlp(*spans: dict[str, Any]) -> dict[str, Any]:
    """An export of these spans."""
    return {"resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [{"scope": {}, "spans": list(spans)}]}]}


def text(role: str, said: str) -> dict[str, Any]:
    """A message of OpenTelemetry with one part."""
    return {"role": role, "parts": [{"type": "text", "content": said}]}


def call(name: str, call_id: str | None = None, **arguments: Any) -> dict[str, Any]:
    """A message of OpenTelemetry that calls a tool."""
    part: dict[str, Any] = {"type": "tool_call", "name": name, "arguments": arguments}
    return {"role": "assistant", "parts": [part if call_id is None else {**part, "id": call_id}]}


def chat(number: int, parent: int | None, *said: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A model's span that said this."""
    attributes = {"gen_ai__operation__name": "chat", "gen_ai__output__messages": json.dumps(said), **more}
    return span("chat gpt-4o-mini", number, parent, **attributes)


def tool(name: str, number: int, parent: int | None, **more: Any) -> dict[str, Any]:
    """A tool's span."""
    return span(
        f"execute_tool {name}", number, parent, gen_ai__operation__name="execute_tool", gen_ai__tool__name=name, **more
    )


def agent(number: int, parent: int | None = None, **more: Any) -> dict[str, Any]:
    """An agent's span."""
    return span("invoke_agent booking", number, parent, gen_ai__operation__name="invoke_agent", **more)
