"""The rubric of a probe as a check: a judge scores the answer, and sees the evidence only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Final

from proctor.brainbench.eras import Era
from proctor.brainbench.judging.contract import breaches
from proctor.brainbench.judging.evidence import Evidence, UnresolvedGold, build_evidence
from proctor.brainbench.judging.leaks import leaks
from proctor.brainbench.judging.rubric import PASSES_FROM
from proctor.brainbench.judging.texts import evidence_texts
from proctor.checks.brainbench.trace import BrainTrace, not_scored, trace_in
from proctor.excerpt import quote
from proctor.plan import CheckContext, JudgeRequest
from proctor.results import CheckResult, Outcome

RUBRIC: Final = "rubric"
"""The name of the check."""

QUESTION: Final = "Does the answer meet each of the criteria below, going by the gold pages?"


@dataclass(frozen=True, slots=True)
class RubricCheck:
    """Ask a judge for a score on each criterion. ``model`` is a wish of the suite's, and may be empty."""

    model: str | None = None
    name: ClassVar[str] = RUBRIC

    def evaluate(self, context: CheckContext) -> CheckResult | JudgeRequest:
        """Put the question, or say why it cannot be put.

        A missing answer is a miss, and no question: it meets no criterion. What the suite lacks, and evidence that is
        not what its contract says, leaves the check unscored.
        """
        trace = trace_in(context)
        if (left_out := not_scored(self.name, trace)) is not None:
            return left_out
        if (missing := _missing(trace)) is not None:
            return self._unscored(missing)
        assert trace.probe is not None, "a probe without a rubric was sent back"  # noqa: S101
        try:
            evidence = build_evidence(
                trace.probe, trace.facts, trace.companions.pages, trace.companions.planted, trace.era
            )
        except UnresolvedGold as problem:
            return self._unscored(str(problem))
        if not evidence.final_answer_text:
            return CheckResult(self.name, Outcome.FAILED, "no answer was given, so no criterion is met")
        request = rubric_request(evidence, trace.era, self.model)
        reason = next(_faults(request, evidence, trace), None)
        return request if reason is None else self._unscored(f"the judge was not asked: {reason}")

    def _unscored(self, reason: str) -> CheckResult:
        return CheckResult(self.name, Outcome.UNSCORED, reason)


def rubric_request(evidence: Evidence, era: Era = Era.POST_AUDIT, model: str | None = None) -> JudgeRequest:
    """The question for a judge about an answer. In the seed era, the scores may leave criteria out."""
    return JudgeRequest(
        "rubric_scores",
        QUESTION,
        evidence_texts(evidence),
        model or None,
        passing_score=PASSES_FROM,
        criteria=evidence.rubric,
        full_coverage=era is not Era.SEED,
    )


def _missing(trace: BrainTrace) -> str | None:
    if trace.probe is None:
        return f"nothing to score: no file of the suite has the probe {quote(trace.transcript['probe_id'], 80)}"
    probe = quote(trace.probe.id, 80)
    if not trace.probe.rubric:
        return f"nothing to score: the rubric of the probe {probe} has no criterion"
    if not trace.probe.gold_slugs:
        return f"nothing to score against: the probe {probe} has no gold page, and a judge takes nothing else for facts"
    return None


def _faults(request: JudgeRequest, evidence: Evidence, trace: BrainTrace) -> Iterator[str]:
    """Why a judge must not see this evidence."""
    for breach in breaches(evidence.to_json(), trace.era):
        yield f"the evidence is not what its contract says: {breach}"
    texts = (request.rubric, *(each.text for each in request.criteria), *(each.text for each in request.evidence))
    yield from map(str, leaks(texts, trace.transcript, evidence))
