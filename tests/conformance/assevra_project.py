"""The project that a vector over recorded rows is run in: a data set, its configuration, and a judge."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proctor.dataset import DatasetSettings
from proctor.errors import ProctorError, SpecError, UsageError
from proctor.formats.assevra.config import dataset_settings, read_config
from proctor.overrides import Overrides
from proctor.plan import SELF_TEST
from proctor.results import Decision, RunResults, Summary
from tests.conformance.assevra_judges import Provider, make_judge
from tests.conformance.project_files import toml

_JUDGE_OFF = {"judge": {"provider": "none"}}


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What came of a run: results, or why there are none."""

    results: RunResults | None
    error: ProctorError | None = None

    @property
    def summary(self) -> Summary:
        """The summary of a run that has one."""
        assert self.results is not None
        return self.results.summary

    @property
    def exit_code(self) -> int:
        """The exit code of the command."""
        return self.error.exit_code if self.error else self.summary.exit_code

    @property
    def decision(self) -> str | None:
        """The decision in the original's words; None for a data set that is refused."""
        if isinstance(self.error, SpecError | UsageError):
            return None
        return decision_of(self.summary)


def decision_of(summary: Summary) -> str:
    """A decision in the words of the original. A self-test and a triage never pass there, whatever they found."""
    if summary.purpose == "self-test" or summary.self_test:
        return "SELF_TEST"
    if summary.purpose == "triage":
        return "TRIAGE"
    words = {Decision.PASSED: "PASS", Decision.FAILED: "FAIL", Decision.COULD_NOT_EVALUATE: "INCOMPLETE"}
    return words[summary.decision]


def config_of(vector: Mapping[str, Any], args: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The configuration of a vector, with its arguments in their places; the judge is off unless one is scripted."""
    config = {**_JUDGE_OFF, **json.loads(json.dumps(vector.get("config") or {}))}
    args = args or {}
    gate = dict(config.get("gate") or {})
    gate |= {key: args[key] for key in ("purpose", "required_dimensions") if key in args}
    if gate:
        config["gate"] = gate
    if "thresholds" in args:
        config["thresholds"] = {**(config.get("thresholds") or {}), **args["thresholds"]}
    if "pass_k" in args:
        config["reliability"] = {"pass_k": args["pass_k"]}
    return config


def settings_of(vector: Mapping[str, Any]) -> tuple[DatasetSettings, bool]:
    """The settings of a vector's rows, and whether a release refuses its configuration; the defaults stand in then."""
    data, has_judge = json.dumps(config_of(vector)).encode(), vector.get("judge_script") is not None
    found, problems = read_config(Path("config.yml"), data)
    return dataset_settings(found, has_judge=has_judge), found is None and bool(problems)


def write_rows(path: Path, vector: Mapping[str, Any]) -> None:
    """Write the data set of a vector: raw text, raw lines, or rows."""
    if "text" in vector:
        path.write_bytes(vector["text"].encode("utf-8", "surrogatepass"))
    elif "lines" in vector:
        path.write_bytes("".join(f"{line}\n" for line in vector["lines"]).encode("utf-8", "surrogatepass"))
    else:
        path.write_text("".join(f"{json.dumps(row)}\n" for row in vector["rows"]), encoding="utf-8")


def write_project(folder: Path, config: Mapping[str, Any] | str, script: Mapping[str, Any] | None) -> Provider | None:
    """Write the settings of a project and of its data sets; the provider of its judge, if it has one."""
    own: dict[str, Any] = {"report": {"formats": ["json"]}, "concurrency": 1, "specs": ["."]}
    provider = None
    if script is not None:
        judge, provider = make_judge(script)
        own["judge"] = {"retries": 0, "backoff": 0}
        own["judge"] |= {"panel": list(judge.panel)} if judge.panel else {"model": judge.model or SELF_TEST}
    lines = ["[tool.proctor]", *(f"{key} = {toml(value)}" for key, value in own.items())]
    (folder / "pyproject.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")
    text = config if isinstance(config, str) else json.dumps(config)
    (folder / ".assevra.yml").write_text(text, encoding="utf-8")
    return provider


async def evaluate_rows(path: Path, provider: Provider | None, overrides: Overrides | None = None) -> Evaluated:
    """Run a data set as a user of the Python API would."""
    from proctor import evaluate_async

    try:
        found = await evaluate_async(path, judge=provider, overrides=overrides)
    except ProctorError as error:
        return Evaluated(None, error)
    return Evaluated(found.results)


ROW_WORDS: Mapping[str, str] = {"passed": "PASS", "failed": "FAIL", "unscored": "ERROR", "skipped": "SKIPPED"}
"""Outcomes of rows in the original's words."""


def near(wanted: object, seen: object) -> bool:
    """Whether two values are equal; numbers within 1e-9, and True is not 1."""
    if isinstance(wanted, bool) or isinstance(seen, bool):
        return wanted is seen
    if isinstance(wanted, str) and isinstance(seen, float) and not math.isfinite(seen):
        return wanted == json.dumps(seen)
    if isinstance(wanted, int | float) and isinstance(seen, int | float):
        return abs(wanted - seen) <= 1e-9 * max(1.0, abs(wanted))
    return wanted == seen
