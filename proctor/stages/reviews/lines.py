"""Reviews as JSON objects, one a line: those that were given, and templates of those to be given."""

from __future__ import annotations

from typing import Any, Final

from proctor.results import TrialRef
from proctor.stages.reviews.desk import Reviewable
from proctor.store import Review

MEMBERS: Final = (
    "agent", "case", "trial", "reviewer", "criteria", "verdict", "reviewed_at", "content", "shown",
)  # fmt: skip
"""The members of a line. ``shown`` is there for the reader and means nothing."""


def review_line(review: Review, ref: TrialRef) -> dict[str, Any]:
    """A review of the answer that stands at ``ref``."""
    return {
        "agent": ref.agent,
        "case": ref.case,
        "trial": ref.trial,
        "reviewer": review.reviewer,
        "criteria": {each.id: {"points": each.points, "note": each.note} for each in review.criteria},
        "verdict": review.verdict,
        "reviewed_at": review.reviewed_at,
        "content": review.content,
    }


def template_line(answer: Reviewable, reviewer: str) -> dict[str, Any]:
    """A line without points, with everything that the reviewer has to see. It does not say whose answer it is.

    A line without points is no review.
    """
    criteria = answer.question.criteria
    return {
        "case": answer.ref.case,
        "reviewer": reviewer,
        "criteria": {each.id: None for each in criteria},
        "verdict": None,
        "content": answer.content,
        "shown": {
            "criteria": {each.id: {"text": each.text, "weight": each.weight} for each in criteria},
            "evidence": [{"title": each.title, "text": each.text} for each in answer.question.evidence],
        },
    }
