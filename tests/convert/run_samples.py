"""Runs as a store gives them, made of what agents did."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from proctor.dimension_scores import RowLine
from proctor.results import (
    CaseDetail,
    CaseScore,
    CheckResult,
    Counts,
    Decision,
    Outcome,
    RunResults,
    Summary,
    TrialRef,
    TrialScore,
)
from proctor.trajectory import Ending, ToolCall, Trajectory, TurnRecord, Usage

PROVENANCE: dict[str, Any] = {
    "spec_digest": "ab" * 32,
    "agents": {"shop": "0123456789abcdef" * 4},
    "judge": {"model": "openai:gpt-4o"},
}


def done(reply: str = "Tea is 3 dollars.", *calls: ToolCall, user: str = "tea?") -> Trajectory:
    """One question with its answer."""
    turn = TurnRecord(user, reply, calls, latency_ms=1200.0, usage=Usage(7, 2))
    return Trajectory(Ending.COMPLETED, (turn,), usage=Usage(7, 2), latency_ms=1200.0)


def case(
    name: str,
    *trajectories: Trajectory,
    agent: str = "shop",
    outcome: Outcome = Outcome.PASSED,
    checks: tuple[CheckResult, ...] = (),
) -> CaseDetail:
    """A case whose trials all ended alike."""
    runs = len(trajectories)
    score = CaseScore(agent, name, outcome, Counts(), runs, 1.0, runs, "", usage=Usage(7 * runs, 2 * runs))
    refs = [TrialRef(agent, name, number) for number in range(runs)]
    trials = [TrialScore(ref, outcome, found, checks) for ref, found in zip(refs, trajectories, strict=True)]
    return CaseDetail(score, tuple(trials))


def run(*cases: CaseDetail, rows: int = 0, **more: Any) -> RunResults:
    """A run that took 90 seconds."""
    known: dict[str, Any] = {
        "decision": Decision.PASSED,
        "agents": tuple(dict.fromkeys(detail.score.agent for detail in cases)),
        "started_at": "2031-05-06T19:00:00.250Z",
        "duration_s": 90.4,
        "provenance": PROVENANCE,
    }
    head = {"run_id": "r1", "slug": "s", "name": "s", "spec": "s", "purpose": "release", "reason": ""}
    summary = Summary(**{**head, "cases": Counts(), "trials": Counts(), **known, **more})
    line = RowLine("x", "pii", "x", "rows.jsonl", 1, Outcome.PASSED)

    def stream() -> Iterator[CaseDetail]:
        yield from cases

    return RunResults(summary, stream, lambda: iter([line] * rows))
