"""Vectors of judges measured against people.

They are run as the original behaves (``compat: upstream``), but for those that say themselves that it is arguable.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proctor.config import load_project
from proctor.dimension_scores import CalibrationScore
from proctor.errors import ProctorError
from proctor.stages.recorded.agreement import Agreement, agreement
from proctor.stages.recorded.labels import calibration_plan
from proctor.stages.run import Given
from proctor_flows.inline import evaluate_inline
from proctor_flows.pipeline import Request, compile_request, open_project_store
from tests.conformance.assevra_judges import Provider
from tests.conformance.assevra_project import config_of, near, write_project, write_rows
from tests.conformance.verdict import Difference, Vector

EXITS: Mapping[str, int] = {"no_labels": 2, "no_judged_labels": 2, "no_judge": 2, "judge_incomplete": 3}
"""Our exit code for each reason for which the original stops with 2: a verdict that cannot be had is an outage."""


def is_calibration_vector(vector: Vector) -> bool:
    """Labelled rows and a judge."""
    return vector.get("kind") == "calibrate"


def run_calibration_vector(vector: Vector, folder: Path) -> list[Difference]:
    """Calibrate the judge of a vector on its rows."""
    provider = write_project(folder, config_of(vector), vector.get("judge_script"))
    if "deviation" not in vector:
        settings = folder / "pyproject.toml"
        settings.write_text(settings.read_text(encoding="utf-8") + 'compat = "upstream"\n', encoding="utf-8")
    path = folder / "rows.jsonl"
    write_rows(path, vector)
    expected = vector["expected"]
    wanted = EXITS[expected["why"]] if "why" in expected else expected["exit"]
    try:
        found = asyncio.run(_calibrated(path, vector, provider))
    except ProctorError as error:
        return _compare("exit", wanted, error.exit_code)
    differences = _compare("exit", wanted, found.exit_code)
    if "overall" not in expected:
        return differences
    differences += _figures("overall", expected["overall"], found.overall)
    scores = {score.dimension: score for score in found.measured}
    for name, figures in expected["per_dimension"].items():
        differences += (
            _figures(f"per_dimension.{name}", figures, scores[name])
            if name in scores
            else [Difference(f"per_dimension.{name}", figures, None)]
        )
    return differences


async def _calibrated(path: Path, vector: Vector, provider: Provider | None) -> Agreement:
    project = load_project(path)
    request = Request(path, project, given=Given(judge=provider), fresh=True)
    compiled = compile_request(request, frozenset())
    label_field, bar = vector.get("label_field"), vector.get("bar")
    request.compiled = calibration_plan(compiled, label_field=label_field, bar=bar)
    with open_project_store(project) as store:
        finished = await evaluate_inline(request, store)
        summary, settings = finished.results.summary, request.compiled.plan.dataset
        assert settings is not None
        return agreement(summary.calibration, store.row_lines(summary.run_id), settings.calibration)


def _figures(place: str, wanted: Mapping[str, Any], score: CalibrationScore) -> list[Difference]:
    seen = {
        "n": score.rows,
        "accuracy": score.accuracy,
        "kappa": score.kappa,
        "sensitivity": score.sensitivity,
        "specificity": score.specificity,
        "tp": score.true_pass,
        "fp": score.false_pass,
        "tn": score.true_fail,
        "fn": score.false_fail,
        "trustworthy": score.trusted,
    }
    return [difference for key, value in wanted.items() for difference in _compare(f"{place}.{key}", value, seen[key])]


def _compare(place: str, wanted: object, seen: object) -> list[Difference]:
    return [] if near(wanted, seen) else [Difference(place, wanted, seen)]
