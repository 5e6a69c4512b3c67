"""Vectors of single functions, and of configuration text."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from proctor.errors import Severity
from proctor.formats.assevra.config import read_config
from proctor.formats.assevra.config_text import read_config_text
from proctor.judges.panel import panel_score
from proctor.judges.row_verdict import read_row_verdict
from proctor.statistics.human_label import human_label
from proctor.statistics.kappa import agreement, kappa_reported
from proctor.statistics.mcnemar import mcnemar_reported
from proctor.statistics.pass_k import pass_hat_k
from proctor.statistics.percentile import percentile
from proctor.statistics.reliability import reliability
from proctor.statistics.wilson import wilson_reported
from tests.conformance.assevra_project import near
from tests.conformance.verdict import Difference, Vector


def is_function_vector(vector: Vector) -> bool:
    """A function with its arguments, or a configuration text."""
    return vector.get("kind") in ("function", "config")


def run_function_vector(vector: Vector, _folder: Path) -> list[Difference]:
    """Call the function, or read the text."""
    if vector["kind"] == "config":
        return _config(vector)
    return _differences(vector["expected"], _FUNCTIONS[vector["function"]](vector["args"]))


def _differences(wanted: Any, seen: Any, place: str = "value") -> list[Difference]:
    if isinstance(wanted, dict) and isinstance(seen, Mapping):
        return [
            difference for key in wanted for difference in _differences(wanted[key], seen.get(key), f"{place}.{key}")
        ]
    return [] if near(wanted, seen) else [Difference(place, wanted, seen)]


def _wilson(args: Mapping[str, Any]) -> Any:
    low, high = wilson_reported(args["passes"], args["n"])
    return {"low": low, "high": high}


def _reliability(args: Mapping[str, Any]) -> Any:
    found = reliability(((name, sum(trials), len(trials)) for name, trials in args["cases"].items()), args["k"])
    if found is None:
        return {"value": None}
    return {
        "cases": found.cases,
        "repeated_cases": found.repeated,
        "trials": found.trials,
        "consistency": found.consistency,
        "flaky_cases": list(found.flaky),
        "pass_hat_k": found.pass_hat_k,
        "pass_hat_k_cases": found.covered,
        "k": found.k,
    }


def _kappa(args: Mapping[str, Any]) -> Any:
    found = agreement(zip(args["judge"], args["human"], strict=True))
    counts = (found.true_pass, found.false_pass, found.true_fail, found.false_fail)
    return {
        "n": found.rows,
        "accuracy": found.accuracy,
        "kappa": kappa_reported(*counts),
        "sensitivity": found.sensitivity,
        "specificity": found.specificity,
        **dict(zip(("tp", "fp", "tn", "fn"), counts, strict=True)),
    }


def _mcnemar(args: Mapping[str, Any]) -> Any:
    pairs = list(zip(args["before"], args["after"], strict=True))
    lost, won = pairs.count((True, False)), pairs.count((False, True))
    return {"p": mcnemar_reported(lost, won, len(pairs)), "discordant": lost + won}


def _value(function: Callable[[Mapping[str, Any]], Any]) -> Callable[[Mapping[str, Any]], Any]:
    return lambda args: {"value": function(args)}


_FUNCTIONS: Mapping[str, Callable[[Mapping[str, Any]], Any]] = {
    "wilson": _wilson,
    "pass_hat_k": _value(lambda args: pass_hat_k(args["passes"], args["n"], args["k"])),
    "reliability": _reliability,
    "kappa": _kappa,
    "label": _value(lambda args: human_label(args["value"])),
    "mcnemar": _mcnemar,
    "percentile": _value(lambda args: percentile(sorted(args["values"]), args["q"])),
    "verdict": _value(lambda args: read_row_verdict(args["text"])),
    "median": _value(lambda args: panel_score(args["scores"])),
}


def _config(vector: Vector) -> list[Difference]:
    """Read a text as a value; a text that is refused has an error among its problems."""
    expected, data = vector["expected"], vector["text"].encode()
    document = read_config_text(Path("config.yml"), data)
    failed = any(problem.severity is Severity.ERROR for problem in document.problems)
    failed = failed or not isinstance(document.value, dict)
    if failed or expected["error"]:
        return _differences(expected["error"], failed, "error")
    _, problems = read_config(Path("config.yml"), data, purpose="triage")
    unknown = [problem.pointer for problem in problems if problem.code == "unknown_field"]
    differences = _differences(
        json.dumps(expected["value"], sort_keys=True), json.dumps(document.value, sort_keys=True)
    )
    return differences + _differences(sorted(expected.get("unknown_keys", [])), sorted(unknown), "unknown_keys")
