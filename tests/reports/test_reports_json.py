from __future__ import annotations

import io
import json
from dataclasses import replace
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from recorded_samples import boundless
from report_samples import CONTROLS, case, hostile, realistic, results

from proctor.results import CaseDetail, Outcome, RunResults
from proctor.trajectory import ToolCall, Trajectory
from proctor_reports import json_report, write_reports

SCHEMA = json.loads(files("proctor_reports").joinpath("schemas/report.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)


def source(run: RunResults) -> str:
    out = io.StringIO()
    report = json_report.open_report(out, run.summary, {})
    for detail in run.cases():
        report.add(detail)
    for line in run.rows():
        report.add_row(line)
    report.finish()
    return out.getvalue()


def no_constant(name: str) -> None:
    raise AssertionError(f"{name} is no JSON")


def load(run: RunResults) -> Any:
    return json.loads(source(run), parse_constant=no_constant)


def with_arguments(arguments: Any) -> RunResults:
    detail = case("c", (Outcome.FAILED,))
    trial = detail.trials[0]
    turn = replace(trial.trajectory.turns[0], tool_calls=(ToolCall("tool", arguments),))
    trajectory: Trajectory = replace(trial.trajectory, turns=(turn,))
    return results([CaseDetail(detail.score, (replace(trial, trajectory=trajectory),))])


class TestTheSchema:
    def test_it_is_a_schema(self) -> None:
        Draft202012Validator.check_schema(SCHEMA)
        assert SCHEMA["properties"]["schema_version"] == {"const": json_report.SCHEMA_VERSION}

    @pytest.mark.parametrize(
        "run", [realistic(), hostile(), results([]), boundless()], ids=["realistic", "hostile", "empty", "boundless"]
    )
    def test_reports_are_valid(self, run: RunResults) -> None:
        assert [error.message for error in VALIDATOR.iter_errors(load(run))] == []

    def test_a_member_that_it_does_not_name_is_found(self) -> None:
        data = load(realistic())
        data["cases"][0]["trials"][0]["trajectory"]["surprise"] = 1
        assert not VALIDATOR.is_valid(data)


class TestTheReport:
    def test_it_holds_the_summary_with_the_verdict_and_the_exit_code(self) -> None:
        summary = load(realistic())["summary"]
        assert (summary["decision"], summary["exit_code"], summary["may_ship"]) == ("failed", 1, False)
        assert summary["cases"] == {"passed": 2, "failed": 2, "errored": 1, "refused": 1, "unscored": 1, "skipped": 1}
        assert [gate["status"] for gate in summary["gates"]] == ["not met", "met", "could not evaluate", "not met"]
        assert summary["changes"]["newly_failing"] == ["concierge/late-arrival"]
        assert summary["provenance"]["packages"] == {"pydantic": "2.12.0"}

    def test_every_case_is_there_with_its_trials_also_those_that_passed(self) -> None:
        cases = load(realistic())["cases"]
        assert [case["case"] for case in cases][-3:] == ["two-tables", "simple", "voice-only"]
        assert [len(case["trials"]) for case in cases] == [3, 3, 3, 3, 1, 3, 3, 1]
        assert [case["flaky"] for case in cases] == [False, True, False, False, False, True, False, False]

    def test_a_trajectory_survives_the_way_there_and_back(self) -> None:
        detail = next(realistic().cases())
        data = load(realistic())["cases"][0]["trials"][0]
        expected = detail.trials[0].trajectory
        assert Trajectory.from_json(data["trajectory"], expected.cached) == expected
        assert data["cached"] == {"run_id": "run-0007", "created_at": "2026-05-01T08:00:00Z"}
        assert data["checks"][1]["verdict"]["attempts"] == 2

    def test_a_case_is_one_line_of_readable_text(self) -> None:
        lines = source(realistic()).splitlines()
        assert len(lines) == 2 + 1 + 8 + 2 + 1
        assert "tōkyō-table" in lines[5]


class TestHostileText:
    def test_lone_surrogates_survive_as_escapes(self, tmp_path: Any) -> None:
        path = write_reports(hostile(CONTROLS), tmp_path, ["json"])["json"]
        assert b"\\ud83d end" in path.read_bytes()
        assert json.loads(path.read_bytes())["cases"][0]["reason"] == CONTROLS

    @settings(max_examples=25, deadline=None)
    @given(st.text(st.characters(), max_size=40))
    def test_every_text_comes_back_as_it_was(self, text: str) -> None:
        data = load(hostile(text))
        assert data["cases"][0]["trials"][0]["trajectory"]["turns"][0]["reply"] == text
        assert data["summary"]["reason"] == text

    def test_numbers_that_json_does_not_know_become_text(self) -> None:
        data = load(with_arguments({"a": [float("nan"), float("-inf")], "b": 1.5}))
        call = data["cases"][0]["trials"][0]["trajectory"]["turns"][0]["tool_calls"][0]
        assert call["arguments"] == {"a": ["NaN", "-Infinity"], "b": 1.5}
        assert VALIDATOR.is_valid(data)
