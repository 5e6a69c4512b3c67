"""Transcripts whose answers are graded by a rubric, for the tests of reviews.

Each of the two criteria has five words, and the self-test judge gives a point for each of them that an answer has.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from user_project import UserProject

LAMP = ["Says", "lamp", "stayed", "lit", "throughout"]
RAIL = ["Mentions", "gallery", "rail", "broke", "outside"]
SUITE = """specs: ["runs/*.json"]
purpose: self-test
judge: self-test
brainbench:
  probes: scenarios.json
  gold: pages.json
  thresholds: none
"""
SECRET = "only the tool said this, and nobody else may read it"


def answer(lamp: int, rail: int, more: str = "") -> str:
    """An answer to which the judge gives these points."""
    return " ".join([*LAMP[:lamp], *RAIL[:rail], "Ada.", more]).strip()


def transcript(case: str, text: str, stack: str = "vector") -> dict[str, Any]:
    """A run of the agent ``archivist`` that read a page and answered."""
    model = {"model_id": "m-1", "input_tokens": 100, "output_tokens": 10, "stop_reason": "tool_use"}
    payloads: list[tuple[str, dict[str, Any]]] = [
        ("model_call", model),
        ("tool_call", {"tool_name": "get_page", "tool_input": {"slug": "logs/storm"}}),
        ("tool_result", {"tool_name": "get_page", "content": SECRET, "truncated": False,
                         "matched_poison_fixture_ids": []}),
        ("model_call", model | {"stop_reason": "end_turn"}),
        ("final_answer", {"text": text, "evidence_refs": []}),
    ]  # fmt: skip
    return {
        "schema_version": 1,
        "probe_id": case,
        "adapter": {"name": "archivist", "stack_id": stack},
        "started_at": "2026-03-02T09:00:00.000Z",
        "ended_at": "2026-03-02T09:00:01.000Z",
        "turns": [{"turn_index": at, "kind": kind, kind: payload} for at, (kind, payload) in enumerate(payloads)],
        "elapsed_ms": 1000,
        "total_input_tokens": 200,
        "total_output_tokens": 20,
    }


def scenario(case: str, **more: Any) -> dict[str, Any]:
    """A probe whose rubric weighs the lamp twice."""
    return {
        "id": case,
        "workflow": "briefing",
        "text": f"Brief the keeper on the storm ({case}).",
        "ground_truth_slugs": ["logs/storm"],
        "rubric": [
            {"id": "lamp", "criterion": " ".join(LAMP), "weight": 2},
            {"id": "rail", "criterion": " ".join(RAIL), "weight": 1},
        ],
    } | more


def write(project: UserProject, answers: Mapping[str, str], stack: str = "vector", name: str = "first") -> None:
    """Write a suite, its companion files, and a file with one transcript for each case, in place of an earlier one."""
    project.write("evals/shop.suite.yaml", SUITE)
    page = {"slug": "logs/storm", "title": "Log of the storm", "content": "The rail broke and the lamp stayed lit."}
    project.write("evals/pages.json", json.dumps({"pages": [page]}))
    project.write("evals/scenarios.json", json.dumps({"scenarios": [scenario(case) for case in answers]}))
    runs = [transcript(case, text, stack) for case, text in answers.items()]
    project.write(f"evals/runs/{name}.json", json.dumps(runs))
