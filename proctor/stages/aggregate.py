"""The fifth stage: trials become cases, gates, slices, changes and one decision, and all of it is stored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from math import ceil
from typing import Any, Final

from proctor.dataset import RECORDED
from proctor.errors import UsageError
from proctor.formats.brainbench import TRANSCRIPTS
from proctor.plan import RECORDING, SELF_TEST, Gate, Plan
from proctor.results import WARNING_ONLY, CaseScore, Changes, Counts, JudgeTotals, Outcome, Slice, Summary, TrialLine
from proctor.stages.case_scores import score_cases
from proctor.stages.decision import decide, within
from proctor.stages.history import find_baseline
from proctor.stages.progress import Stage
from proctor.stages.recorded.aggregate import CountedRows, count_rows, evaluate_rows
from proctor.stages.recorded.matching import Matched
from proctor.stages.run import Run
from proctor.stages.selection import gates_of_rows, without_gates
from proctor.stages.transcripts.evaluated import Evaluated
from proctor.statistics.wilson import wilson
from proctor.store import RunRecord
from proctor.trajectory import Usage

_MOST_WARNINGS: Final = 5

ALL_CASES: Final = "all cases"
"""The name of the slice that holds every case."""


def aggregate(run: Run) -> Summary:
    """Aggregate a run whose trials are all stored and scored, and store the summary.

    Cases, gates and summary are on disk when this returns; the run is finished when its reports are written too.
    """
    plan, store = run.plan, run.store
    lines, counted = _lines(run)
    trials = Counts.of(line.outcome for line in lines) + counted.tally.rows
    allowed = within(trials, plan.allowance)
    scores = list(score_cases(plan, lines, allowed=allowed))
    rows = evaluate_rows(run, counted, allowed=allowed)
    transcripts = _transcripts(run, lines, allowed=allowed)
    held, partial = _gates(run, counted)
    decision, reason, gates = decide(
        scores,
        held,
        trials,
        plan.allowance,
        upstream=plan.upstream,
        rows=counted.members,
        row_gates=rows.gates,
        metric_gates=transcripts.gates,
        covered=transcripts.covered,
    )
    totals = store.judge_totals(run.id)
    is_self_test = totals.self_test > 0 or _names_self_test(plan)
    summary = Summary(
        run_id=run.id,
        slug=plan.slug,
        name=plan.name,
        spec=plan.path.name,
        purpose="self-test" if is_self_test else plan.purpose,
        decision=decision,
        reason=reason,
        cases=Counts.of(score.outcome for score in scores) + counted.tally.rows,
        trials=trials,
        gates=gates,
        slices=(*_slices(scores), *rows.slices),
        agents=tuple(agent.name for agent in plan.agents),
        partial=partial,
        self_test=is_self_test,
        started_at=run.started_at,
        duration_s=_seconds_since(run.started_at),
        changes=_changes(run, scores, rows.matched),
        dimensions=rows.dimensions,
        regression=rows.regression,
        calibration=rows.calibration,
        transcripts=transcripts.findings,
        warnings=(*map(str, plan.warnings), *rows.warnings, *_no_baseline(run), *_check_warnings(run)),
        provenance={**run.provenance, "engine": run.engine},
        **_measures(lines, totals),
    )
    store.save_cases(run.id, [*scores, *counted.cases])
    store.save_gates(run.id, gates)
    store.save_summary(run.id, summary)
    run.progress.advance(Stage.AGGREGATE, summary.cases.total)
    return summary


def _transcripts(run: Run, lines: Sequence[TrialLine], *, allowed: bool) -> Evaluated:
    """What is said of transcripts; nothing of theirs is loaded where there are none."""
    has_some = any(source.format == TRANSCRIPTS for source in run.plan.sources)
    if not has_some and not run.plan.brainbench.files:
        return Evaluated()
    from proctor.stages.transcripts.evaluation import evaluate_transcripts

    return evaluate_transcripts(run, lines, allowed=allowed)


def _names_self_test(plan: Plan) -> bool:
    """Whether recorded rows would be judged by a rule: then the run is a self-test, as it is in Assevra."""
    return plan.dataset is not None and SELF_TEST in (plan.judge.model, *plan.judge.panel)


def _lines(run: Run) -> tuple[list[TrialLine], CountedRows]:
    """The trials that agents played, and the recorded rows, counted."""
    played: list[TrialLine] = []
    recorded: dict[str, TrialLine] = {}
    for line in run.store.lines(run.id):
        if line.ref.agent == RECORDED:
            recorded[line.ref.case] = line
        else:
            played.append(line)
    return played, count_rows(run, recorded)


def _gates(run: Run, counted: CountedRows) -> tuple[tuple[Gate, ...], str | None]:
    """The gates that the run is held to, and its selection in words: which rows a gate means is known only now."""
    plan = run.plan
    if plan.selection is None or not plan.rows:
        return plan.gates, plan.selection
    outlines = [outline for source in plan.sources for outline in source.cases]
    held, left_out = gates_of_rows(plan.gates, [*outlines, *counted.members])
    return held, without_gates(plan.selection, left_out)


def _measures(lines: Sequence[TrialLine], totals: JudgeTotals) -> dict[str, Any]:
    """Tokens, money, latency and cache shares. What is recorded took no time that is known."""
    latencies = sorted(line.latency_ms for line in lines if line.ref.agent != RECORDING)
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


def _changes(run: Run, scores: Sequence[CaseScore], rows: Matched) -> Changes | None:
    """What differs from the last accepted run of this spec; None without one."""
    baseline = _baseline(run)
    if baseline is None:
        return None
    earlier = (score for score in run.store.case_scores(baseline.id) if score.agent != RECORDED)
    before = {_name(score): score.outcome for score in earlier}
    now = {_name(score): score.outcome for score in scores}
    common = sorted(before.keys() & now.keys())
    failing = (Outcome.FAILED, Outcome.REFUSED)
    return Changes(
        baseline=baseline.id,
        newly_failing=(
            *(name for name in common if before[name] is Outcome.PASSED and now[name] in failing),
            *_row_names(rows.lost),
        ),
        newly_passing=(
            *(name for name in common if before[name] in failing and now[name] is Outcome.PASSED),
            *_row_names(rows.won),
        ),
        added=(*sorted(now.keys() - before.keys()), *_row_names(rows.added)),
        gone=(*sorted(before.keys() - now.keys()), *_row_names(rows.gone)) if run.plan.selection is None else (),
    )


def _baseline(run: Run) -> RunRecord | None:
    """The run to compare with: the one that was asked for, if it is there, or the one that was accepted last."""
    try:
        return find_baseline(run.store, run.plan, run.id)
    except UsageError:
        return None


def _check_warnings(run: Run) -> Iterator[str]:
    """What checks found that were told not to let it count, the first of them by name."""
    found = run.store.check_warnings(run.id)
    for ref, name, reason in found[:_MOST_WARNINGS]:
        yield f"{ref.case}: {name}: {reason.removeprefix(WARNING_ONLY)}"
    if len(found) > _MOST_WARNINGS:
        yield f"and {len(found) - _MOST_WARNINGS:,} more such warnings, which stand with their cases"


def _no_baseline(run: Run) -> Iterator[str]:
    """A warning that the run was compared with nothing, although a baseline was asked for."""
    try:
        find_baseline(run.store, run.plan, run.id)
    except UsageError as error:
        yield f"compared with nothing: {error.message}"


def _row_names(keys: Iterable[str]) -> Iterator[str]:
    return (f"{RECORDED}/{key}" for key in keys)


def _name(score: CaseScore) -> str:
    return f"{score.agent}/{score.case}"


def _seconds_since(started_at: str) -> float:
    return (datetime.now(UTC) - datetime.fromisoformat(started_at)).total_seconds()
