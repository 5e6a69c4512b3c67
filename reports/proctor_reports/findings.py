"""What a reader has to look at in recorded rows: rows that did not pass, and dimensions that nothing is known of."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Any, Final, NamedTuple

from proctor.dataset import RECORDED
from proctor.results import CaseDetail, CaseScore, CheckResult, Outcome, Summary

BLOCKING: Final = frozenset({"injection", "pii", "safety"})
"""Dimensions in which a single failed row can harm somebody."""

MISSING: Final = "missing"
"""The outcome of a dimension without a decided row."""

_NOTHING_TO_SEE: Final = frozenset({Outcome.PASSED, Outcome.SKIPPED})


class Weight(StrEnum):
    """How much a finding weighs. ``BLOCKER``: harm is possible, or nothing is known."""

    BLOCKER = "blocker"
    HIGH = "high"


class Finding(NamedTuple):
    """One thing to look at: a check of a row, or a dimension as a whole, whose ``row`` and ``check`` are None.

    The check that bears the name of the row's dimension is the dimension itself. ``line`` counts from 1 in ``file``.
    """

    id: str
    dimension: str
    check: str | None
    row: str | None
    outcome: str
    severity: Weight
    reason: str
    file: str | None = None
    line: int | None = None

    def to_json(self) -> dict[str, Any]:
        """All members."""
        return self._asdict()


def data_sets(summary: Summary) -> dict[str, str]:
    """Give the SHA-256 of each file with recorded rows, by its name."""
    found = summary.provenance.get("datasets")
    return {name: str(digest) for name, digest in found.items()} if isinstance(found, dict) else {}


def required_dimensions(summary: Summary) -> list[str]:
    """Give the dimensions that the run asked for: those that were named, else those that have rows."""
    named = summary.provenance.get("required_dimensions")
    if isinstance(named, list) and named:
        return [*map(str, named)]
    return [score.name for score in summary.dimensions if score.rows.total]


def missing_dimensions(summary: Summary) -> list[str]:
    """Give the dimensions that the run asked for and that have no decided row."""
    decided = {score.name for score in summary.dimensions if score.rows.decided}
    return [name for name in required_dimensions(summary) if name not in decided]


def coverage_findings(summary: Summary) -> Iterator[Finding]:
    """Give a finding for each missing dimension."""
    reasons = {score.name: score.reason for score in summary.dimensions}
    for name in missing_dimensions(summary):
        reason = reasons.get(name, "no row of the data set belongs to this dimension, and it is required")
        yield Finding(f"coverage:{name}", name, None, None, MISSING, Weight.BLOCKER, reason)


def row_findings(detail: CaseDetail) -> Iterator[Finding]:
    """Give a finding for each check that a recorded row did not pass; the first check of a row is its dimension.

    Skipped rows give none: their dimension is missing as a whole.
    """
    score = detail.score
    if score.agent != RECORDED or score.outcome in _NOTHING_TO_SEE:
        return
    for trial in detail.trials:
        for check in trial.checks:
            if check.outcome not in _NOTHING_TO_SEE:
                yield _row_finding(score, trial.checks[0].name, check)


def _row_finding(score: CaseScore, dimension: str, check: CheckResult) -> Finding:
    undecided = check.outcome in {Outcome.ERRORED, Outcome.UNSCORED}
    return Finding(
        id=f"{check.name}:{score.case}",
        dimension=dimension,
        check=check.name,
        row=score.case,
        outcome=check.outcome,
        severity=Weight.BLOCKER if undecided or dimension in BLOCKING else Weight.HIGH,
        reason=check.reason,
        file=score.source,
        line=score.line,
    )
