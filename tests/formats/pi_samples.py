"""Records of a small fixture that is right, and files made of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from proctor.errors import Problem
from proctor.formats.pi.fixture import Fixture
from proctor.formats.pi.reading import read_fixture

META: dict[str, Any] = {
    "type": "meta",
    "fixtureId": "table-for-four",
    "piAgentCoreVersion": "0.73.1",
    "recordedAt": "2026-05-04T10:20:30Z",
    "scenario": "Books a table.",
    "systemPromptHash": "ab" * 32,
}
LEDGER = {"input": 10, "cache_read": 0, "cache_creation": 2, "output": 5}
USER: dict[str, Any] = {"type": "turn", "turnIndex": 0, "role": "user", "content": "A table for four, please."}
CALL: dict[str, Any] = {"type": "toolCall", "id": "call-1", "name": "find_table", "arguments": {"people": 4}}
ASSISTANT: dict[str, Any] = {
    "type": "turn",
    "turnIndex": 1,
    "role": "assistant",
    "content": [{"type": "thinking", "thinking": "Four."}, {"type": "text", "text": "One moment."}, CALL],
    "tokenLedger": LEDGER,
}
RESULT: dict[str, Any] = {
    "type": "turn",
    "turnIndex": 2,
    "role": "toolResult",
    "toolUseId": "call-1",
    "content": [{"type": "text", "text": "Table 7"}],
}
ANSWER: dict[str, Any] = {
    "type": "turn",
    "turnIndex": 3,
    "role": "assistant",
    "content": [{"type": "text", "text": "Table 7"}, {"type": "text", "text": "is yours."}],
    "tokenLedger": LEDGER,
}
ASSERTIONS: dict[str, Any] = {"type": "assertions", "assertions": [{"kind": "tool_called", "name": "find_table"}]}
RECORDS = (META, USER, ASSISTANT, RESULT, ANSWER, ASSERTIONS)


def asserting(*entries: object) -> dict[str, Any]:
    return {"type": "assertions", "assertions": list(entries)}


def without(record: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in names}


def file_of(*lines: object) -> bytes:
    """A file with these records; texts are lines as they are."""
    spelled = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    return "".join(f"{line}\n" for line in spelled).encode("utf-8", "surrogatepass")


def read(*lines: object) -> tuple[Fixture | None, tuple[Problem, ...]]:
    return read_fixture(Path("trace.jsonl"), file_of(*lines))


def right(*lines: object) -> Fixture:
    fixture, problems = read(*lines)
    assert fixture is not None, problems
    assert problems == ()
    return fixture


def told(*lines: object) -> list[str]:
    """The problems of a file as a terminal shows them."""
    fixture, problems = read(*lines)
    assert fixture is None
    return [str(problem).removeprefix("trace.jsonl:") for problem in problems]
