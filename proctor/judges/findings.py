"""What an answer comes to: whether it passes, its score or its label, and the words in which a reader is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_DOWN, Decimal

from proctor.brainbench.eras import Era
from proctor.brainbench.judging.rubric import HIGHEST_POINTS, shown_id, verdict_of, weighted_mean
from proctor.plan import JudgeRequest
from proctor.results import CriterionScore, Verdict
from proctor.wording import listed

_SHOWN_CRITERIA = 10


@dataclass(frozen=True, slots=True)
class Finding:
    """What an answer comes to. ``score``, ``label`` and ``criteria`` are there for the questions that ask for them."""

    passed: bool
    score: float | None = None
    label: str | None = None
    criteria: tuple[CriterionScore, ...] = ()


def finding_of(said: bool | int | str, request: JudgeRequest) -> Finding:
    """Hold an answer against its request: yes, no or a label has to be what it expects, a score has to be enough.

    A score needs a request with a ``passing_score``.
    """
    if isinstance(said, bool):
        return Finding(said == request.expects)
    if isinstance(said, str):
        return Finding(said == request.expects, label=str(said))
    return Finding(said >= _passing_score(request), float(said))


def rubric_finding(scores: Sequence[CriterionScore], request: JudgeRequest) -> Finding:
    """Hold the scores of criteria against their request: their weighted mean has to be enough.

    Where the request takes scores as they come, it is their mean by the rules of the seed era.
    """
    era = Era.POST_AUDIT if request.full_coverage else Era.SEED
    overall = weighted_mean(scores, request.criteria, era)
    return Finding(overall >= _passing_score(request), overall, criteria=tuple(scores))


def told(verdict: Verdict, request: JudgeRequest) -> Verdict:
    """Put in front of the reasoning what it came to, for questions whose outcome says more than passed or failed."""
    if verdict.passed is None:
        return verdict
    if verdict.label is not None:
        fits = ", as expected" if verdict.passed else f", expected {request.expects}"
        return replace(verdict, reasoning=f"{verdict.label}{fits}: {verdict.reasoning}")
    if request.criteria and verdict.score is not None:
        return replace(verdict, reasoning=f"{_scores_told(verdict, verdict.score, request)}: {verdict.reasoning}")
    return verdict


def shown_points(score: float) -> str:
    """A score with two decimals at most, never rounded up: what is below the pass mark looks so."""
    cut = Decimal(str(score)).quantize(Decimal("0.01"), ROUND_DOWN)
    return f"{cut.normalize():f}"


def _scores_told(verdict: Verdict, score: float, request: JudgeRequest) -> str:
    passes_from = _passing_score(request)
    criteria = [f"{shown_id(criterion.id)} {shown_points(criterion.score)}" for criterion in verdict.criteria]
    each = f" ({listed(criteria, _SHOWN_CRITERIA)})" if criteria else ""
    overall = f"{shown_points(score)} of {HIGHEST_POINTS}, and {passes_from:g} passes"
    return f"{verdict_of(score, passes_from)}, {overall}{each}"


def _passing_score(request: JudgeRequest) -> float:
    assert request.passing_score is not None, "a question for a score says what passes"  # noqa: S101
    return request.passing_score
