"""What a reviewer says of an answer: points for each criterion of a rubric. The module loads no SQL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from proctor.brainbench.judging.rubric import RubricVerdict, verdict_of, weighted_mean
from proctor.plan import CriterionSpec
from proctor.results import CriterionScore, TrialRef


@dataclass(frozen=True, slots=True)
class CriterionReview:
    """The points from 0 to 5 that a reviewer gave one criterion, fractions allowed, and why if it was said."""

    id: str
    points: float
    weight: int = 1
    note: str = ""


@dataclass(frozen=True, slots=True)
class Review:
    """One review of one answer by one person.

    It belongs to a text, not to a run: ``content`` is the digest of the question, the rubric, the answer and the gold
    pages, so a later run over the same transcript has the same review. ``run_id`` and ``ref`` say where it was given,
    ``check`` which check a judge has with that rubric. ``verdict`` is what the reviewer concluded, None where the
    points speak for themselves. ``reviewed_at`` is ISO 8601 in UTC.
    """

    reviewer: str
    content: str
    run_id: str
    ref: TrialRef
    check: str
    criteria: tuple[CriterionReview, ...]
    verdict: RubricVerdict | None
    reviewed_at: str

    @property
    def conclusion(self) -> RubricVerdict:
        """The verdict: the reviewer's own, or the one that the points mean."""
        return self.verdict or verdict_of(overall_points(self.criteria))

    def says_the_same(self, other: Review) -> bool:
        """Whether another review has the same points, notes and verdict, whenever and wherever it was given."""
        return (self.criteria, self.verdict) == (other.criteria, other.verdict)


def overall_points(criteria: Sequence[CriterionReview]) -> float:
    """The mean of the points by the weights of their criteria; 0 for none."""
    scores = [CriterionScore(each.id, each.points, each.note) for each in criteria]
    return float(weighted_mean(scores, [CriterionSpec(each.id, "", each.weight) for each in criteria]))
