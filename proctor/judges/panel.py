"""A panel: several judges answer one question, and their votes become one verdict. Nothing here asks anybody.

A panel decides nothing that its jurors have not decided. Where a vote is missing, where the jurors answered different
questions, or where no majority of them agrees with the outcome, there is no verdict.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from typing import NamedTuple

from proctor.judges.causes import Cause, unscored
from proctor.judges.findings import Finding, finding_of, rubric_finding, shown_points
from proctor.plan import JudgeRequest
from proctor.results import CriterionScore, Verdict
from proctor.trajectory import Usage
from proctor.wording import count, share

_HOLDS_FOR_LATER_CALLS = (Cause.AUTH, Cause.QUOTA)


class Vote(NamedTuple):
    """What one juror said. ``answered`` names the questions it answered: a text may answer more than was asked."""

    verdict: Verdict
    answered: frozenset[str]


class _NoVerdict(NamedTuple):
    """Why there is no verdict."""

    cause: str
    text: str


def panel_name(models: Sequence[str]) -> str:
    """The name under which a panel's verdicts are known: ``panel[a,b]``."""
    return f"panel[{','.join(models)}]"


def panel_score(scores: Sequence[int]) -> int:
    """The median of at least one score; of an even number the mean of the middle two, halves to the even number."""
    lower, upper = _middle_two(scores)
    return round((lower + upper) / 2)


def combine(model: str, votes: Sequence[Vote], request: JudgeRequest) -> Verdict:
    """Make one verdict of the votes of a panel.

    Yes, no and labels are decided by the majority, scores by their median, each criterion by its own. The reasoning is
    that of the first juror who agrees with the outcome. One juror that is a self-test makes it a self-test.
    """
    verdicts = [vote.verdict for vote in votes]
    outcome = _missing(verdicts) or _different(votes) or _decided(verdicts, request)
    usage = reduce(add, (verdict.usage for verdict in verdicts), Usage())
    attempts, version = sum(verdict.attempts for verdict in verdicts), verdicts[0].prompt_version
    if isinstance(outcome, _NoVerdict):
        cause = Cause(outcome.cause)
        verdict = unscored(model, cause, outcome.text, attempts=attempts, usage=usage, prompt_version=version)
    else:
        verdict = Verdict(
            passed=outcome.passed,
            reasoning=next(verdict.reasoning for verdict in verdicts if _agrees(verdict, outcome)),
            model=model,
            attempts=attempts,
            usage=usage,
            prompt_version=version,
            score=outcome.score,
            criteria=outcome.criteria,
            label=outcome.label,
        )
    return replace(verdict, self_test=any(vote.self_test for vote in verdicts), votes=tuple(verdicts))


def _missing(verdicts: Sequence[Verdict]) -> _NoVerdict | None:
    """A vote that is missing; before others one whose cause would stop every later call as well."""
    silent = [verdict for verdict in verdicts if verdict.passed is None]
    if not silent:
        return None
    first = next((verdict for verdict in silent if verdict.cause in _HOLDS_FOR_LATER_CALLS), silent[0])
    text = f"{len(silent)} of {count(len(verdicts), 'juror')} gave none: {first.reasoning}"
    return _NoVerdict(first.cause or Cause.MALFORMED, text)


def _different(votes: Sequence[Vote]) -> _NoVerdict | None:
    answered = dict.fromkeys(vote.answered for vote in votes)
    if len(answered) == 1:
        return None
    sets = " and ".join("+".join(sorted(fields)) for fields in answered)
    return _NoVerdict(Cause.MALFORMED, f"the jurors answered different questions: {sets}")


def _decided(verdicts: Sequence[Verdict], request: JudgeRequest) -> Finding | _NoVerdict:
    if request.criteria:
        return _by_criteria(verdicts, request)
    labels = [verdict.label for verdict in verdicts if verdict.label is not None]
    if labels:
        return _by_label(labels, request)
    scores = [int(verdict.score) for verdict in verdicts if verdict.score is not None]
    if scores and request.passing_score is not None:
        return _by_median(scores, request.passing_score)
    return _by_majority(verdicts)


def _by_criteria(verdicts: Sequence[Verdict], request: JudgeRequest) -> Finding | _NoVerdict:
    """The median of each criterion over the jurors that scored it, and what these medians come to."""
    given: dict[str, list[CriterionScore]] = {}
    for verdict in verdicts:
        for score in verdict.criteria:
            given.setdefault(score.id, []).append(score)
    finding = rubric_finding([_median_of(scores) for scores in given.values()], request)
    agreeing = sum(_agrees(verdict, finding) for verdict in verdicts)
    if 2 * agreeing > len(verdicts):
        return finding
    passes = "passes" if finding.passed else "does not pass"
    text = f"the median scores come to {shown_points(finding.score or 0)}, which {passes}"
    passing = sum(verdict.passed is True for verdict in verdicts)
    return _NoVerdict(Cause.TIE, f"a tie: {text}, and {share(passing, len(verdicts), 'juror')} would pass it")


def _median_of(scores: Sequence[CriterionScore]) -> CriterionScore:
    """The median of one criterion, with the rationale of the first juror whose score is nearest."""
    median = statistics.median(score.score for score in scores)
    nearest = min(scores, key=lambda score: abs(score.score - median))
    return replace(nearest, score=median)


def _by_label(labels: Sequence[str], request: JudgeRequest) -> Finding | _NoVerdict:
    ((label, times),) = Counter(labels).most_common(1)
    if 2 * times > len(labels):
        return finding_of(label, request)
    return _NoVerdict(
        Cause.TIE, f"a tie: no label has more than half of {count(len(labels), 'vote')}: {', '.join(labels)}"
    )


def _by_median(scores: Sequence[int], passing: float) -> Finding | _NoVerdict:
    lower, upper = _middle_two(scores)
    if lower < passing <= upper:
        text = f"a tie across the pass line: the middle scores are {lower} and {upper}, and {passing} is enough"
        return _NoVerdict(Cause.TIE, text)
    score = panel_score(scores)
    return Finding(score >= passing, float(score))


def _by_majority(verdicts: Sequence[Verdict]) -> Finding | _NoVerdict:
    passed = sum(verdict.passed is True for verdict in verdicts)
    if 2 * passed == len(verdicts):
        return _NoVerdict(Cause.TIE, f"a tie: {passed} of {count(len(verdicts), 'juror')} would pass it")
    return Finding(2 * passed > len(verdicts))


def _agrees(verdict: Verdict, finding: Finding) -> bool:
    return verdict.passed is finding.passed and verdict.label == finding.label


def _middle_two(scores: Sequence[int]) -> tuple[int, int]:
    """The middle two in order; of an odd number the middle one twice."""
    ordered = sorted(scores)
    return ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
