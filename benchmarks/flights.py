"""Recorded transcripts: two adapters, five runs of each probe, scored by rule and compared without an agent."""

from __future__ import annotations

import json
import random
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from measure import measure

_PROBES = 1_000
_RUNS = 5
_ADAPTERS = ("keyword", "vector")
_READS = 6


def rows(folder: Path, times: int) -> Iterator[str]:
    """The rows of the table: the fixed start, all transcripts checked, and all of them run with all reports."""
    root = folder / "flights"
    make_transcripts(root)
    command = [sys.executable, "-m", "proctor"]
    run = [*command, "run", "--engine", "inline"]
    number = f"{_PROBES * _RUNS * len(_ADAPTERS):,} BrainBench transcripts"

    def forget() -> None:
        shutil.rmtree(root / ".proctor", ignore_errors=True)

    yield measure([*run, "few.suite.yaml"], root, times, before=forget).row("1 BrainBench transcript, inline")
    yield measure([*command, "validate", "all.suite.yaml"], root, times).row(f"`proctor validate` of {number}")
    yield measure([*run, "all.suite.yaml"], root, times, before=forget).row(f"{number}, inline, all reports")


def make_transcripts(root: Path) -> None:
    """Write a project into ``root``: a bundle for each run of each adapter, and suites over all and over one."""
    (root / "runs").mkdir(parents=True)
    probes = [{"id": f"q-{number:04d}", "text": "Is it free?", "tier": "complex"} for number in range(_PROBES)]
    (root / "probes.json").write_text(json.dumps({"probes": probes}))
    for adapter in _ADAPTERS:
        for run in range(_RUNS):
            chance = random.Random(f"{adapter}-{run}")
            found = [transcript(probe["id"], adapter, chance) for probe in probes]
            (root / "runs" / f"{adapter}-{run}.json").write_text(json.dumps(found))
    (root / "one.json").write_text(json.dumps(transcript("q-0000", "vector", random.Random(0))))
    (root / "one-probe.json").write_text(json.dumps({"probes": probes[:1]}))
    (root / "all.suite.yaml").write_text("specs: [runs]\nbrainbench: {probes: probes.json}\n")
    (root / "few.suite.yaml").write_text("specs: [one.json]\nbrainbench: {probes: one-probe.json}\n")
    (root / "pyproject.toml").write_text("[tool.proctor]\n")


def transcript(probe: str, adapter: str, chance: random.Random) -> dict[str, Any]:
    """One run of some twenty turns. The rules hold for all but a few of the runs."""
    turns: list[dict[str, Any]] = []
    reads = 0 if chance.random() < 0.02 else _READS
    for _ in range(reads):
        slug = f"tables/t-{chance.randrange(10_000):04d}"
        content = json.dumps(
            {"slug": slug, "content": f"The table {slug} is free at {chance.randrange(24)} o'clock. " * 4}
        )
        used = {"model_id": "model-1", "input_tokens": 600, "output_tokens": 40, "stop_reason": "tool_use"}
        shown = {"tool_name": "get_page", "content": content, "truncated": False, "matched_poison_fixture_ids": []}
        turns += [
            {"kind": "model_call", "model_call": used},
            {"kind": "tool_call", "tool_call": {"tool_name": "get_page", "tool_input": {"slug": slug}}},
            {"kind": "tool_result", "tool_result": shown},
        ]
    last = {"model_id": "model-1", "input_tokens": 900, "output_tokens": 60, "stop_reason": "end_turn"}
    turns += [
        {"kind": "model_call", "model_call": last},
        {"kind": "final_answer", "final_answer": {"text": "It is free.", "evidence_refs": []}},
    ]
    return {
        "schema_version": 1,
        "probe_id": probe,
        "adapter": {"name": "table-agent", "stack_id": adapter},
        "started_at": "2031-03-03T09:15:00.000Z",
        "ended_at": "2031-03-03T09:15:04.000Z",
        "turns": [{"turn_index": index, **turn} for index, turn in enumerate(turns)],
        "total_input_tokens": 600 * reads + 900,
        "total_output_tokens": 40 * reads + 60,
        "elapsed_ms": 4_000,
    }
