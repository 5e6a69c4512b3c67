"""Vectors of single transcripts: is the document accepted, what does it say, and what comes of running it."""

from __future__ import annotations

import base64
import datetime
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

import proctor
from proctor.config import load_project
from proctor.errors import Problem, Severity, SpecError
from proctor.formats.transcript_model import Expect, Transcript
from proctor.formats.yaml_reader import Dialect, read_yaml
from proctor.judges.scripted import ScriptedJudge
from proctor.overrides import Overrides
from proctor.results import CaseDetail, CheckResult, Outcome, TrialScore
from proctor.stages.validate import compile_plan
from tests.conformance.mapping import ERROR_CODES, attempt_fails, attempts_of
from tests.conformance.project_files import write_settings
from tests.conformance.schema_check import schema_accepts
from tests.conformance.scripts import ScriptedAgent, judge_answers
from tests.conformance.verdict import Difference, Vector, compare

_TOOLS = ("tool_calls_include", "tool_calls_exclude")
_REPLY = ("reply_contains_any", "reply_contains_all", "reply_matches_any", "reply_matches_all")
_CONFIG_MODEL = "config-default-model"


def is_transcript_vector(vector: Vector) -> bool:
    """A document, as a value, as text or as bytes."""
    return any(key in vector for key in ("transcript", "yaml", "yaml_b64")) and "expected" in vector


def run_transcript_vector(vector: Vector, folder: Path) -> list[Difference]:
    """Write the document into a project in ``folder``, load it, and run it if the vector has an agent."""
    path = folder / "case.yaml"
    path.write_bytes(_document(vector))
    write_settings(folder, {"model": _CONFIG_MODEL, **vector.get("config", {})})
    expected = vector["expected"]
    problems = _errors(path)
    seen = True if not problems else sorted({problem.code for problem in problems})
    differences = compare("valid", True, seen) if expected["valid"] else compare("valid", False, not problems)
    differences += _schema_differences(path, expected)
    if differences or problems:
        return differences + _error_differences(expected, problems, path)
    differences += _parsed_differences(path, expected, vector.get("config", {}))
    return differences + (_run_differences(vector, folder, path) if "agent_script" in vector else [])


def _document(vector: Vector) -> bytes:
    if "yaml_b64" in vector:
        return base64.b64decode(vector["yaml_b64"])
    if "yaml" in vector:
        return str(vector["yaml"]).encode()
    text = yaml.safe_dump(vector["transcript"], allow_unicode=True, sort_keys=False, width=2**31)
    return text.encode("utf-8", "surrogatepass")


def _errors(path: Path) -> list[Problem]:
    try:
        compile_plan(path, load_project(path))
    except SpecError as error:
        return [problem for problem in error.problems if problem.severity is Severity.ERROR]
    return []


def _schema_differences(path: Path, expected: Mapping[str, Any]) -> list[Difference]:
    if "schema_valid" not in expected:
        return []
    document = read_yaml(path, path.read_bytes(), Dialect.YAML_1_1)
    if document.root is None and document.problems:
        return [] if not expected["schema_valid"] else [Difference("schema_valid", True, str(document.problems[0]))]
    return compare("schema_valid", expected["schema_valid"], schema_accepts(document.value))


def _error_differences(expected: Mapping[str, Any], problems: list[Problem], path: Path) -> list[Difference]:
    """Among all problems there must be the one that the original tells, at its place, with its hint."""
    if expected["valid"] or not problems:
        return []
    kind, place = expected["error_kind"], expected.get("error_mentions")
    found = [problem for problem in problems if problem.code in ERROR_CODES[kind]]
    if place is not None:
        found = [problem for problem in found if _is_at(problem.pointer, place)]
    if not found:
        return [Difference("error", (kind, place), [(problem.code, problem.pointer) for problem in problems])]
    hint = expected.get("error_hint")
    if hint and not any(f"did you mean {hint!r}" in (problem.hint or "") for problem in found):
        return [Difference("error_hint", hint, [problem.hint for problem in found])]
    unplaced = [str(problem) for problem in found if not problem.line and path.stat().st_size]
    return [Difference("error_line", "a line", unplaced)] if unplaced else []


def _is_at(pointer: str, place: str) -> bool:
    """At the place, or more exactly inside it."""
    return pointer == place or pointer.startswith((f"{place}[", f"{place}.")) or (not place and not pointer)


def _parsed_differences(path: Path, expected: Mapping[str, Any], config: Mapping[str, Any]) -> list[Difference]:
    if "parsed" not in expected:
        return []
    parsed = Transcript.model_validate(read_yaml(path, path.read_bytes(), Dialect.YAML_1_1).value)
    outline = compile_plan(path, load_project(path)).plan.sources[0].cases[0]
    seen = parsed.model_dump() | {"runs": outline.runs, "threshold": outline.threshold}
    for turn in seen["turns"]:
        turn["expect"] = turn["expect"] or Expect().model_dump()
        if turn["audio"] is not None:
            turn["audio"] = f"{{yaml_dir}}/{turn['audio']}"
    return compare("parsed", expected["parsed"], _tagged(seen))


def _tagged(value: Any) -> Any:
    """Values that JSON has not, in the spelling of the vectors."""
    if isinstance(value, dict):
        if all(isinstance(key, str) for key in value):
            return {key: _tagged(item) for key, item in value.items()}
        return {"$pairs": [[_tagged(key), _tagged(item)] for key, item in value.items()]}
    if isinstance(value, list):
        return [_tagged(item) for item in value]
    if isinstance(value, datetime.datetime):
        return {"$datetime": value.isoformat()}
    return {"$date": value.isoformat()} if isinstance(value, datetime.date) else value


