"""Builds results of a run over recorded transcripts: metrics of every status, adapters beside each other, a panel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from report_samples import case, results

from proctor.category_scores import (
    AdapterCard,
    AdapterDifference,
    Comparison,
    MetricScore,
    PlantedScore,
    ReviewAgreement,
    Spread,
    TranscriptFindings,
)
from proctor.plan import RECORDING
from proctor.results import (
    CaseDetail,
    CheckKind,
    CheckResult,
    Counts,
    CriterionScore,
    Decision,
    GateScore,
    GateStatus,
    Outcome,
    RunResults,
    Slice,
    TrialScore,
    Verdict,
)
from proctor.trajectory import Ending, ToolCall, Trajectory, TurnRecord, Usage

GBRAIN, GREP = "sonnet (gbrain)", "sonnet (grep)"
MET, NOT_MET, UNDECIDED = GateStatus.MET, GateStatus.NOT_MET, GateStatus.UNDECIDED


def metric(name: str, trials: Counts, status: GateStatus = MET, reason: str = "", **more: Any) -> MetricScore:
    """A metric of category 8 with a threshold of 0.9, decided by a rule; its reason is its counts by default."""
    total = trials.decided + trials.undecided + more.get("missing", 0)
    plain: dict[str, Any] = {
        "category": 8,
        "agent": GBRAIN,
        "missing": 0,
        "threshold": 0.9,
        "low": 0.73,
        "high": 0.998,
        "held": True,
        "judged": False,
    }
    return MetricScore(
        name=name,
        trials=trials,
        status=status,
        reason=reason or f"{trials.passed} of {total} trials passed, needs {-(-total * 9 // 10)}",
        **{**plain, **more},
    )


METRICS = (
    metric("brain_first_compliance", Counts(19, 1), runs=Spread(0.95, 0.016, (0.96, 0.94, 0.95))),
    metric("brain_first_compliance", Counts(12, 8), NOT_MET, agent=GREP, low=0.38, high=0.79),
    metric("citation_format", Counts(20), runs=Spread(1.0, 0.0, (1.0, 1.0, 1.0)), low=0.83, high=1.0),
    metric(
        "citation_format",
        Counts(17, unscored=2),
        UNDECIDED,
        "17 of 20 trials passed, needs 18; 1 probe without a transcript and 2 trials without a result",
        agent=GREP,
        missing=1,
    ),
    metric(
        "workflow briefing",
        Counts(9, 1),
        category=9,
        judged=True,
        points=Spread(4.219, 0.301, (4.5, 4.2, 3.9)),
        runs=Spread(0.9, 0.1, (1.0, 0.9, 0.8)),
    ),
    metric(
        "workflow briefing",
        Counts(unscored=10),
        UNDECIDED,
        "nothing to score: 10 trials without a result",
        agent=GREP,
        category=9,
        judged=True,
        low=0.0,
        high=1.0,
    ),
    metric("planted items", Counts(3, 1), NOT_MET, "3 of 4 trials passed, needs 4", category=None, threshold=1.0),
)
ADAPTERS = (
    AdapterCard(GBRAIN, "gbrain", ("claude-sonnet-4-6",), 20, 60, 3, 123_456, 7_890, 1_234.0, 65_000.0, "0.4887", 2, 1),
    AdapterCard(GREP, "grep", (), 19, 19, 1, 1_000, 200, None, None, None, 0, 0),
)
DIFFERENCES = (
    AdapterDifference(
        "brain_first_compliance",
        GBRAIN,
        GREP,
        20,
        -0.35,
        -0.55,
        -0.12,
        0.004,
        0.012,
        Comparison.WORSE,
        "p = 0.012 over 20 probes",
        needed=20,
    ),
    AdapterDifference(
        "citation_format",
        GBRAIN,
        GREP,
        8,
        0.032,
        None,
        None,
        0.5,
        1.0,
        Comparison.INCONCLUSIVE,
        "8 probes; it takes 10 to tell",
    ),
    AdapterDifference(
        "workflow briefing",
        GBRAIN,
        GREP,
        12,
        0.31,
        0.1,
        0.52,
        0.00001,
        0.00003,
        Comparison.BETTER,
        "p = 3e-05 over 12 probes",
        in_points=True,
    ),
)
PLANTED = (PlantedScore(GBRAIN, 60, 7, 5, 1, 3, 1),)
REVIEWS = (
    ReviewAgreement("ada", 44, 38, 11, 9, 0.714, 0.52, 0.88, 2),
    ReviewAgreement("bob", 0, 0, 0, 0, None, None, None),
)
CARD = (("rules", "post-audit"), ("dialect", "seed"), ("judge", "openai:gpt-4.1"))
FOUND = TranscriptFindings("post-audit", CARD, METRICS, ADAPTERS, DIFFERENCES, PLANTED, REVIEWS)

CLAIMS = metric("claims", Counts(8, 2), NOT_MET, agent=RECORDING, category=5, judged=True)


def rubric_verdict(text: str = "The briefing names both people.", score: float = 2.75, **more: Any) -> Verdict:
    """A judge's verdict on a rubric of two criteria."""
    criteria = (CriterionScore("names-people", 4.5, text), CriterionScore("cites-pages", 1.0, text))
    return Verdict(score >= 3.5, text, "openai:gpt-4.1", score=score, criteria=criteria, **more)


