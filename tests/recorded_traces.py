"""Trace fixtures of pi, spelled shortly."""

from __future__ import annotations

import json
from typing import Any


def user(said: str) -> dict[str, Any]:
    return {"role": "user", "content": said}


def assistant(*content: dict[str, Any], ledger: tuple[int, int, int, int] = (10, 0, 2, 5)) -> dict[str, Any]:
    """A message of the assistant. ``ledger`` is input, cache_read, cache_creation, output."""
    names = ("input", "cache_read", "cache_creation", "output")
    return {"role": "assistant", "content": list(content), "tokenLedger": dict(zip(names, ledger, strict=True))}


def text(said: str) -> dict[str, Any]:
    return {"type": "text", "text": said}


def call(call_id: str, name: str, **arguments: Any) -> dict[str, Any]:
    return {"type": "toolCall", "id": call_id, "name": name, "arguments": arguments}


def result(call_id: str, said: str, **more: Any) -> dict[str, Any]:
    return {"role": "toolResult", "toolUseId": call_id, "content": [text(said)], **more}


def asks(tool: str, **more: Any) -> dict[str, Any]:
    """An assertion that a tool was called."""
    return {"kind": "tool_called", "name": tool, **more}


def argument(tool: str, path: str, pattern: str) -> dict[str, Any]:
    """An assertion on an argument of a call."""
    return {"kind": "tool_call_arg_matches", "name": tool, "arg_path": path, "matches_regex": pattern}


def fixture(name: str, turns: list[dict[str, Any]], *assertions: dict[str, Any], **meta: Any) -> str:
    """The file of a fixture."""
    head = {
        "type": "meta",
        "fixtureId": name,
        "piAgentCoreVersion": "0.73.1",
        "recordedAt": "2026-05-04T10:20:30Z",
        "scenario": "Books a table.",
        "systemPromptHash": "ab" * 32,
    }
    records = [{"type": "turn", "turnIndex": index, **turn} for index, turn in enumerate(turns)]
    lines = [head | meta, *records, {"type": "assertions", "assertions": list(assertions)}]
    return "".join(f"{json.dumps(line)}\n" for line in lines)


def booking(name: str, *assertions: dict[str, Any], people: int = 4, **meta: Any) -> str:
    """A table is looked for, found and confirmed. Without assertions of its own, one that holds."""
    turns = [
        user("A table, please."),
        assistant(text("One moment."), call("c1", "find_table", people=people, order={"id": "o-77"})),
        result("c1", "Table 7"),
        assistant(text("Table 7 is yours.")),
    ]
    return fixture(name, turns, *(assertions or (asks("find_table"),)), **meta)
