"""Builds realistic results of a run, with agents and judges that mean no good."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from proctor.results import (
    CaseDetail,
    CaseScore,
    Changes,
    CheckKind,
    CheckResult,
    Counts,
    Decision,
    GateScore,
    GateStatus,
    Outcome,
    RunResults,
    Slice,
    Summary,
    TrialRef,
    TrialScore,
    Verdict,
)
from proctor.trajectory import CacheOrigin, Ending, Failure, ToolCall, Trajectory, TurnRecord, Usage

SCRIPT = "1<2 </script><img src=x onerror=\"document.title='owned'\"> {{7*7}} <!--"
CONTROLS = "a\x00b\x1b[31mred\ufffe \ud83d end 🚀\u202e\r\n| @team #1 ``` ]]> &amp;"
ORIGIN = CacheOrigin("run-0007", "2026-05-01T08:00:00Z")
USAGE = Usage(input_tokens=120, output_tokens=40, cache_read_tokens=8, requests=1, cost_usd=Decimal("0.0021"))


def trial(
    case: str,
    index: int,
    outcome: Outcome = Outcome.PASSED,
    *,
    agent: str = "concierge",
    reply: str | None = "Your table for two is booked at 19:00.",
    reason: str | None = None,
    turns: int = 1,
) -> TrialScore:
    """One trial that ended as told, with what such a trial has: turns and checks, or a failure."""
    ref = TrialRef(agent, case, index)
    if reason is None:
        seen = "is" if outcome in {Outcome.PASSED, Outcome.UNSCORED} else "is not"
        reason = f"'booked' {seen} in the reply"
    usage = USAGE
    if outcome in {Outcome.ERRORED, Outcome.REFUSED}:
        ending = Ending(outcome.value)
        kind, name = ("unavailable", "ConnectError") if outcome is Outcome.ERRORED else ("refused", "ContentFilter")
        failure = Failure(kind, name, reason, turn=0)
        return TrialScore(ref, outcome, Trajectory(ending, failure=failure, usage=usage, latency_ms=250.0, attempts=3))
    call = ToolCall("book_table", {"guests": 2, "time": "19:00"}, id="c1", result={"ok": True})
    turn = TurnRecord("Book a table for two tonight at seven.", reply, (call,), latency_ms=812.5, usage=usage)
    trajectory = Trajectory(Ending.COMPLETED, (turn,) * turns, usage=usage, latency_ms=812.5, cached=ORIGIN)
    rule = CheckResult("reply_contains", Outcome.PASSED if outcome is Outcome.UNSCORED else outcome, reason, turn=0)
    passed = None if outcome is Outcome.UNSCORED else outcome is Outcome.PASSED
    cause = "the judge answered no JSON in 3 tries" if passed is None else None
    verdict = Verdict(passed, "The agent confirmed the time.", "openai:gpt-4.1", 2, cause, usage=usage, cached=ORIGIN)
    judged = CheckResult("polite", outcome, cause or "the judge agrees", kind=CheckKind.JUDGED, verdict=verdict)
    return TrialScore(ref, outcome, trajectory, (rule, judged))


def case(
    key: str,
    outcomes: Sequence[Outcome],
    outcome: Outcome | None = None,
    *,
    agent: str = "concierge",
    needed: int | None = None,
    tags: tuple[str, ...] = ("booking",),
    **more: Any,
) -> CaseDetail:
    """One case with a trial for each outcome; it ended like its worst trial unless told otherwise."""
    trials = tuple(trial(key, index, each, agent=agent, **more) for index, each in enumerate(outcomes))
    counts = Counts.of(outcomes)
    worst = next((o for o in Outcome if o is not Outcome.PASSED and o in outcomes), Outcome.PASSED)
    score = CaseScore(
        agent=agent,
        case=key,
        outcome=outcome or worst,
        counts=counts,
        runs=len(outcomes),
        threshold=1.0,
        needed=len(outcomes) if needed is None else needed,
        reason=f"{counts.passed}/{len(outcomes)} passed, needs {needed or len(outcomes)}/{len(outcomes)}",
        tags=tags,
        source="evals/booking.yaml",
        line=12,
        latency_ms=812.5,
        usage=USAGE,
        cached=counts.passed,
    )
    return CaseDetail(score, trials)


def gate(**changes: Any) -> GateScore:
    """A gate that 17 of 20 cases do not meet."""
    reason = "17 of 20 cases passed, needs 18"
    plain = GateScore("smoke", "concierge", GateStatus.NOT_MET, reason, 0.9, 20, 20, 17, 0, needed=18)
    return replace(plain, **changes)


def results(details: Sequence[CaseDetail], decision: Decision = Decision.FAILED, **changes: Any) -> RunResults:
    """A run with these cases. ``changes`` are members of the summary."""
    cases = Counts.of(detail.score.outcome for detail in details)
    trials = sum((detail.score.counts for detail in details), Counts())
    summary = Summary(
        run_id="run-0042",
        slug="booking",
        name="Booking assistant",
        spec="evals/booking.suite.yaml",
        purpose="release",
        decision=decision,
        reason="gate smoke is not met: 17 of 20 cases passed, needs 18",
        cases=cases,
        trials=trials,
        slices=(Slice("all", "concierge", cases, trials, 0.38, 0.91),),
        agents=tuple(dict.fromkeys(detail.score.agent for detail in details)),
        started_at="2026-05-02T10:00:00Z",
        duration_s=75.0,
        usage=USAGE,
        latency_p50_ms=800.0,
        latency_p95_ms=1900.0,
        cached_trials=1,
        cached_since="2026-05-01T08:00:00Z",
        provenance={"commit": "abc123", "engine": "inline", "packages": {"pydantic": "2.12.0"}, "python": "3.11"},
    )

    def stream() -> Iterator[CaseDetail]:
        yield from details

    return RunResults(replace(summary, **changes), stream)


def realistic() -> RunResults:
    """One case of every outcome, and a flaky one, with a gate of each kind and a baseline."""
    passed, failed = Outcome.PASSED, Outcome.FAILED
    details = [
        case("double-booking", (failed, failed, failed), reason="the reply is 'Sure, both at 19:00', expected 'one'"),
        case("late-arrival", (passed, passed, failed)),
        case("tōkyō-table", (Outcome.ERRORED,) * 3, reason="connection refused by 127.0.0.1:8080"),
        case("vague-request", (passed, Outcome.UNSCORED, passed)),
        case("rude-guest", (Outcome.REFUSED,), reason="the provider's content filter stopped the reply"),
        case("two-tables", (passed, failed, passed), passed, needed=2),
        case("simple", (passed, passed, passed)),
        case("voice-only", (Outcome.SKIPPED,)),
    ]
    undecided = "3 of 5 cases passed, needs 5; 2 could not be evaluated"
    pins = {"pinned_failed": ("late-arrival",), "pinned_missing": ("gone",)}
    met = {"status": GateStatus.MET, "reason": "3 of 3 cases passed, needs 3", "threshold": 1.0}
    gates = (
        gate(),
        gate(name="core", **met, members=3, ran=3, passed=3, needed=3),
        gate(name="voice", status=GateStatus.UNDECIDED, reason=undecided, members=5, ran=3, passed=3, needed=5),
        gate(name="pins", reason="must pass and did not: late-arrival", **pins),
    )
    changes = Changes("run-0041", ("concierge/late-arrival",), ("concierge/simple",), (), ("concierge/old",))
    return results(details, gates=gates, changes=changes, warnings=("the calibration of judge polite is stale",))


def hostile(text: str = SCRIPT + CONTROLS) -> RunResults:
    """A run in which every name, reply and reason is the text."""
    turn = TurnRecord(text, text, (ToolCall(text, {text: text}, result=text, is_error=True),), audio=text)
    verdict = Verdict(
        False, text, text, cause=text, self_test=True, prompt_version=text, cached=CacheOrigin(text, text)
    )
    check = CheckResult(text, Outcome.FAILED, text, 0, CheckKind.JUDGED, verdict)
    trajectory = Trajectory(Ending.COMPLETED, (turn,), cached=CacheOrigin(text, text))
    failed = TrialScore(TrialRef(text, text, 0), Outcome.FAILED, trajectory, (check,))
    failure = Failure("exception", text, text, 0)
    errored = TrialScore(TrialRef(text, text, 1), Outcome.ERRORED, Trajectory(Ending.ERRORED, failure=failure))
    skipped = TrialScore(TrialRef(text, text, 2), Outcome.SKIPPED, Trajectory(Ending.COMPLETED))
    details = []
    for index, outcome in enumerate(Outcome):
        score = replace(
            case("x", (Outcome.FAILED, Outcome.ERRORED, Outcome.SKIPPED)).score,
            agent=text,
            case=f"{text}{index}",
            outcome=outcome,
            reason=text,
            tags=(text,),
            markers=(text,),
            source=text,
        )
        details.append(CaseDetail(score, (failed, errored, skipped)))
    named = gate(name=text, agent=text, reason=text, pinned_failed=(text,), pinned_missing=(text,), failing=(text,))
    return results(
        details,
        name=text,
        run_id=text,
        spec=text,
        reason=text,
        partial=text,
        purpose=text,
        started_at=text,
        cached_since=text,
        warnings=(text,),
        agents=(text, "other"),
        gates=(named,),
        slices=(Slice(text, text, Counts(1, 1), Counts(1, 1), 0.1, 0.9),),
        changes=Changes(text, (text,), (text,), (text,), (text,)),
        provenance={text: text, "packages": {text: text}, "list": [text]},
    )
