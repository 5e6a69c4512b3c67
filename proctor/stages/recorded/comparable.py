"""Whether two runs over recorded rows can be compared: they asked the same of the same rows, and measured it alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from proctor.dimension_scores import DimensionScore
from proctor.excerpt import quote
from proctor.results import Decision, Summary
from proctor.stages.recorded.matching import Matched
from proctor.stages.run import Run
from proctor.trajectory import JsonValue
from proctor.wording import count, listed

_NAMED: Final = 5
_BUDGETS: Final[Mapping[str, tuple[str, ...]]] = {"cost": ("cost_usd", "price"), "latency": ("latency_ms",)}
_PATIENCE: Final = ("retries", "timeout_s")


def why_incomparable(before: Summary, now: Sequence[DimensionScore], run: Run, matched: Matched) -> str | None:
    """Why a run cannot be compared with an earlier one, as a part of a sentence; None if it can."""
    return (
        _no_baseline(before)
        or _other_purpose(before, run)
        or _other_measure(before, now, run)
        or _other_judge(before, run, matched)
        or _other_questions(matched.changed)
    )


def _no_baseline(before: Summary) -> str | None:
    """A run that was accepted has a verdict and is whole; one that was asked for by name may be neither."""
    if before.decision is Decision.COULD_NOT_EVALUATE:
        return "it reached no verdict"
    if before.partial is not None:
        return f"it ran a part of the spec only ({before.partial})"
    return None if before.dimensions else "it has no recorded rows"


def _other_purpose(before: Summary, run: Run) -> str | None:
    if before.purpose != run.plan.purpose and not before.self_test:
        return f"its purpose was {before.purpose}"
    if _required(before.provenance) != _required(run.provenance):
        return "other dimensions were required then"
    return None


def _required(facts: Mapping[str, JsonValue]) -> set[str]:
    named = facts.get("required_dimensions")
    return {str(name) for name in named} if isinstance(named, list) else set()


def _other_measure(before: Summary, now: Sequence[DimensionScore], run: Run) -> str | None:
    earlier = {score.name: score for score in before.dimensions}
    for score in now:
        then = earlier.get(score.name)
        if then is None:
            continue
        reason = _other_rule(then, score) or _other_budget(score.name, before.provenance, run.provenance)
        if reason:
            return reason
    return None


def _other_rule(then: DimensionScore, now: DimensionScore) -> str | None:
    if (then.threshold, then.bound) != (now.threshold, now.bound):
        return f"the threshold of {now.name} was {then.threshold:g} ({then.bound}) then"
    return None if then.engine == now.engine else f"{now.name} was looked for by {then.engine} then"


def _other_budget(dimension: str, then: Mapping[str, JsonValue], now: Mapping[str, JsonValue]) -> str | None:
    """A row without a budget of its own has that of the project, which its own definition does not hold."""
    for name in _BUDGETS.get(dimension, ()):
        earlier, here = (_member(facts.get("budgets"), name) for facts in (then, now))
        if earlier != here:
            return f"{name} in the budgets of the project was {'not set' if earlier is None else earlier} then"
    return None


def _member(value: JsonValue, name: str) -> JsonValue:
    return value.get(name) if isinstance(value, dict) else None


def _other_judge(before: Summary, run: Run, matched: Matched) -> str | None:
    if matched.judged and _deciding(before.provenance) != _deciding(run.provenance):
        return "another judge, or other judge settings, were used then"
    return None


def _deciding(facts: Mapping[str, JsonValue]) -> JsonValue:
    """The settings of a judge that can change a verdict: not how long it is waited for, nor how often it is tried."""
    judge = facts.get("judge")
    if not isinstance(judge, dict):
        return judge
    return {name: value for name, value in judge.items() if name not in _PATIENCE}


def _other_questions(keys: Sequence[str]) -> str | None:
    if not keys:
        return None
    names = listed([quote(key, 60) for key in sorted(keys)], _NAMED)
    return f"{count(len(keys), 'row')} ask something else now: {names}"
