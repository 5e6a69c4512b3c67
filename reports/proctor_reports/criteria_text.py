"""What a judge's verdict comes to, in a word: for rubrics with points, for labels, and for the jurors of a panel."""

from __future__ import annotations

from proctor.brainbench.judging.rubric import HIGHEST_POINTS, RubricVerdict, verdict_of
from proctor.results import Verdict
from proctor_reports.transcript_text import points


def word(verdict: Verdict) -> str:
    """Give pass, partial or fail with the overall score, or the label.

    ``""`` where the outcome of the check has said it all, and where there is no verdict.
    """
    if verdict.passed is None:
        return ""
    if verdict.label is not None:
        return verdict.label
    if not verdict.criteria or verdict.score is None:
        return ""
    return f"{_meaning(verdict.score, passed=verdict.passed)}, {points(verdict.score)} of {HIGHEST_POINTS}"


def vote_word(vote: Verdict) -> str:
    """Give the word for a juror, whose vote no check repeats; ``""`` where there is no verdict."""
    if vote.passed is None:
        return ""
    return word(vote) or ("pass" if vote.passed else "fail")


def _meaning(score: float, *, passed: bool) -> str:
    """The pass mark is the question's own, so what passed tells more than the score; partial begins at 2.5."""
    if passed:
        return RubricVerdict.PASS
    return RubricVerdict.FAIL if verdict_of(score) is RubricVerdict.FAIL else RubricVerdict.PARTIAL
