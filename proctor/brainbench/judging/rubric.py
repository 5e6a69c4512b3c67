"""A rubric's scores: what counts as one, whether they cover the rubric, what they come to, which verdict that is.

The mean is that of the decimal numbers that a judge wrote: where they come to 3.5, no binary fraction makes it less.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction
from typing import Final

from proctor.brainbench.eras import Era
from proctor.brainbench.judging.defects import Defect, Flaw
from proctor.excerpt import quote
from proctor.plan import CriterionSpec
from proctor.results import CriterionScore
from proctor.wording import listed

LOWEST_POINTS: Final = 0
HIGHEST_POINTS: Final = 5

PASSES_FROM: Final = 3.5
"""The overall score that passes."""
PARTIAL_FROM: Final = 2.5
"""The overall score that is at least a partial answer."""

_SHOWN_IDS: Final = 20
_PLAIN_ID = re.compile(r"[\w.-]{1,60}")


class RubricVerdict(StrEnum):
    """What an overall score means. ``JUDGE_FAILED``: there is none, since the judge gave no answer that counts."""

    PASS = "pass"  # noqa: S105
    PARTIAL = "partial"
    FAIL = "fail"
    JUDGE_FAILED = "judge_failed"


def points(value: object) -> float | None:
    """The score that a judge's value stands for, clamped to 0 to 5; fractions count.

    None for what is no score: a text, a truth value, null, NaN, infinity.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return float(min(HIGHEST_POINTS, max(LOWEST_POINTS, value)))


def coverage_flaw(ids: Sequence[str], rubric: Sequence[CriterionSpec]) -> Flaw | None:
    """Say why scores for these criteria are no full answer; None when each criterion has exactly one.

    The defect is the first one in the order of the scores; what is missing comes last.
    """
    known = dict.fromkeys(criterion.id for criterion in rubric)
    missing = [criterion for criterion in known if criterion not in ids]
    defect = _first_defect(ids, known) or (Defect.MISSING_CRITERION if missing else None)
    if defect is None:
        return None
    given = Counter(ids)
    foreign = [criterion for criterion in given if criterion not in known]
    twice = [criterion for criterion in known if given[criterion] > 1]
    parts = [
        *_part("criterion", "criteria", missing, "has no score", "have no score"),
        *_part("criterion", "criteria", twice, "is scored more than once", "are scored more than once"),
        *_part("there is no criterion", "there are no criteria", foreign, "", ""),
    ]
    return Flaw(defect, f"{'; '.join(parts)}; {what_to_give(rubric)}")


def what_to_give(rubric: Sequence[CriterionSpec]) -> str:
    """The order that closes every correction: ``give exactly one score for each of a, b, c``."""
    if not rubric:
        return "give no score, the rubric has no criterion"
    return f"give exactly one score for each of {_named([criterion.id for criterion in rubric])}"


def weighted_mean(
    scores: Sequence[CriterionScore], rubric: Sequence[CriterionSpec], era: Era = Era.POST_AUDIT
) -> float:
    """The overall score: the mean over the criteria of the rubric, by their weights; 0 for an empty rubric.

    A criterion without a score counts 0, one that was scored again keeps its first score, foreign ones count nothing.
    In the seed era the mean is over the scores that came back, each time they came, an unknown criterion weighs 1, and
    the sum is one of binary fractions.
    """
    if era is Era.SEED:
        return _seed_mean(scores, rubric)
    first = {score.id: score.score for score in reversed(scores)}
    total = sum(criterion.weight for criterion in rubric)
    weighed = (Fraction(str(first.get(criterion.id, 0))) * criterion.weight for criterion in rubric)
    return float(sum(weighed, Fraction(0)) / total) if total else 0.0


def verdict_of(overall: float, passes_from: float = PASSES_FROM) -> RubricVerdict:
    """The verdict that an overall score means: pass from ``passes_from``, partial from 2.5, else fail."""
    if overall >= passes_from:
        return RubricVerdict.PASS
    return RubricVerdict.PARTIAL if overall >= PARTIAL_FROM else RubricVerdict.FAIL


def shown_id(criterion: str) -> str:
    """An id fit for a sentence: as it is, or in quotes and shortened where it could be taken for more than a name."""
    return criterion if _PLAIN_ID.fullmatch(criterion) else quote(criterion, 60)


def _seed_mean(scores: Sequence[CriterionScore], rubric: Sequence[CriterionSpec]) -> float:
    weights = {criterion.id: criterion.weight for criterion in rubric}
    points_sum, weight_sum = 0.0, 0
    for score in scores:
        weight = weights.get(score.id, 1)
        points_sum, weight_sum = points_sum + score.score * weight, weight_sum + weight
    return points_sum / weight_sum if weight_sum else 0.0


def _first_defect(ids: Sequence[str], known: dict[str, None]) -> Defect | None:
    seen = set[str]()
    for criterion in ids:
        if criterion not in known:
            return Defect.UNKNOWN_CRITERION
        if criterion in seen:
            return Defect.DUPLICATE_CRITERION
        seen.add(criterion)
    return None


def _part(one: str, several: str, ids: Sequence[str], of_one: str, of_several: str) -> list[str]:
    if not ids:
        return []
    noun, verb = (one, of_one) if len(ids) == 1 else (several, of_several)
    return [f"{noun} {_named(ids)} {verb}".rstrip()]


def _named(ids: Sequence[str]) -> str:
    return listed([shown_id(criterion) for criterion in ids], _SHOWN_IDS)
