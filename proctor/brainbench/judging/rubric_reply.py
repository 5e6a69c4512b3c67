"""A rubric judge's replies as they were recorded: read, counted, settled into a verdict, without asking anybody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from proctor.brainbench.eras import Era
from proctor.brainbench.judging.defects import Defect, Flaw
from proctor.brainbench.judging.replies import Asked, Message, called_with, read_replies
from proctor.brainbench.judging.rubric import (
    RubricVerdict,
    coverage_flaw,
    points,
    verdict_of,
    weighted_mean,
    what_to_give,
)
from proctor.plan import CriterionSpec
from proctor.results import CriterionScore

SCORE_TOOL: Final = "score_answer"
"""The tool that a rubric judge has to call."""

_CLAIMS = (RubricVerdict.PASS, RubricVerdict.PARTIAL, RubricVerdict.FAIL)
"""What a judge may claim as its verdict. The claim is checked for its form only: the verdict is computed."""


@dataclass(frozen=True, slots=True)
class RubricReply:
    """A reply that counts: its scores, clamped and in its order, and its overall rationale."""

    scores: tuple[CriterionScore, ...]
    rationale: str


@dataclass(frozen=True, slots=True)
class Settled:
    """What the replies to one question come to.

    Without a reply that counts the verdict is ``JUDGE_FAILED``, every criterion has 0, and ``fallback_used`` is set:
    those zeros stand for nothing that the agent did.
    """

    verdict: RubricVerdict
    scores: tuple[CriterionScore, ...]
    overall_score: float
    rationale: str
    asked: Asked[RubricReply]

    @property
    def fallback_used(self) -> bool:
        """Whether no reply counts."""
        return self.asked.answer is None


def read_rubric_reply(reply: Message, rubric: Sequence[CriterionSpec], era: Era = Era.POST_AUDIT) -> RubricReply | Flaw:
    """Read one reply. In the seed era the right form is enough; later, each criterion has exactly one score."""
    arguments = called_with(reply, SCORE_TOOL, what_to_give(rubric))
    if isinstance(arguments, Flaw):
        return arguments
    if wrong := _wrong_form(arguments):
        return Flaw(wrong[0], f"{wrong[1]}; {what_to_give(rubric)}")
    scores = [_score(entry) for entry in arguments["scores"]]
    found = tuple(score for score in scores if score is not None)
    if len(found) < len(scores):
        text = f"an entry of scores is not a criterion_id, a score from 0 to 5 and a rationale; {what_to_give(rubric)}"
        return Flaw(Defect.SCORE_ENTRY, text)
    flaw = None if era is Era.SEED else coverage_flaw([score.id for score in found], rubric)
    return flaw or RubricReply(found, arguments["overall_rationale"])


def settle(replies: Sequence[Message], rubric: Sequence[CriterionSpec], era: Era = Era.POST_AUDIT) -> Settled:
    """Settle the replies to one question: the first that counts, of two at most.

    An empty rubric comes to 0 and fails.
    """
    asked = read_replies(replies, partial(read_rubric_reply, rubric=rubric, era=era))
    if asked.answer is None:
        scores = tuple(CriterionScore(criterion.id, 0.0, "the judge gave no score") for criterion in rubric)
        return Settled(RubricVerdict.JUDGE_FAILED, scores, 0.0, asked.why_none, asked)
    scores = asked.answer.scores
    overall = weighted_mean(scores, rubric, era)
    return Settled(verdict_of(overall), scores, overall, asked.answer.rationale, asked)


def _wrong_form(arguments: Mapping[str, Any]) -> tuple[Defect, str] | None:
    if not isinstance(arguments.get("scores"), list):
        return Defect.SCORES_NOT_ARRAY, "scores is no list"
    if arguments.get("verdict") not in _CLAIMS:
        return Defect.VERDICT_ENUM, "verdict is not pass, partial or fail"
    if not isinstance(arguments.get("overall_rationale"), str):
        return Defect.OVERALL_RATIONALE, "overall_rationale is no text"
    return None


def _score(entry: object) -> CriterionScore | None:
    if not isinstance(entry, Mapping):
        return None
    criterion, score, rationale = entry.get("criterion_id"), points(entry.get("score")), entry.get("rationale")
    if not isinstance(criterion, str) or score is None or not isinstance(rationale, str):
        return None
    return CriterionScore(criterion, score, rationale)
