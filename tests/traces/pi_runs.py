"""Sessions and event streams of pi, made line by line, and what is read from them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from proctor.errors import SpecError
from proctor.traces.base import Notes
from proctor.traces.pi_lines import PiReading
from proctor.traces.pi_session import PiRun, read_run

HEADER: dict[str, Any] = {"type": "session", "version": 3, "id": "s-1", "timestamp": "2026-01-01T00:00:00.000Z"}
OLD_HEADER: dict[str, Any] = {"type": "session", "id": "s-1", "timestamp": "2025-11-01T00:00:00.000Z"}
FIRST = 1_767_225_600_000
USAGE = {"input": 10, "output": 4, "cacheRead": 3, "cacheWrite": 2, "totalTokens": 19}


def user(content: Any = "hello", **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": content, "timestamp": FIRST, **more}


def call(name: str = "look", ident: str = "c1", **arguments: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": ident, "name": name, "arguments": arguments}


def text(said: str = "yes") -> dict[str, Any]:
    return {"type": "text", "text": said}


def assistant(*content: Any, **more: Any) -> dict[str, Any]:
    blocks = list(content) or [text()]
    return {"role": "assistant", "content": blocks, "usage": USAGE, "stopReason": "stop", "timestamp": FIRST, **more}


def result(ident: str = "c1", **more: Any) -> dict[str, Any]:
    base = {"role": "toolResult", "toolCallId": ident, "toolName": "look", "content": [text("seen")], "isError": False}
    return {**base, "timestamp": FIRST, **more}


def entries(*messages: dict[str, Any]) -> list[dict[str, Any]]:
    """A session of format 3 with one branch: its header, and an entry for each message or entry."""
    lines = [HEADER]
    for number, value in enumerate(messages, 1):
        own = value if "type" in value else {"type": "message", "message": value}
        lines.append({"id": f"e{number}", "parentId": f"e{number - 1}" if number > 1 else None, **own})
    return lines


def events(*messages: dict[str, Any]) -> list[dict[str, Any]]:
    """The event stream of a run, with every message three times as pi has it."""
    lines: list[dict[str, Any]] = [{"type": "agent_start"}]
    for message in messages:
        lines += [{"type": "message_start", "message": message}, {"type": "message_end", "message": message}]
    return [*lines, {"type": "agent_end", "messages": list(messages)}]


def save(folder: Path, lines: list[Any] | bytes, name: str = "session.jsonl") -> Path:
    """Write lines as JSON, or bytes as they are."""
    path = folder / name
    path.write_bytes(lines if isinstance(lines, bytes) else "".join(json.dumps(line) + "\n" for line in lines).encode())
    return path


def read(path: Path, leaf: str | None = None, **how: bool) -> tuple[PiRun, list[str]]:
    """The run of a file, and its warnings as ``line N: message``."""
    reading = PiReading(Notes(path), **how)
    run = read_run(path, reading, leaf)
    return run, warnings(reading.notes)


def warnings(notes: Notes) -> list[str]:
    return [f"line {told.line}: {told.message}" if told.line else told.message for told in notes.told()]


def refused(path: Path, leaf: str | None = None, **how: bool) -> list[str]:
    """What is said of a file that cannot be read, as ``line N: message``."""
    reading = PiReading(Notes(path), **how)
    try:
        read_run(path, reading, leaf)
    except SpecError as error:
        return [f"line {told.line}: {told.message}" for told in error.problems]
    raise AssertionError("the file was read")


def shape(run: PiRun) -> list[str]:
    """Each turn as ``role:block,block``, with ``!`` for a failed result."""
    return [f"{turn['role']}:{','.join(_blocks(turn['content']))}{'!' * ('isError' in turn)}" for turn in run.turns]


def _blocks(content: Any) -> list[str]:
    if isinstance(content, str):
        return ["text"]
    return [f"toolCall({block['name']})" if block["type"] == "toolCall" else block["type"] for block in content]