VERDICTS = {
    Outcome.PASSED: rubric_verdict(score=4.25),
    Outcome.FAILED: rubric_verdict(),
    Outcome.UNSCORED: Verdict(None, "", "openai:gpt-4.1", 3, "timeout"),
}


def panel() -> Verdict:
    """The verdict of a panel whose jurors do not agree."""
    votes = (rubric_verdict("poor", 1.5), rubric_verdict("fine", 3.75), rubric_verdict("fair", 2.75))
    return replace(rubric_verdict("poor", 2.75), model="panel[a,b,c]", attempts=3, votes=votes)


def probe(
    key: str,
    outcomes: Sequence[Outcome],
    *,
    agent: str = GBRAIN,
    verdict: Verdict | None = None,
    question: str = "What do we know of Ada?",
    tags: tuple[str, ...] = ("category 9", "briefing"),
) -> CaseDetail:
    """A probe with a recorded run for each outcome; the judge's verdict on its rubric fits it unless told otherwise."""
    detail = case(key, outcomes, agent=agent, tags=tags)
    runs = (_run(trial, question, verdict or VERDICTS[trial.outcome]) for trial in detail.trials)
    return CaseDetail(detail.score, tuple(runs))


def _run(trial: TrialScore, question: str, verdict: Verdict) -> TrialScore:
    call = ToolCall("search", {"query": "Ada"}, result="people/ada")
    usage = Usage(1200, 300, requests=2)
    turn = TurnRecord(question, "Ada met Bob, see people/ada.", (call,), latency_ms=4200.0, usage=usage)
    invariants = CheckResult("invariants", Outcome.PASSED, "no invariant is broken")
    reason = verdict.cause or f"{verdict.score} of 5, and 3.5 passes: {verdict.reasoning}"
    judged = CheckResult("rubric", trial.outcome, reason, kind=CheckKind.JUDGED, verdict=verdict)
    trajectory = Trajectory(Ending.COMPLETED, (turn,), usage=usage, latency_ms=4200.0)
    return replace(trial, trajectory=trajectory, checks=(invariants, judged))


PROBES = (
    probe("s-briefing-1", (Outcome.FAILED, Outcome.PASSED, Outcome.FAILED)),
    probe("s-briefing-1", (Outcome.FAILED,), agent=GREP, verdict=panel()),
    probe("q-0007", (Outcome.UNSCORED,), agent=GREP, question="", tags=()),
    probe("s-briefing-2", (Outcome.PASSED,) * 3),
)


def as_gates(found: TranscriptFindings) -> tuple[GateScore, ...]:
    """The gates that metrics are."""
    return tuple(
        GateScore(
            score.name,
            score.agent,
            score.status,
            score.reason,
            score.threshold,
            score.trials.total,
            score.trials.decided,
            score.trials.passed,
            0,
        )
        for score in found.metrics
        if score.held
    )


def transcripts(found: TranscriptFindings = FOUND, probes: Sequence[CaseDetail] = PROBES, **changes: Any) -> RunResults:
    """A run over recorded transcripts of two adapters in which something of everything happened."""
    agents = dict.fromkeys(detail.score.agent for detail in probes)
    counts = {agent: Counts.of(each.score.outcome for each in probes if each.score.agent == agent) for agent in agents}
    members = {
        "agents": (),
        "transcripts": found,
        "gates": as_gates(found),
        "slices": tuple(Slice("all cases", agent, own, own, 0.1, 0.9) for agent, own in counts.items()),
        "cached_trials": 0,
        "cached_since": None,
        "decision": Decision.FAILED,
        "reason": f"gate brain_first_compliance ({GREP}) is not met: 12 of 20 trials passed, needs 18",
    }
    return results(list(probes), **{**members, **changes})


def of_one(found: TranscriptFindings = FOUND) -> TranscriptFindings:
    """The findings of the first adapter alone."""
    metrics = tuple(score for score in found.metrics if score.agent == GBRAIN)
    return replace(found, metrics=metrics, adapters=found.adapters[:1], differences=())


def baseline(found: TranscriptFindings = FOUND) -> TranscriptFindings:
    """The findings without any threshold."""
    return replace(found, metrics=tuple(replace(score, held=False) for score in found.metrics))


def hostile_transcripts(text: str) -> RunResults:
    """A run over transcripts in which every name, criterion and reason is the text."""
    bad = f"{text}2"
    metrics = [replace(score, name=text, reason=text) for score in METRICS[:2]]
    found = TranscriptFindings(
        rules=text,
        card=((text, text),),
        metrics=(replace(metrics[0], agent=text), replace(metrics[1], agent=bad), replace(CLAIMS, name=text)),
        adapters=tuple(replace(ADAPTERS[0], agent=name, stack_id=text, models=(text,)) for name in (text, bad)),
        differences=(replace(DIFFERENCES[0], metric=text, base=text, agent=bad, reason=text, unpaired=(text,)),),
        planted=(replace(PLANTED[0], agent=text),),
        reviews=(replace(REVIEWS[0], reviewer=text),),
    )
    criteria = (CriterionScore(text, 1.0, text),)
    vote = Verdict(False, text, text, score=1.0, criteria=criteria)
    verdict = replace(vote, votes=(vote, replace(vote, passed=None, cause=text, label=text)))
    probes = [probe(text, (Outcome.FAILED,) * 2, agent=text, verdict=verdict, question=text, tags=(text,))]
    return transcripts(found, probes, reason=text)
