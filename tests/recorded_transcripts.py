"""Transcripts of BrainBench for tests, made of a few words each."""

from __future__ import annotations

from typing import Any

from proctor.brainbench.facts import facts_of
from proctor.brainbench.findings.invariants import Finding, findings
from proctor.brainbench.planted.catalogue import Catalogue

Turn = dict[str, Any]


def model(stop_reason: str = "tool_use", tokens: tuple[int, int] = (10, 5)) -> Turn:
    payload = {"model_id": "pilot-1", "input_tokens": tokens[0], "output_tokens": tokens[1], "stop_reason": stop_reason}
    return {"kind": "model_call", "model_call": payload}


def call(tool: str = "search", **arguments: Any) -> Turn:
    return {"kind": "tool_call", "tool_call": {"tool_name": tool, "tool_input": arguments}}


def result(content: Any = "[]", tool: str = "search", *, truncated: bool = False, tags: tuple[str, ...] = ()) -> Turn:
    payload = {
        "tool_name": tool,
        "content": content,
        "truncated": truncated,
        "matched_poison_fixture_ids": list(tags),
    }
    return {"kind": "tool_result", "tool_result": payload}


def answer(text: str = "Done.", *refs: str) -> Turn:
    return {"kind": "final_answer", "final_answer": {"text": text, "evidence_refs": list(refs)}}


def transcript(*turns: Turn, **members: Any) -> dict[str, Any]:
    """A transcript whose turns are numbered and whose totals fit, unless ``members`` say otherwise."""
    tokens = [turn["model_call"] for turn in turns if "model_call" in turn and turn["kind"] == "model_call"]
    return {
        "schema_version": 1,
        "probe_id": "q-0001",
        "adapter": {"name": "ferry-agent", "stack_id": "lanternfish-0.3"},
        "started_at": "2026-02-11T09:00:00.000Z",
        "ended_at": "2026-02-11T09:00:04.250Z",
        "turns": [{"turn_index": index, **turn} for index, turn in enumerate(turns)],
        "total_input_tokens": sum(found.get("input_tokens", 0) for found in tokens),
        "total_output_tokens": sum(found.get("output_tokens", 0) for found in tokens),
        "elapsed_ms": 4250,
        **members,
    }


def usual(content: Any = "[]", text: str = "Done.", *refs: str) -> dict[str, Any]:
    """A run that reads once and answers."""
    return transcript(model(), call(), result(content), model("end_turn"), answer(text, *refs))


def findings_in(found: dict[str, Any], catalogue: Catalogue | None = None) -> tuple[Finding, ...]:
    return findings(found, facts_of(found), catalogue)