def _run_differences(vector: Vector, folder: Path, path: Path) -> list[Difference]:
    expected = vector["expected"]
    agent = ScriptedAgent(vector["agent_script"])
    judge = ScriptedJudge(judge_answers(vector.get("judge_script", [])))
    results = proctor.evaluate(path, agent, judge=judge, overrides=Overrides(refresh=True)).results
    (detail,) = results.cases()
    if expected["crashed"]:
        differences = compare("case outcome", Outcome.ERRORED, detail.score.outcome)
        return differences + compare("exit code", 3, results.summary.exit_code)
    wanted = _mapped_runs(vector)
    differences = list(_trial_differences(wanted, detail))
    differences += compare("threshold", expected["threshold"], detail.score.threshold)
    passes = sum(run["outcome"] == "passed" for run in wanted)
    differences += compare("pass_fraction", passes / len(wanted), detail.score.counts.passed / detail.score.runs)
    if not any(run["outcome"] == "unscored" for run in wanted):
        differences += compare("passed", expected["passed"], detail.score.outcome is Outcome.PASSED)
        differences += compare("exit code", 0 if expected["passed"] else 1, results.summary.exit_code)
    differences += _judge_differences(vector, detail, judge)
    return differences + _history_differences(expected, agent, folder)


def _mapped_runs(vector: Vector) -> list[dict[str, Any]]:
    """The expected runs with Proctor's outcomes: a check whose judge failed is unscored, not failed."""
    failed = {
        (entry["run"], entry["turn"], entry["check"])
        for entry in vector.get("judge_script", [])
        if _gives_no_verdict(vector, entry)
    }
    runs = []
    for number, run in enumerate(vector["expected"]["runs"]):
        turns = []
        for position, turn in enumerate(run["turns"]):
            checks = {
                check["check"]: "unscored"
                if (number, position, check["check"]) in failed
                else "passed"
                if check["passed"]
                else "failed"
                for check in turn["checks"]
            }
            turns.append({"checks": checks, "fields": turn["fields"]})
        outcomes = {outcome for turn in turns for outcome in turn["checks"].values()}
        decisive = next((outcome for outcome in ("failed", "unscored") if outcome in outcomes), "passed")
        runs.append({"turns": turns, "outcome": decisive})
    return runs


def _gives_no_verdict(vector: Vector, entry: Mapping[str, Any]) -> bool:
    """Whether a judge call ends without a verdict, given the attempts that were made."""
    attempts = attempts_of(entry)
    tries = vector.get("config", {}).get("retries", 2) + 1
    made = [attempts[min(number, len(attempts) - 1)] for number in range(tries)]
    return all(map(attempt_fails, made))


def _trial_differences(wanted: list[dict[str, Any]], detail: CaseDetail) -> Iterator[Difference]:
    yield from compare("runs", len(wanted), len(detail.trials))
    for number, (run, trial) in enumerate(zip(wanted, detail.trials, strict=False)):
        place = f"runs[{number}]"
        yield from compare(f"{place}.outcome", run["outcome"], trial.outcome.value)
        yield from compare(f"{place}.turns", len(run["turns"]), len(trial.trajectory.turns))
        for position, turn in enumerate(run["turns"]):
            own = [check for check in trial.checks if check.turn == position]
            yield from compare(f"{place}.turns[{position}].checks", turn["checks"], _grouped(own))
            fields = {check.name: check.passed for check in own if check.name in (*_TOOLS, *_REPLY)}
            yield from compare(f"{place}.turns[{position}].fields", turn["fields"], fields)


def _grouped(checks: list[CheckResult]) -> dict[str, str]:
    """Checks in the original's granularity: all tool fields are one check, all reply fields another."""
    groups: dict[str, list[Outcome]] = {}
    for check in checks:
        name = "tool_calls" if check.name in _TOOLS else "reply" if check.name in _REPLY else check.name
        groups.setdefault(name, []).append(check.outcome)
    return {name: outcomes[0].value if len(set(outcomes)) == 1 else "failed" for name, outcomes in groups.items()}


def _judge_differences(vector: Vector, detail: CaseDetail, judge: ScriptedJudge) -> list[Difference]:
    wanted = vector["expected"].get("judge_calls")
    if wanted is None:
        return []
    seen = [call for trial in detail.trials for call in _judge_calls(trial)]
    probes = vector.get("judge_probes", [])
    for call, prompt in zip(seen, judge.prompts, strict=False):
        if probes:
            call["prompt_mentions"] = {probe: prompt.count(probe) for probe in probes}
    return compare("judge_calls", sorted(wanted, key=_call_place), sorted(seen, key=_call_place))


def _judge_calls(trial: TrialScore) -> Iterator[dict[str, Any]]:
    for check in trial.checks:
        if check.verdict is not None:
            yield {
                "run": trial.ref.trial,
                "turn": check.turn,
                "check": check.name,
                "model": check.verdict.model,
                "attempts": check.verdict.attempts,
            }


def _call_place(call: Mapping[str, Any]) -> tuple[int, int, str]:
    return call["run"], call["turn"], call["check"]


def _history_differences(expected: Mapping[str, Any], agent: ScriptedAgent, folder: Path) -> list[Difference]:
    if "history" not in expected:
        return []
    seen = [[[_relative(message, folder) for message in turn] for turn in run] for run in agent.histories]
    return compare("history", expected["history"], seen)


def _relative(message: dict[str, Any], folder: Path) -> dict[str, Any]:
    if "audio" not in message:
        return message
    return {
        **message,
        "audio": message["audio"].replace(str(folder.resolve()), "{yaml_dir}").replace(str(folder), "{yaml_dir}"),
    }
