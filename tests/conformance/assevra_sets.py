"""Vectors of whole data sets: validated, evaluated, and the public files of the original with their numbers."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from proctor.config import load_project
from proctor.dimension_scores import DimensionScore, Reliability
from proctor.errors import Severity
from proctor.formats.assevra.scan import scan
from proctor.formats.assevra.seen_ids import SeenIds
from proctor.overrides import Overrides
from proctor.results import GateStatus, Outcome, RunResults
from proctor.stages.dataset_choice import choose_dataset
from proctor.stages.target import find_target
from proctor.stages.validate import check_files
from proctor_reports.findings import missing_dimensions, required_dimensions, row_findings
from tests.conformance.assevra_project import (
    ROW_WORDS,
    Evaluated,
    config_of,
    evaluate_rows,
    near,
    write_project,
    write_rows,
)
from tests.conformance.verdict import Difference, Vector
from tests.machine import find_peer_files

PEER_FILES = find_peer_files()
"""Where the public files of the original are, on machines that have them."""

_EXITS = {"PASS": {0}, "FAIL": {1}, "INCOMPLETE": {3}}


def is_set_vector(vector: Vector) -> bool:
    """A data set that is evaluated or validated."""
    return vector.get("kind") in ("evaluate", "validate", "peer_file")


def is_out_of_reach(vector: Vector) -> bool:
    """A file of the original that is not on this machine."""
    return vector.get("kind") == "peer_file" and not _peer(vector["file"]).is_file()


def _peer(name: str) -> Path:
    """A public file, which vectors name with its folder in front."""
    return (PEER_FILES or Path("nowhere")).joinpath(*Path(name).parts[1:])


def run_set_vector(vector: Vector, folder: Path) -> list[Difference]:
    """Run the vector of a data set."""
    run = {"evaluate": _evaluate, "validate": _validate, "peer_file": _peer_file}[vector["kind"]]
    return run(vector, folder)


def _evaluate(vector: Vector, folder: Path) -> list[Difference]:
    args = vector.get("args") or {}
    provider = write_project(folder, config_of(vector, args), vector.get("judge_script"))
    path = folder / "rows.jsonl"
    write_rows(path, vector)
    if args.get("purpose") is None and args.get("validate") is False:
        return []  # that validation can be switched off for a release is not a thing here, and refused there
    return score_differences(vector["expected"], asyncio.run(evaluate_rows(path, provider)))


def _peer_file(vector: Vector, folder: Path) -> list[Difference]:
    provider, expected = vector.get("provider", "none"), vector["expected"]
    script = {"kind": "mock"} if provider == "mock" else None
    config = vector.get("config") or {}
    if isinstance(config, str):
        config = yaml.safe_load(_peer(config).read_text(encoding="utf-8"))
    write_project(folder, {**config, "judge": {**config.get("judge", {}), "provider": provider}}, script)
    path = folder / "rows.jsonl"
    shutil.copyfile(_peer(vector["file"]), path)
    found = asyncio.run(evaluate_rows(path, None))
    return score_differences(expected, found)


def score_differences(expected: Mapping[str, Any], found: Evaluated) -> list[Difference]:
    """Where a scorecard of the original differs from a run."""
    if expected["outcome"] != "scorecard":
        return _compare("outcome", "refused", "refused" if found.decision is None else found.decision)
    differences = _compare("decision", expected["decision"], found.decision)
    if found.decision in _EXITS and found.exit_code not in _EXITS[found.decision]:
        differences.append(Difference("exit_code", _EXITS[found.decision], found.exit_code))
    if found.results is None:
        return [*differences, Difference("results", "a scorecard", str(found.error))]
    summary = found.summary
    scores = {score.name: score for score in summary.dimensions if score.rows.total}
    places = {
        "missing_dimensions": sorted(set(missing_dimensions(summary)) & (scores.keys() | _required(summary))),
        "required_dimensions": sorted(set(required_dimensions(summary)) & (scores.keys() | _required(summary))),
        "dimensions": sorted(scores),
    }
    wanted = {
        "missing_dimensions": sorted(expected["missing_dimensions"]),
        "required_dimensions": sorted(expected["required_dimensions"]),
        "dimensions": sorted(expected["dimensions"]),
    }
    for place, seen in places.items():
        differences += _compare(place, wanted[place], seen)
    rows, controls, findings = _rows(found.results)
    for name in scores.keys() & expected["dimensions"].keys():
        differences += _dimension(name, expected["dimensions"][name], scores[name], rows)
        differences += _reliability(name, expected["reliability"].get(name), scores[name].reliability)
    differences += _compare("controls", {item["id"]: item["passed"] for item in expected["controls"]}, controls)
    if "findings" in expected:
        blanked = sorted([name, severity] for name, _, severity in expected["findings"])
        seen_findings = sorted([*findings, *([f"coverage:{name}", "blocker"] for name in places["missing_dimensions"])])
        differences += _compare("findings", blanked, seen_findings)
    return differences


def _required(summary: Any) -> set[str]:
    named = summary.provenance.get("required_dimensions")
    return set(named) if isinstance(named, list) else set()


def _rows(results: RunResults) -> tuple[dict[tuple[str, str], str], dict[str, bool], list[list[str]]]:
    """The outcome of every row, what became of controls, and the findings."""
    rows: dict[tuple[str, str], str] = {}
    controls: dict[str, bool] = {}
    findings: list[list[str]] = []
    for line in results.rows():
        if line.control:
            controls[line.key] = True
        else:
            rows[line.dimension, line.key] = ROW_WORDS[line.outcome.value]
    for detail in results.cases():
        dimension, key = detail.trials[0].checks[0].name, detail.score.case
        if dimension == "pii" and "negative-example" in detail.score.tags:
            controls[key] = detail.score.outcome is Outcome.PASSED
            continue
        rows[dimension, key] = ROW_WORDS[detail.score.outcome.value]
        findings += [[finding.id, finding.severity.value] for finding in row_findings(detail)]
    return rows, controls, findings


def _dimension(
    name: str, wanted: Mapping[str, Any], score: DimensionScore, rows: Mapping[tuple[str, str], str]
) -> list[Difference]:
    passed = {GateStatus.MET: True, GateStatus.NOT_MET: False, GateStatus.UNDECIDED: None}[score.status]
    missing = score.rows.undecided
    seen = {
        "mode": score.mode,
        "skipped": score.rows.skipped == score.rows.total,
        "n": score.rows.decided,
        "attempted": score.rows.decided + (missing if wanted["attempted"] > wanted["n"] else 0),
        "errors": missing,
        "passes": score.rows.passed,
        "rate": score.rate,
        "ci_low": score.low,
        "ci_high": score.high,
        "threshold": score.threshold,
        "passed": passed,
        "row_status": {
            key: status for (dimension, key), status in rows.items() if dimension == name and status != "SKIPPED"
        },
    }
    return [
        difference for place, value in seen.items() for difference in _compare(f"{name}.{place}", wanted[place], value)
    ]


def _reliability(name: str, wanted: Mapping[str, Any] | None, seen: Reliability | None) -> list[Difference]:
    if wanted is None or seen is None:
        return _compare(f"{name}.reliability", wanted is None, seen is None)
    values = {
        "cases": seen.cases,
        "repeated_cases": seen.repeated,
        "trials": seen.trials,
        "consistency": seen.consistency,
        "flaky_cases": list(seen.flaky),
        "k": seen.k,
        "pass_hat_k": seen.pass_hat_k,
        "pass_hat_k_cases": seen.covered,
    }
    return [
        difference
        for place, value in values.items()
        if place in wanted
        for difference in _compare(f"{name}.reliability.{place}", wanted[place], value)
    ]


def _compare(place: str, wanted: object, seen: object) -> list[Difference]:
    return [] if near(wanted, seen) else [Difference(place, wanted, seen)]


def _validate(vector: Vector, folder: Path) -> list[Difference]:
    expected = vector["expected"]
    write_project(folder, config_of(vector), None)
    path = folder / "rows.jsonl"
    write_rows(path, vector)
    if expected["outcome"] != "report":
        return _compare("outcome", expected["outcome"], "report")
    project = load_project(path)
    choice = choose_dataset(find_target(path, project), project, Overrides())
    found = scan(path, path, choice.settings.row, strict=False, ids=SeenIds())
    codes: dict[int, list[str]] = {}
    for problem in found.problems:
        codes.setdefault(problem.line, []).append(
            f"{'E' if problem.severity is Severity.ERROR else 'W'}:{problem.code}"
        )
    by_dimension = {
        name: {"LABELED": tally.labeled, "UNLABELED": tally.unlabeled, "INVALID": tally.invalid}
        for name, tally in found.tallies.items()
    }
    total = found.total
    counts = {"labeled": total.labeled, "unlabeled": total.unlabeled, "invalid": total.invalid}
    differences = [
        *_compare("counts", expected["counts"], counts),
        *_compare("by_dimension", expected["by_dimension"], by_dimension),
        *_compare("rows", {row["line"]: row["codes"] for row in expected["rows"] if row["codes"]}, codes),
    ]
    for strict, place in ((False, "exit_validate"), (True, "exit_validate_strict")):
        _, problems = check_files([path], project, strict=strict)
        failed = any(problem.severity.value == "error" for problem in problems)
        differences += _compare(place, bool(expected[place]), failed)
    code = asyncio.run(evaluate_rows(path, None)).exit_code
    wanted = {0: {0}, 1: {1, 3}, 2: {2}}.get(expected["exit_run_gate"], {f"crash: {expected['exit_run_gate']}"})
    return differences if code in wanted else [*differences, Difference("exit_run_gate", wanted, code)]
