"""Vectors of whole projects: discovery, settings, gates, and the exit code."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import proctor
from proctor.config import load_project
from proctor.errors import ProctorError, SpecError
from proctor.results import CaseScore, GateScore, GateStatus, Outcome, RunResults
from tests.conformance.mapping import EXIT_CODES
from tests.conformance.project_files import write_settings
from tests.conformance.scripts import AnsweringAgent
from tests.conformance.verdict import Difference, Vector, compare

_OURS = {Outcome.PASSED: "passed", Outcome.FAILED: "failed", Outcome.SKIPPED: "skipped"}


def is_project_vector(vector: Vector) -> bool:
    """Files."""
    return "files" in vector


def run_project_vector(vector: Vector, folder: Path) -> list[Difference]:
    """Lay the files out and evaluate the project as a user would: a path if one is named, else its own folders."""
    root = folder / "project"
    for name, text in vector["files"].items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    write_settings(root, upstream=True)
    expected = vector["expected"]
    named = [argument for argument in vector.get("args", []) if not argument.startswith("-")]
    with _surroundings(root, vector.get("env", {})):
        try:
            path = Path(named[0]) if named else None
            results = proctor.evaluate(path, AnsweringAgent(vector["agent"]), project=load_project(root)).results
        except ProctorError as error:
            return _error_differences(expected, error)
        return _result_differences(_with_errors(expected, vector), results)


@contextmanager
def _surroundings(root: Path, environment: Mapping[str, str]) -> Iterator[None]:
    before, folder = dict(os.environ), Path.cwd()
    os.environ.update(environment)
    os.chdir(root)
    try:
        yield
    finally:
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(before)


def _with_errors(expected: Mapping[str, Any], vector: Vector) -> dict[str, Any]:
    """The expectation in Proctor's terms: what the original fails for an exception of the agent is errored."""
    raising = [text for text, step in (vector["agent"] or {}).items() if "raise" in step]
    results = dict(expected["results"])
    for name in results:
        text = vector["files"][name.partition("::")[0]]
        if any(f"user: {word}" in text for word in raising):
            results[name] = "errored"
    errored = "errored" in results.values() and expected["exit_code"] == 1
    return {**expected, "results": results, "exit_code": 3 if errored else expected["exit_code"]}


def _error_differences(expected: Mapping[str, Any], error: ProctorError) -> list[Difference]:
    differences = []
    if error.exit_code != EXIT_CODES[expected["exit_code"]]:
        codes = sorted({problem.code for problem in error.problems}) if isinstance(error, SpecError) else []
        differences.append(Difference("error", expected["exit_code"], (error.exit_code, type(error).__name__, codes)))
    if expected.get("collect_errors"):
        assert isinstance(error, SpecError)
        files = sorted({str(problem.path) for problem in error.problems})
        differences += compare("collect_errors", expected["collect_errors"], files)
    return differences


def _result_differences(expected: Mapping[str, Any], results: RunResults) -> list[Difference]:
    scores = {f"{detail.score.source}::{_id(detail.score)}": detail.score for detail in results.cases()}
    seen = {name: _OURS.get(score.outcome, score.outcome.value) for name, score in scores.items()}
    differences = compare("collected", sorted(expected["collected"]), sorted(scores))
    differences += compare("results", dict(sorted(expected["results"].items())), dict(sorted(seen.items())))
    differences += compare("exit_code", EXIT_CODES[expected["exit_code"]], results.summary.exit_code)
    groups = [_group(gate) for gate in results.summary.gates]
    differences += compare("groups", expected.get("groups", []), groups) if "groups" in expected else []
    if "exit_overridden" in expected:
        failed = any(score.outcome is Outcome.FAILED for score in scores.values())
        differences += compare("exit_overridden", expected["exit_overridden"], failed and not results.summary.exit_code)
    if "report_rows" in expected:
        rows = sorted((_row(score) for score in scores.values()), key=str)
        differences += compare("report_rows", sorted(expected["report_rows"], key=str), rows)
    return differences


def _id(score: CaseScore) -> str:
    return score.case.removeprefix(f"{score.source}::")


def _group(gate: GateScore) -> dict[str, Any]:
    passed = gate.status is GateStatus.MET and bool(gate.ran)
    return {"name": gate.name, "passed": passed, "total": gate.ran, "passed_count": gate.passed}


def _row(score: CaseScore) -> dict[str, Any]:
    return {
        "name": _id(score),
        "runs": score.runs,
        "passed_runs": score.counts.passed,
        "score": f"{score.counts.passed / score.runs:.2f}",
        "threshold": f"{score.threshold:.2f}",
        "passed": score.outcome is Outcome.PASSED,
    }
