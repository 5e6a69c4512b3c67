"""Vectors of rubric judges: what their replies come to in both eras, and what is wrong with those that do not count."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from proctor.brainbench.eras import Era
from proctor.brainbench.judging.rubric_reply import Settled, settle
from proctor.plan import CriterionSpec
from tests.conformance.members import member_differences
from tests.conformance.verdict import Difference, Vector

_ERAS: Final = {"seed": Era.SEED, "post_audit": Era.POST_AUDIT}


def is_judge_vector(vector: Vector) -> bool:
    """The replies to one question of a rubric judge."""
    return vector.get("suite") == "judge"


def run_judge_vector(vector: Vector, _folder: Path) -> list[Difference]:
    """Settle the replies by the rules of both eras; without an era, it is the later one."""
    rubric = [CriterionSpec(item["id"], item["criterion"], item["weight"]) for item in vector["rubric"]]
    settled = {name: _told(settle(vector["responses"], rubric, era)) for name, era in _ERAS.items()}
    differences = [
        difference
        for name in _ERAS
        if name in vector
        for difference in member_differences(name, vector[name], settled[name])
    ]
    by_default = _told(settle(vector["responses"], rubric))
    return [*differences, *member_differences("default", settled["post_audit"], by_default)]


def _told(settled: Settled) -> dict[str, Any]:
    return {
        "verdict": settled.verdict.value,
        "overall_score": settled.overall_score,
        "scores": [{"criterion_id": score.id, "score": score.score} for score in settled.scores],
        "fallback_used": settled.fallback_used,
        "requests": settled.asked.requests,
        "defects": [defect.value for defect in settled.asked.defects],
        "input_tokens": settled.asked.tokens.input,
        "output_tokens": settled.asked.tokens.output,
        "cost_usd": float(settled.asked.cost_usd),
    }
