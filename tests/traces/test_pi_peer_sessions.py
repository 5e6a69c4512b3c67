"""Sessions that pi wrote come out as was agreed on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from machine import find_peer_files
from pi_runs import read, shape

from proctor.traces.pi_fixture import proposed_assertions
from proctor.traces.pi_messages import is_pi_file
from proctor.traces.pi_prompt import prompt_hash

pytestmark = pytest.mark.requires("peer-files")

FOLDER = (find_peer_files() or Path()) / "pi"
EXPECTED = FOLDER / "expected_import.json"
WANTED: dict[str, Any] = json.loads(EXPECTED.read_text(encoding="utf-8")) if EXPECTED.is_file() else {}


def found(name: str) -> dict[str, Any]:
    """What the import of a file gives, in the words of the file with the expectations."""
    run, warnings = read(FOLDER / name)
    roles = [turn["role"] for turn in run.turns]
    ledgers = [turn["tokenLedger"] for turn in run.turns if turn["role"] == "assistant"]
    return {
        "kind": run.kind,
        "turns": len(run.turns),
        **{role: roles.count(role) for role in ("user", "assistant", "toolResult")},
        "error_results": sum(turn.get("isError") is True for turn in run.turns),
        "tool_calls": [each["name"] for each in proposed_assertions(run) if each["kind"] == "tool_called"],
        "token_ledger": {name: sum(ledger[name] for ledger in ledgers) for name in ledgers[0]},
        "system_prompt_sha256": None if run.prompt is None else prompt_hash(run.prompt),
        "warnings": warnings,
        "shape": shape(run),
    }


@pytest.mark.parametrize("name", WANTED)
def test_every_file_gives_what_is_expected(name: str) -> None:
    assert found(name) == WANTED[name]


@pytest.mark.parametrize("name", WANTED)
def test_every_file_is_known_by_its_content(name: str) -> None:
    assert is_pi_file(FOLDER / name)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("made_v3_pi-1.6.0.jsonl", "made_events_pi-1.6.0.jsonl"),
        ("real_v1_compaction_2025-12.jsonl", "real_v3_migrated.jsonl"),
    ],
)
def test_two_files_of_one_run_give_the_same_turns(one: str, other: str) -> None:
    first, second = read(FOLDER / one)[0], read(FOLDER / other)[0]
    assert (first.turns, first.prompt, first.recorded_at) == (second.turns, second.prompt, second.recorded_at)
