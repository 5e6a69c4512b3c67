"""Vectors of quality gates over given outcomes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proctor.config import load_project
from proctor.errors import SpecError
from proctor.plan import Gate
from proctor.results import CaseScore, Counts, Decision, GateScore, GateStatus, Outcome
from proctor.stages.decision import decide
from proctor.stages.merge import gate_of
from tests.conformance.project_files import write_settings
from tests.conformance.verdict import Difference, Vector, compare


def is_gate_vector(vector: Vector) -> bool:
    """Groups and outcomes."""
    return "groups" in vector and "outcomes" in vector


def run_gate_vector(vector: Vector, folder: Path) -> list[Difference]:
    """Read the groups from a pyproject.toml and decide over the outcomes, as the original does (compat: upstream)."""
    expected = vector["expected"]
    write_settings(folder, {"groups": vector["groups"]}, upstream=True)
    try:
        project = load_project(folder)
    except SpecError as error:
        return _error_differences(expected, error)
    gates = [gate_of(name, block) for name, block in project.agent_eval.groups.items()]
    return compare("valid", expected["valid"], True) + _decision_differences(vector, gates)


def _error_differences(expected: Mapping[str, Any], error: SpecError) -> list[Difference]:
    pointers = [problem.pointer for problem in error.problems]
    differences = compare("valid", expected["valid"], False)
    if not any(f".{expected.get('error_mentions')}" in pointer for pointer in pointers):
        differences.append(Difference("error", expected.get("error_mentions"), pointers))
    return differences


def _decision_differences(vector: Vector, gates: list[Gate]) -> list[Difference]:
    expected = vector["expected"]
    scores = [_score(outcome) for outcome in vector["outcomes"]]
    trials = Counts.of(score.outcome for score in scores)
    decision, _, scored = decide(scores, gates, trials, upstream=True)
    found = {gate.name: gate for gate in scored}
    differences = []
    for wanted in expected["groups"]:
        differences += compare(f"groups.{wanted['name']}", wanted, _in_the_originals_words(found[wanted["name"]]))
    if vector.get("collect_error"):  # the original tells it from exit code 1 by its override only; here it is 2
        return differences + compare("exit_overridden", expected["exit_overridden"], False)
    overridden = decision is Decision.PASSED and any(score.outcome is Outcome.FAILED for score in scores)
    differences += compare("exit_code", expected["exit_code"], decision.exit_code)
    return differences + compare("exit_overridden", expected["exit_overridden"], overridden)


def _score(outcome: Mapping[str, Any]) -> CaseScore:
    found = Outcome(outcome["outcome"])
    return CaseScore(
        agent="agent",
        case=outcome["identity"],
        outcome=found,
        counts=Counts.of([found]),
        runs=1,
        threshold=1.0,
        needed=1,
        reason="",
        tags=tuple(outcome["tags"]),
        markers=tuple(outcome["markers"]),
    )


def _in_the_originals_words(gate: GateScore) -> dict[str, Any]:
    status = "passed" if gate.status is GateStatus.MET else "failed"
    if not gate.members:
        status = "no_match"
    elif not gate.ran:
        status = "skipped"
    return {
        "name": gate.name,
        "threshold": gate.threshold,
        "status": status,
        "total": gate.ran,
        "passed_count": gate.passed,
        "skipped_count": gate.skipped,
        "pass_rate": gate.passed / gate.ran if gate.ran else 0.0,
        "failing": list(gate.failing),
        "must_pass_failed": list(gate.pinned_failed),
        "must_pass_missing": list(gate.pinned_missing),
    }
