"""Transcripts that are put together turn by turn, with the numbering and the pairs that the recorder gives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from proctor.brainbench.probes import Page, Probe
from proctor.plan import CriterionSpec

ORLA = Page("people/orla-venn", "Orla Venn", "Surveyor at the Lumen Ferry Trust since 2024.")
PAGES = {ORLA.slug: ORLA}
PROBE = Probe(
    "s-briefing-1",
    "Who signed the hull survey?",
    9,
    workflow="briefing",
    gold_slugs=(ORLA.slug,),
    rubric=(CriterionSpec("names_surveyor", "Names the surveyor"), CriterionSpec("cites_page", "Cites a page", 2)),
)


class Call(NamedTuple):
    """A call of a tool with its result."""

    tool: str
    arguments: Mapping[str, Any] = {}
    content: Any = "[]"
    planted: Sequence[str] = ()


def transcript(
    *calls: Call, answer: str | None = "Orla Venn signed it.", refs: Sequence[str] = (), **members: Any
) -> dict[str, Any]:
    """A run of the calls, one model turn each, and an answer; ``None`` for a run that was cut off without one."""
    payloads: list[tuple[str, dict[str, Any]]] = []
    for call in calls:
        payloads += [
            ("model_call", _model("tool_use")),
            ("tool_call", {"tool_name": call.tool, "tool_input": dict(call.arguments)}),
            ("tool_result", _result(call)),
        ]
    if answer is not None:
        payloads += [
            ("model_call", _model("end_turn")),
            ("final_answer", {"text": answer, "evidence_refs": list(refs)}),
        ]
    turns = [{"turn_index": place, "kind": kind, kind: payload} for place, (kind, payload) in enumerate(payloads)]
    return {
        "schema_version": 1,
        "probe_id": PROBE.id,
        "adapter": {"name": "ferry-agent", "stack_id": "lanternfish-0.3"},
        "started_at": "2026-02-11T09:00:00.000Z",
        "ended_at": "2026-02-11T09:00:04.250Z",
        "turns": turns,
        **members,
    }


def _model(stop_reason: str) -> dict[str, Any]:
    return {"model_id": "pilot-medium-1", "input_tokens": 812, "output_tokens": 44, "stop_reason": stop_reason}


def _result(call: Call) -> dict[str, Any]:
    return {
        "tool_name": call.tool,
        "content": call.content,
        "truncated": False,
        "matched_poison_fixture_ids": list(call.planted),
    }
