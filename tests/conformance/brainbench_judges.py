"""Vectors of rubric judges: what their replies come to in both eras, and what is wrong with those that do not count."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from proctor.brainbench.eras import Era
from proctor.brainbench.judging.rubric_reply import Settled, settle
from proctor.plan import CriterionSpec
from tests.conformance.verdict import Difference, Vector

_TOLERANCE: Final = 1e-9
_ERAS: Final = {"seed": Era.SEED, "post_audit": Era.POST_AUDIT}


def is_judge_vector(vector: Vector) -> bool:
    """The replies to one question of a rubric judge."""
    return vector.get("suite") == "judge"


def run_judge_vector(vector: Vector, _folder: Path) -> list[Difference]:
    """Settle the replies by the rules of both eras; without an era, it is the later one."""
    rubric = [CriterionSpec(item["id"], item["criterion"], item["weight"]) for item in vector["rubric"]]
    settled = {name: _told(settle(vector["responses"], rubric, era)) for name, era in _ERAS.items()}
    differences = [
        difference for name in _ERAS if name in vector for difference in _differences(name, vector[name], settled[name])
    ]
    by_default = _told(settle(vector["responses"], rubric))
    return [*differences, *_differences("default", settled["post_audit"], by_default)]


def _told(settled: Settled) -> dict[str, Any]:
    return {
        "verdict": settled.verdict.value,
        "overall_score": settled.overall_score,
        "scores": [{"criterion_id": score.id, "score": score.score} for score in settled.scores],
        "fallback_used": settled.fallback_used,
        "requests": settled.requests,
        "defects": [defect.value for defect in settled.defects],
        "input_tokens": settled.input_tokens,
        "output_tokens": settled.output_tokens,
        "cost_usd": float(settled.cost_usd),
    }


def _differences(era: str, wanted: Mapping[str, Any], seen: Mapping[str, Any]) -> list[Difference]:
    return [
        Difference(f"{era}.{name}", value, seen.get(name, "nothing"))
        for name, value in wanted.items()
        if name not in seen or not _alike(value, seen[name])
    ]


def _alike(wanted: object, seen: object) -> bool:
    if isinstance(wanted, list) and isinstance(seen, list):
        return len(wanted) == len(seen) and all(map(_alike, wanted, seen))
    if isinstance(wanted, dict) and isinstance(seen, dict):
        return wanted.keys() == seen.keys() and all(_alike(value, seen[name]) for name, value in wanted.items())
    if isinstance(wanted, bool | str) or isinstance(seen, bool | str):
        return wanted == seen and isinstance(seen, type(wanted))
    assert isinstance(wanted, int | float)
    assert isinstance(seen, int | float)
    return abs(wanted - seen) <= _TOLERANCE
