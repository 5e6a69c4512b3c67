"""The fifth stage: trials become cases, gates, slices, changes and one decision, and all of it is stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from math import ceil
from typing import Any, Final

from proctor.results import CaseScore, Changes, Counts, JudgeTotals, Outcome, Slice, Summary, TrialLine
from proctor.stages.case_scores import score_cases
from proctor.stages.decision import decide, within
from proctor.stages.progress import Stage
from proctor.stages.run import Run
from proctor.statistics.wilson import wilson
from proctor.trajectory import Usage

ALL_CASES: Final = "all cases"
"""The name of the slice that holds every case."""


def aggregate(run: Run) -> Summary:
    """Aggregate a run whose trials are all stored and scored, and store the summary.

    Cases, gates and summary are on disk when this returns; the run is finished when its reports are written too.
    """
    plan, store = run.plan, run.store
    lines = list(store.lines(run.id))
    trials = Counts.of(line.outcome for line in lines)
    allowed = within(trials, plan.allowance)
    scores = list(score_cases(plan, lines, allowed=allowed))
    decision, reason, gates = decide(scores, plan.gates, trials, plan.allowance, upstream=plan.upstream)
    totals = store.judge_totals(run.id)
    summary = Summary(
        run_id=run.id,
        slug=plan.slug,
        name=plan.name,
        spec=plan.path.name,
        purpose="self-test" if totals.self_test else plan.purpose,
        decision=decision,
        reason=reason,
        cases=Counts.of(score.outcome for score in scores),
        trials=trials,
        gates=gates,
        slices=tuple(_slices(scores)),
        agents=tuple(agent.name for agent in plan.agents),
        partial=plan.selection,
        self_test=bool(totals.self_test),
        started_at=run.started_at,
        duration_s=_seconds_since(run.started_at),
        changes=_changes(run, scores),
        warnings=tuple(str(problem) for problem in plan.warnings),
        provenance={**store.find_run(run.id).provenance, "engine": run.engine},
        **_measures(lines, totals),
    )
    store.save_cases(run.id, scores)
    store.save_gates(run.id, gates)
    store.save_summary(run.id, summary)
    run.progress.advance(Stage.AGGREGATE, len(scores))
    return summary


def _measures(lines: Sequence[TrialLine], totals: JudgeTotals) -> dict[str, Any]:
    """Tokens, money, latency and cache shares."""
    latencies = sorted(line.latency_ms for line in lines)
    cached = [line.cached for line in lines if line.cached]
    return {
        "usage": sum((line.usage for line in lines), Usage()),
        "judge_usage": totals.usage,
        "latency_p50_ms": _quantile(latencies, 0.5),
        "latency_p95_ms": _quantile(latencies, 0.95),
        "cached_trials": len(cached),
        "cached_verdicts": totals.cached,
        "cached_since": min((origin.created_at for origin in cached), default=None),
    }


def _quantile(ordered: Sequence[float], share: float) -> float | None:
    """The nearest-rank quantile; None for nothing."""
    return ordered[max(0, ceil(share * len(ordered)) - 1)] if ordered else None


def _slices(scores: Sequence[CaseScore]) -> Iterator[Slice]:
    """All cases of each agent, then each tag of each agent."""
    for agent in dict.fromkeys(score.agent for score in scores):
        own = [score for score in scores if score.agent == agent]
        yield _slice(ALL_CASES, agent, own)
        for tag in dict.fromkeys(tag for score in own for tag in score.tags):
            yield _slice(tag, agent, [score for score in own if tag in score.tags])


def _slice(name: str, agent: str, scores: Sequence[CaseScore]) -> Slice:
    cases = Counts.of(score.outcome for score in scores)
    low, high = wilson(cases.passed, cases.decided)
    return Slice(name, agent, cases, sum((score.counts for score in scores), Counts()), low, high)


def _changes(run: Run, scores: Sequence[CaseScore]) -> Changes | None:
    """What differs from the last accepted run of this spec; None without one."""
    baseline = run.store.accepted(run.plan.slug, before=run.id)
    if baseline is None:
        return None
    before = {_name(score): score.outcome for score in run.store.case_scores(baseline.id)}
    now = {_name(score): score.outcome for score in scores}
    common = sorted(before.keys() & now.keys())
    failing = (Outcome.FAILED, Outcome.REFUSED)
    return Changes(
        baseline=baseline.id,
        newly_failing=tuple(name for name in common if before[name] is Outcome.PASSED and now[name] in failing),
        newly_passing=tuple(name for name in common if before[name] in failing and now[name] is Outcome.PASSED),
        added=tuple(sorted(now.keys() - before.keys())),
        gone=tuple(sorted(before.keys() - now.keys())) if run.plan.selection is None else (),
    )


def _name(score: CaseScore) -> str:
    return f"{score.agent}/{score.case}"


def _seconds_since(started_at: str) -> float:
    return (datetime.now(UTC) - datetime.fromisoformat(started_at)).total_seconds()
