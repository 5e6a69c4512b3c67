"""A scorecard of the real Assevra in the form of a conformance vector, so that a run of ours can be held against it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def expected_of(card: Any) -> dict[str, Any]:
    """What a scorecard says, at full precision."""
    return {
        "outcome": "scorecard",
        "decision": card.decision,
        "required_dimensions": list(card.required_dimensions),
        "missing_dimensions": list(card.missing_dimensions),
        "dimensions": {dimension.name: _dimension(dimension) for dimension in card.dimensions},
        "reliability": {record.dimension: _reliability(record) for record in card.reliability},
        "controls": [{"id": control["id"], "passed": control["passed"]} for control in card.controls],
        "findings": _findings(card.findings),
    }


def _dimension(dimension: Any) -> dict[str, Any]:
    figures = dimension.to_dict()
    low, high = dimension.ci
    return {
        "mode": dimension.mode,
        "skipped": dimension.skipped,
        "n": dimension.n,
        "attempted": figures["attempted"],
        "errors": figures["evaluation_errors"],
        "passes": dimension.passes,
        "rate": dimension.score,
        "ci_low": low,
        "ci_high": high,
        "threshold": dimension.threshold,
        "passed": None if dimension.skipped or not dimension.n or figures["evaluation_errors"] else dimension.passed,
        "row_status": {row.row_id: row.status for row in dimension.rows},
    }


def _reliability(record: Any) -> dict[str, Any]:
    return {
        "cases": record.n_cases,
        "repeated_cases": record.n_repeated,
        "trials": record.total_trials,
        "consistency": record.consistency,
        "flaky_cases": list(record.flaky_cases),
        "k": record.k,
        "pass_hat_k": record.passk,
        "pass_hat_k_cases": record.passk_cases,
    }


def _findings(findings: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    return [[finding["id"], finding.get("status", ""), finding["severity"]] for finding in findings]
