"""Vectors of the evidence contract: what a judge learns of a run, and what must not reach it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from proctor.brainbench.eras import Era
from proctor.brainbench.facts import facts_of
from proctor.brainbench.findings.evidence import evidence_findings
from proctor.brainbench.judging.contract import breaches
from proctor.brainbench.judging.evidence import Evidence, build_evidence
from proctor.brainbench.judging.leaks import leaks
from proctor.brainbench.planted.catalogue import Catalogue, PlantedItem
from proctor.brainbench.planted.exposure import planted_gold
from proctor.brainbench.probes import WORKFLOWS, Page, Probe
from proctor.checks.brainbench.rubric import rubric_request
from proctor.formats.brainbench.companion_schemas import EVIDENCE_CONTRACT, companion_errors
from proctor.judges.prompts import build_prompt
from proctor.plan import CriterionSpec, JudgeRequest
from tests.conformance.json_patch import patched
from tests.conformance.verdict import Difference, Vector, compare

_OURS_TOO = "/rubric/0/weight"
"""The breach of the contract that ours has too; ids of other families and citations in capitals are fine with us."""


def is_evidence_vector(vector: Vector) -> bool:
    """A run with what its answer is held against."""
    return vector.get("suite") == "evidence"


def run_evidence_vector(vector: Vector, _folder: Path) -> list[Difference]:
    """Build the evidence by the rules of both eras, the later with our improvements, and render what a judge reads."""
    return [difference for era in Era for difference in _differences(vector, era)]


def _differences(vector: Vector, era: Era) -> Iterator[Difference]:
    probe, pages, planted = _given(vector)
    transcript = vector["transcript"]
    evidence = build_evidence(probe, facts_of(transcript, era), pages, planted, era)
    wanted, seen = _wanted(vector, era), evidence.to_json()
    yield from compare(f"{era}.evidence", wanted, seen)
    counts = evidence.tool_call_summary.count_by_tool
    yield from compare(f"{era}.order of first use", list(wanted["tool_call_summary"]["count_by_tool"]), list(counts))
    yield from _contract_differences(vector, seen, era)
    request = rubric_request(evidence, era)
    yield from _judge_differences(vector, evidence, request, era)
    yield from compare(f"{era}.leaks", (), leaks((each.text for each in request.evidence), transcript, evidence))
    if "warning" in vector.get("improve", {}):
        improved = vector["improve"]
        codes = [found.code for found in evidence_findings(transcript, probe, planted)]
        yield from compare(f"{era}.warnings", [improved["warning"]], codes)
        yield from compare(f"{era}.fixture_ids", improved["fixture_ids"], list(planted_gold(probe, planted)))


def _given(vector: Vector) -> tuple[Probe, Mapping[str, Page], Catalogue]:
    scenario = vector["scenario"]
    probe = Probe(
        scenario["id"],
        scenario["text"],
        WORKFLOWS,
        workflow=scenario["workflow"],
        gold_slugs=tuple(scenario["ground_truth_slugs"]),
        rubric=tuple(CriterionSpec(each["id"], each["criterion"], each["weight"]) for each in scenario["rubric"]),
    )
    pages = {page["slug"]: Page(**page) for page in vector["pages"]}
    return probe, pages, Catalogue(PlantedItem(**item) for item in vector["poison_fixtures"])


def _wanted(vector: Vector, era: Era) -> Any:
    wanted = vector["expect"]["evidence"]
    if era is Era.SEED:
        return wanted
    later = patched(wanted, vector.get("post_audit", {}).get("evidence_patch", []))
    return patched(later, vector.get("improve", {}).get("evidence_patch", []))


def _contract_differences(vector: Vector, seen: Mapping[str, Any], era: Era) -> Iterator[Difference]:
    """The benchmark's contract, which an improved object keeps; and ours, which every object does that is scored."""
    wanted = vector["expect"]["contract"]
    is_improved = era is Era.POST_AUDIT and "evidence_patch" in vector.get("improve", {})
    errors = [error.to_json() for error in companion_errors(EVIDENCE_CONTRACT, seen, era)]
    yield from compare(f"{era}.contract.valid", is_improved or wanted["valid"], not errors)
    yield from compare(f"{era}.contract.errors", [] if is_improved else wanted["errors"], errors)
    own = [error["pointer"] for error in wanted["errors"] if error["pointer"] == _OURS_TOO]
    yield from compare(f"{era}.own contract", own, [breach.pointer for breach in breaches(seen, era)])


def _judge_differences(vector: Vector, evidence: Evidence, request: JudgeRequest, era: Era) -> Iterator[Difference]:
    """What is kept out of the object and of the prompt, and that an answer cannot leave its section."""
    prompt = build_prompt(request)
    kept_out = list(vector["expect"]["must_not_contain"])
    if era is Era.POST_AUDIT:
        kept_out += vector.get("improve", {}).get("must_not_contain", [])
    shown = (prompt.text, prompt.instructions, json.dumps(evidence.to_json(), ensure_ascii=False))
    found = [text for text in kept_out if any(text in place for place in shown)]
    yield from compare(f"{era}.must_not_contain", [], found)
    answers = [
        number
        for number, line in enumerate(prompt.text.split("\n"))
        if prompt.marker in line and line.endswith(": Answer]")
    ]
    yield from compare(f"{era}.answer sections", 1, len(answers))
    sections = 1 + len(request.criteria) + len(request.evidence)
    for edge in (f"[{prompt.marker} begin ", f"[{prompt.marker} end]"):
        yield from compare(f"{era}.{edge}", sections, prompt.text.count(edge))
    between = prompt.text.partition(": Answer]\n")[2].partition(f"\n[{prompt.marker} end]")[0]
    yield from compare(f"{era}.answer", evidence.final_answer_text, between)
