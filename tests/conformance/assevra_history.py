"""Vectors of runs that follow each other: what each is compared with, and what comes of it.

Each run is accepted as a baseline if it reached a verdict and did not regress, as ``proctor run --accept`` does; the
original takes every run for the next baseline.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proctor.config import load_project
from proctor.dimension_scores import Change, DimensionChange, Regression
from proctor.overrides import Overrides
from proctor.stages.history import accept_unless_worse
from proctor.statistics.mcnemar import mcnemar_reported
from proctor_flows.pipeline import open_project_store
from tests.conformance.assevra_project import Evaluated, config_of, evaluate_rows, near, write_project, write_rows
from tests.conformance.verdict import Difference, Vector

_WORDS = {Change.REGRESSED: "regressed", Change.IMPROVED: "improved", Change.STABLE: "stable", Change.UNCLEAR: "stable"}


def is_history_vector(vector: Vector) -> bool:
    """Runs that share a history."""
    return vector.get("kind") == "history"


def run_history_vector(vector: Vector, folder: Path) -> list[Difference]:
    """Evaluate the runs of a vector one after the other, in one project."""
    labels: dict[str, str] = {}
    differences: list[Difference] = []
    path = folder / f"rows-{folder.name}.jsonl"  # a history of its own in the store that vectors share
    for number, (step, wanted) in enumerate(zip(vector["runs"], vector["expected"]["runs"], strict=True)):
        provider = write_project(folder, _config(vector, step), vector.get("judge_script"))
        write_rows(path, step)
        named = step.get("baseline")
        overrides = Overrides(baseline=labels.get(named, named)) if named else None
        found = asyncio.run(evaluate_rows(path, provider, overrides))
        if found.results is None:
            return [*differences, Difference(f"runs[{number}]", wanted, str(found.error))]
        with open_project_store(load_project(path)) as store:
            accept_unless_worse(store, found.summary)
        labels[step.get("label", "")] = found.summary.run_id
        differences += [
            Difference(f"runs[{number}].{difference.place}", difference.wanted, difference.seen)
            for difference in _run_differences(wanted, found)
        ]
    return differences


def _config(vector: Vector, step: Mapping[str, Any]) -> dict[str, Any]:
    merged = json.loads(json.dumps({**(vector.get("config") or {}), **(step.get("config") or {})}))
    config = config_of({"config": merged})
    if step.get("fail_on_regression"):
        config["gate"] = {**config.get("gate", {}), "fail_on_regression": True}
    return config


def _run_differences(wanted: Mapping[str, Any], found: Evaluated) -> list[Difference]:
    differences = _compare("decision", wanted["decision"], found.decision)
    differences += _compare("exit", _exit(wanted), found.exit_code)
    rates = {score.name: score.rate for score in found.summary.dimensions}
    for name, rate in wanted["scores"].items():
        differences += _compare(f"scores.{name}", round(rate, 4), round(rates.get(name, -1), 4))
    return differences + _comparison(wanted, found.summary.regression)


def _exit(wanted: Mapping[str, Any]) -> int:
    """Our exit code for a run of the original: a gate is always on, and an incomplete run has a code of its own."""
    return {"PASS": 0, "FAIL": 1, "INCOMPLETE": 3}[wanted["decision"]]


def _comparison(wanted: Mapping[str, Any], seen: Regression | None) -> list[Difference]:
    comparison = wanted["comparison"]
    if seen is None:
        return _compare("comparison", comparison["reasons"], ["baseline missing"])
    differences = _compare(
        "comparison.status", comparison["status"], "comparable" if seen.comparable else "incomparable"
    )
    differences += _compare("comparison.regressed", comparison["regressed"], seen.regressed)
    changes = {change.dimension: change for change in seen.dimensions}
    for name, delta in wanted.get("deltas", {}).items():
        change = changes.get(name)
        if change is None:
            differences.append(Difference(f"deltas.{name}", delta, None))
            continue
        for place, value in _delta(change).items():
            differences += _compare(f"deltas.{name}.{place}", delta[place], value)
    return differences


def _delta(change: DimensionChange) -> dict[str, Any]:
    status = _WORDS[change.change]
    if change.before_met is not change.now_met and change.change is not Change.REGRESSED:
        status = "now passing" if change.now_met else "now failing"
    return {
        "status": status,
        "delta": round((change.now or 0.0) - (change.before or 0.0), 4),
        "mcnemar_p": mcnemar_reported(change.lost, change.won, change.shared),
        "mcnemar_n": change.lost + change.won,
    }


def _compare(place: str, wanted: object, seen: object) -> list[Difference]:
    return [] if near(wanted, seen) else [Difference(place, wanted, seen)]
