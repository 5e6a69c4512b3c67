"""Values for the tests of the store: fixed ones, and hypothesis strategies for any text and any JSON."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import strategies as st

from proctor.results import (
    CaseScore,
    Changes,
    CheckKind,
    CheckResult,
    Counts,
    Decision,
    GateScore,
    GateStatus,
    Outcome,
    Slice,
    Summary,
    TrialRef,
    Verdict,
)
from proctor.store import RunRecord, RunStatus, Store, new_run_id, timestamp
from proctor.trajectory import Ending, Failure, ToolCall, Trajectory, TurnRecord, Usage

# Any code point, NUL, the escape character of the store, and lone surrogates among them.
any_text = st.text(st.one_of(st.characters(codec=None), st.sampled_from("\x00\x10\ud800\udfff'\"%\\")), max_size=12)
some_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=6,
)
_number = st.integers(0, 10**6)
_tuples = st.lists(any_text, max_size=3).map(tuple)
_floats = st.floats(allow_nan=False)

usages = st.builds(
    Usage,
    st.integers(0, 10**30),
    _number,
    _number,
    _number,
    _number,
    st.none() | st.decimals(allow_nan=False, allow_infinity=False, places=6),
)
calls = st.builds(ToolCall, any_text, some_json, st.none() | any_text, some_json, st.booleans())
_ms = st.integers(0, 10**9).map(lambda number: number / 1000)
turns = st.builds(
    TurnRecord,
    any_text,
    st.none() | any_text,
    st.lists(calls, max_size=2).map(tuple),
    st.none() | any_text,
    _ms,
    st.none() | usages,
)
trajectories = st.builds(
    Trajectory,
    st.sampled_from(Ending),
    st.lists(turns, max_size=2).map(tuple),
    st.none() | st.builds(Failure, any_text, any_text, any_text, st.none() | _number),
    usages,
    _ms,
    _number,
)
counts = st.builds(Counts, _number, _number, _number, _number, _number, _number)
gates = st.builds(
    GateScore, any_text, any_text, st.sampled_from(GateStatus), any_text, _floats, _number, _number, _number, _number,
    _tuples, _tuples, _tuples,
)  # fmt: skip
slices = st.builds(Slice, any_text, any_text, counts, counts, _floats, _floats)
summaries = st.builds(
    Summary,
    any_text,
    any_text,
    any_text,
    any_text,
    any_text,
    st.sampled_from(Decision),
    any_text,
    counts,
    counts,
    gates=st.lists(gates, max_size=2).map(tuple),
    slices=st.lists(slices, max_size=2).map(tuple),
    agents=_tuples,
    partial=st.none() | any_text,
    self_test=st.booleans(),
    started_at=any_text,
    duration_s=_floats,
    usage=usages,
    judge_usage=usages,
    latency_p50_ms=st.none() | _floats,
    latency_p95_ms=st.none() | _floats,
    cached_trials=_number,
    cached_verdicts=_number,
    cached_since=st.none() | any_text,
    warnings=_tuples,
    changes=st.none() | st.builds(Changes, any_text, _tuples, _tuples, _tuples, _tuples),
    provenance=st.dictionaries(any_text, some_json, max_size=3),
)
verdicts = st.builds(
    Verdict, st.none() | st.booleans(), any_text, any_text, _number, st.none() | any_text, st.booleans(), usages,
    any_text,
)  # fmt: skip
checks = st.builds(
    CheckResult, any_text, st.sampled_from(Outcome), any_text, st.none() | _number, st.sampled_from(CheckKind),
    st.none() | verdicts,
)  # fmt: skip


def run(run_id: str | None = None, slug: str = "booking", **more: object) -> RunRecord:
    """Make a run of the spec ``booking``."""
    members = {"name": "Booking", "spec": "evals/booking.suite.yaml", "plan_digest": "d1", "host": "here"} | more
    return RunRecord(id=run_id or new_run_id(), slug=slug, started_at=timestamp(), **members)  # type: ignore[arg-type]


def ref(case: str = "greets", trial: int = 0, agent: str = "bot") -> TrialRef:
    """Name a trial."""
    return TrialRef(agent, case, trial)


def completed(reply: str = "Hello!") -> Trajectory:
    """Make a trajectory with one answered turn."""
    turn = TurnRecord("Hi", reply, (ToolCall("lookup", {"id": 1}, result=[1, None]),), latency_ms=1.5)
    return Trajectory(Ending.COMPLETED, (turn,), usage=Usage(10, 5, cost_usd=Decimal("0.0010")), latency_ms=2.25)


def errored(kind: str = "timeout") -> Trajectory:
    """Make a trajectory that did not complete."""
    return Trajectory(Ending.ERRORED, failure=Failure(kind, "TimeoutError", "took 30 s", 0))


def check(name: str = "reply", outcome: Outcome = Outcome.PASSED, **more: object) -> CheckResult:
    """Make the result of a check."""
    return CheckResult(name, outcome, f"{name} {outcome}", **more)  # type: ignore[arg-type]


def case(key: str = "greets", outcome: Outcome = Outcome.PASSED, agent: str = "bot", **more: object) -> CaseScore:
    """Make the score of a case with one trial."""
    members = {"counts": Counts.of([outcome]), "runs": 1, "threshold": 1.0, "needed": 1, "reason": "1 of 1"} | more
    return CaseScore(agent=agent, case=key, outcome=outcome, **members)  # type: ignore[arg-type]


def summary(run_id: str, decision: Decision = Decision.PASSED, **more: object) -> Summary:
    """Make the summary of a run of the spec ``booking``."""
    members = {"reason": "all cases passed", "cases": Counts(1), "trials": Counts(1)} | more
    return Summary(run_id, "booking", "Booking", "evals/b.yaml", "release", decision, **members)  # type: ignore[arg-type]


def finish(store: Store, result: Summary) -> None:
    """Finish a run with this summary."""
    store.save_summary(result.run_id, result)
    store.end_run(result.run_id, RunStatus.FINISHED)
