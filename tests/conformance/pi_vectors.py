"""Vectors of pi trace fixtures: is the file accepted, and what do its assertions and its ledger say."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proctor.errors import Problem, Severity
from proctor.excerpt import mark_controls
from proctor.formats.base import Defaults
from proctor.formats.pi.fixture import dump_fixture, token_ledger
from proctor.formats.pi.pi_format import PiFormat
from proctor.formats.pi.reading import read_fixture
from proctor.plan import Case
from proctor.results import CheckResult, Outcome
from proctor.stages.trial_checks import score_trial
from proctor.trajectory import Ending
from tests.conformance.verdict import Difference, Vector, compare


def is_pi_vector(vector: Vector) -> bool:
    """The lines of a fixture."""
    return "fixture_lines" in vector


def run_pi_vector(vector: Vector, folder: Path) -> list[Difference]:
    """Write the fixture into ``folder``, load it, and score the trial that it holds."""
    path = folder / "trace.jsonl"
    path.write_bytes("".join(f"{line}\n" for line in vector["fixture_lines"]).encode())
    data, expected = path.read_bytes(), vector["expected"]
    loaded = PiFormat().load(path, data, Defaults())
    errors = [problem for problem in loaded.problems if problem.severity is Severity.ERROR]
    if not expected["valid"] or errors:
        return compare("valid", expected["valid"], not errors) + _error_differences(expected, errors)
    (case,) = loaded.cases
    return [*_verdict_differences(expected, case), *_fixture_differences(expected, path, data)]


def _error_differences(expected: Mapping[str, Any], errors: list[Problem]) -> list[Difference]:
    if not errors or expected["valid"]:
        return [Difference("error", None, str(problem)) for problem in errors[:1]]
    first, mentions = errors[0], expected["error_mentions"] or ""
    differences = compare("error_line", expected["error_line"], first.line)
    said = f"{first.pointer}: {first.message}"
    if mark_controls(mentions).lower() not in said.lower():
        differences.append(Difference("error_mentions", mentions, said))
    return differences


def _verdict_differences(expected: Mapping[str, Any], case: Case) -> list[Difference]:
    assert case.recorded is not None
    outcome, found = score_trial(case, case.recorded.trajectory)
    results = [result for result in found if isinstance(result, CheckResult)]
    wanted = [assertion["passed"] for assertion in expected["assertions"]]
    differences = compare("assertions", wanted, [result.passed for result in results])
    differences += compare("passed", expected["passed"], outcome is Outcome.PASSED)
    differences += compare("ending", Ending.COMPLETED, case.recorded.trajectory.ending)
    return differences + [
        Difference(f"{result.name}.reason", "a reason", result.reason) for result in results if not result.reason
    ]


def _fixture_differences(expected: Mapping[str, Any], path: Path, data: bytes) -> list[Difference]:
    """The ledger; and what is written reads as the same again."""
    fixture, _ = read_fixture(path, data)
    assert fixture is not None
    again, problems = read_fixture(path, dump_fixture(fixture))
    differences = compare("token_ledger", expected["token_ledger"], token_ledger(fixture).to_json())
    differences += compare("problems of what is written", (), problems)
    records = (fixture.meta.record, *(turn.record for turn in fixture.turns), fixture.assertions_record)
    if again is not None:
        written = (again.meta.record, *(turn.record for turn in again.turns), again.assertions_record)
        differences += compare("what is written", records, written)
    return differences
