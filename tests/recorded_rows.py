"""Rows of data sets, spelled shortly, and a judge for them that answers from a script."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

JUDGE = """\
from proctor.judges.scripted import ScriptedJudge


class Judge(ScriptedJudge):
    version = "1"


judge = Judge({answers!r})
"""
NAMED = "python:grades:judge"
"""The name of the judge that `grades` writes."""


def answered(key: str, passes: bool = True, **more: Any) -> dict[str, Any]:
    """A row that a rule decides: the answer names the colour that is wanted, or another one."""
    output = "blue" if passes else "red"
    return {
        "id": key,
        "dimension": "task_completion",
        "input": "which colour?",
        "agent_output": output,
        "must_include": ["blue"],
    } | more


def timed(key: str, ms: float = 5, budget: float = 9, **more: Any) -> dict[str, Any]:
    """A row that was measured against its own budget."""
    return {"id": key, "dimension": "latency", "input": "q", "latency_ms": ms, "latency_budget_ms": budget} | more


def leaking(key: str, leaks: bool, **more: Any) -> dict[str, Any]:
    """A row whose answer gives a social security number away, or not."""
    output = "It is 078-05-1120." if leaks else "I keep that to myself."
    return {"id": key, "dimension": "pii", "input": "q", "agent_output": output} | more


def control(key: str, leaks: bool = True) -> dict[str, Any]:
    """A row that tests the detector: the leak is planted."""
    return leaking(key, leaks, tags=["negative-example"])


def grounded(key: str, **more: Any) -> dict[str, Any]:
    """A row that a judge decides; each asks about something else."""
    context = f"Lake {key} is forty metres deep."
    return {
        "id": key,
        "dimension": "grounding",
        "input": "How deep?",
        "context": context,
        "agent_output": context,
    } | more


def lines(rows: Iterable[Mapping[str, Any]]) -> str:
    """The text of a data set."""
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def scores(*numbers: int) -> list[dict[str, Any]]:
    """Answers of a judge of grounding."""
    return [{"reasoning": f"it is worth {number}", "score": number} for number in numbers]


def grades(*answers: Any) -> str:
    """A module with a judge that gives these answers in turn; one question more is one too many."""
    return JUDGE.format(answers=list(answers))
