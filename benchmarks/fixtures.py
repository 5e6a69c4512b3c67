"""Recorded traces: a folder of pi fixtures, read and judged without an agent."""

from __future__ import annotations

import json
import random
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from measure import measure

_FIXTURES = 10_000
_EXCHANGES = 5
_ASSERTIONS = [
    {"kind": "tool_called", "name": "find_table", "min_count": 1, "max_count": 9, "order": 0},
    {"kind": "no_tool_called", "name": "cancel_table"},
    {"kind": "message_contains_substring", "role": "assistant", "substring": "is free"},
    {
        "kind": "tool_call_arg_matches",
        "name": "find_table",
        "arg_path": "order.id",
        "matches_regex": r"^order-(\d{5})$",
    },
    {"kind": "tool_call_arg_matches", "name": "find_table", "arg_path": "people", "matches_regex": r"^[1-9]\d*$"},
    {"kind": "trace_max_turns", "max": 30},
]


def rows(folder: Path, times: int) -> Iterator[str]:
    """The rows of the table: the fixed start, the folder checked, and the folder run with all reports."""
    root = folder / "fixtures"
    make_fixtures(root)
    command = [sys.executable, "-m", "proctor"]
    run = [*command, "run", "--engine", "inline"]

    def forget() -> None:
        shutil.rmtree(root / ".proctor", ignore_errors=True)

    yield measure([*run, "few"], root, times, before=forget).row("1 fixture, inline, all reports")
    yield measure([*command, "validate", "traces"], root, times).row(f"`proctor validate` of {_FIXTURES:,} fixtures")
    yield measure([*run, "traces"], root, times, before=forget).row(f"{_FIXTURES:,} fixtures, inline, all reports")


def make_fixtures(root: Path) -> None:
    """Write a project into ``root`` with the folders ``traces`` and ``few``."""
    for name, number in (("traces", _FIXTURES), ("few", 1)):
        (root / name).mkdir(parents=True)
        for seed in range(number):
            lines = "".join(f"{json.dumps(record)}\n" for record in records(seed))
            (root / name / f"trace-{seed:05d}.jsonl").write_text(lines)
    (root / "pyproject.toml").write_text("[tool.proctor]\n")


def records(seed: int) -> Iterator[dict[str, Any]]:
    """The records of one fixture. All of its assertions hold."""
    chance = random.Random(seed)
    yield {
        "type": "meta",
        "fixtureId": f"trace-{seed}",
        "piAgentCoreVersion": "0.73.1",
        "recordedAt": "2026-05-04T10:20:30Z",
        "scenario": "A table is booked.",
        "systemPromptHash": f"{chance.getrandbits(256):064x}",
    }
    turns = (turn for _ in range(_EXCHANGES) for turn in exchange(chance))
    yield from ({"type": "turn", "turnIndex": index, **turn} for index, turn in enumerate(turns))
    yield {"type": "assertions", "assertions": _ASSERTIONS}


def exchange(chance: random.Random) -> Iterator[dict[str, Any]]:
    """Four turns: a question, a call, its result, and an answer."""
    call_id = f"toolu_{chance.getrandbits(64):016x}"
    order = {"id": f"order-{chance.randrange(10**5):05d}", "tags": ["window", "quiet"]}
    arguments = {"city": "Bern", "people": chance.randrange(1, 9), "order": order}
    yield {"role": "user", "content": f"Is there a table for {arguments['people']} at the harbour?"}
    yield assistant(
        chance,
        {"type": "thinking", "thinking": "The user wants a table. " * 5, "thinkingSignature": "x" * 100},
        {"type": "text", "text": "I will look that up."},
        {"type": "toolCall", "id": call_id, "name": "find_table", "arguments": arguments},
    )
    found = [{"type": "text", "text": "Table 7 is free at eight o'clock. " * 4}]
    yield {"role": "toolResult", "toolUseId": call_id, "content": found}
    yield assistant(chance, {"type": "text", "text": "Table 7 is free at eight o'clock. Shall I book it?"})


def assistant(chance: random.Random, *content: dict[str, Any]) -> dict[str, Any]:
    """A turn of the assistant with its tokens."""
    names = ("input", "cache_read", "cache_creation", "output")
    return {
        "role": "assistant",
        "content": list(content),
        "tokenLedger": {name: chance.randrange(9_000) for name in names},
    }
