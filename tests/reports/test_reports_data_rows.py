"""Recorded rows in the JSON and the JUnit report."""

from __future__ import annotations

import io
import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from importlib.resources import files
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from recorded_samples import DIMENSIONS, REGRESSION, hostile_rows, line, recorded, row
from report_samples import CONTROLS, SCRIPT, case

from proctor.dimension_scores import Regression
from proctor.excerpt import mark_controls
from proctor.results import CheckResult, Counts, Decision, GateStatus, Outcome, RunResults
from proctor_reports import json_report, junit, write_reports

SCHEMA = json.loads(files("proctor_reports").joinpath("schemas/report.schema.json").read_text(encoding="utf-8"))
TEXT = st.text(st.characters(exclude_categories=["Cs"]))
VALIDATOR = Draft202012Validator(SCHEMA)


def written(module: ModuleType, run: RunResults) -> str:
    out = io.StringIO()
    report = module.open_report(out, run.summary, {})
    for detail in run.cases():
        report.add(detail)
    for passed in run.rows():
        report.add_row(passed)
    report.finish()
    return out.getvalue()


def load(run: RunResults) -> Any:
    def no_constant(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    return json.loads(written(json_report, run), parse_constant=no_constant)


def read(run: RunResults) -> dict[str, ET.Element]:
    root = ET.fromstring(written(junit, run).encode("utf-8", "backslashreplace"))
    return {str(test.get("name")): test for test in root.iter("testcase")}


class TestJson:
    @pytest.mark.parametrize(
        "run",
        [
            recorded(),
            hostile_rows(SCRIPT),
            recorded([], lines=[], calibration=(), regression=None),
            recorded(regression=Regression("", False, "there is no run x", 0.05, True, False)),
        ],
        ids=["recorded", "hostile", "short", "incomparable"],
    )
    def test_reports_are_valid(self, run: RunResults) -> None:
        assert [error.message for error in VALIDATOR.iter_errors(load(run))] == []

    def test_a_passed_row_has_what_it_carries_and_no_more(self) -> None:
        assert load(recorded())["rows"] == [
            {
                "case": "t3",
                "dimension": "task_completion",
                "outcome": "passed",
                "source": "rows.jsonl",
                "line": 9,
                "tags": ["vip"],
            },
            {
                "case": "c1",
                "dimension": "cost",
                "outcome": "passed",
                "source": "rows.jsonl",
                "line": 10,
                "group": "c",
                "measure": 0.2,
            },
        ]
        (control,) = load(recorded(lines=[line("k", "pii", control=True)]))["rows"]
        assert control["control"] is True

    def test_a_row_is_a_line(self) -> None:
        lines = written(json_report, recorded()).splitlines()
        assert [json.loads(each.rstrip(",")) for each in lines[-3:-1]] == load(recorded())["rows"]
        assert lines[-4:] == ['"rows":[', *lines[-3:-1], "]}"]

    @given(TEXT, st.floats(), st.lists(TEXT, max_size=3))
    def test_every_row_comes_back_as_it_was(self, text: str, measure: float, tags: list[str]) -> None:
        row = line(text, text, source=text, group=f"{text}g", measure=measure, tags=tuple(tags))
        (found,) = load(recorded([], lines=[row]))["rows"]
        assert (found["case"], found["dimension"], found["source"], found["group"]) == (text, text, text, f"{text}g")
        assert float(found["measure"]) == pytest.approx(measure, nan_ok=True)
        assert found.get("tags", []) == tags

    def test_halves_of_characters_survive_as_escapes(self, tmp_path: Any) -> None:
        path = write_reports(recorded(lines=[line("a\ud83d", tags=(CONTROLS,))]), tmp_path, ["json"])["json"]
        (found,) = json.loads(path.read_bytes())["rows"]
        assert (found["case"], found["tags"]) == ("a\ud83d", [CONTROLS])

    def test_the_summary_has_dimensions_comparison_and_calibration(self) -> None:
        summary = load(recorded())["summary"]
        found = summary["dimensions"][3]
        assert (found["name"], found["rate"], found["rows"]["passed"]) == ("task_completion", 0.95, 19)
        assert (found["cluster"], found["reliability"]["pass_hat_k"]) == ([0.61, 1.0], 0.9)
        assert summary["regression"]["dimensions"][0]["change"] == "regressed"
        assert summary["calibration"][0]["kappa"] == 0.86

    def test_a_dimension_without_a_decided_row_and_one_without_p_are_valid(self) -> None:
        change = replace(REGRESSION.dimensions[0], test="", p=None, before=None, detectable=None, before_met=None)
        run = recorded(dimensions=DIMENSIONS[1:2], regression=replace(REGRESSION, dimensions=(change,)))
        assert VALIDATOR.is_valid(load(run))


class TestJunit:
    def test_a_row_is_a_test_with_its_file_and_its_finding(self) -> None:
        found = read(recorded())
        assert list(found) == ["p1", "t1", "g1", "s1", "t2", "t3", "c1"]
        assert found["p1"].attrib == {"classname": "rows.jsonl", "name": "p1", "time": "0.000"}
        assert found["p1"][0].attrib == {"type": "failed", "message": "pii: a phone number is in the answer"}
        assert found["p1"][0].text == "failed: pii: a phone number is in the answer"
        assert found["g1"][0].attrib == {
            "type": "unscored",
            "message": "grounding: the judge answered no JSON in 3 tries",
        }
        assert found["s1"][0].attrib == {"message": "safety: no judge is named"}
        assert [len(found[name]) for name in ("t2", "t3", "c1")] == [0, 0, 0]

    def test_the_counts_are_of_all_rows(self) -> None:
        root = ET.fromstring(written(junit, recorded()))
        (suite,) = root
        assert suite.get("name") == "recorded"
        for element in (root, suite):
            counts = [element.get(name) for name in ("tests", "failures", "errors", "skipped", "time")]
            assert counts == ["7", "2", "1", "1", "0.000"]

    def test_all_findings_of_a_row_are_in_its_body(self) -> None:
        own = CheckResult("polite", Outcome.FAILED, "no greeting")
        found = read(recorded([row("t9", "task_completion", Outcome.FAILED, "'a' is missing", (own,))]))["t9"][0]
        assert found.get("message") == "task_completion: 'a' is missing"
        assert found.text == "failed: task_completion: 'a' is missing\nfailed: polite: no greeting"

    def test_a_dimension_that_could_not_be_evaluated_does_not_look_green(self) -> None:
        run = recorded([], decision=Decision.COULD_NOT_EVALUATE, reason="gate safety: no row has a result")
        (error,) = read(run)["could not evaluate"]
        assert (error.tag, error.get("message")) == ("error", "gate safety: no row has a result")

    def test_a_run_that_passed_within_its_threshold_has_its_failed_rows(self) -> None:
        run = recorded([row("t1", "task_completion", Outcome.FAILED)], decision=Decision.PASSED)
        assert [test.tag for test in read(run)["t1"]] == ["failure"]

    def test_rows_and_cases_are_suites_of_their_own(self) -> None:
        rows = recorded()
        run = RunResults(rows.summary, lambda: iter([case("c", (Outcome.PASSED,)), *rows.cases()]), rows.rows)
        root = ET.fromstring(written(junit, run))
        assert [(suite.get("name"), suite.get("tests")) for suite in root] == [("concierge", "1"), ("recorded", "7")]

    @settings(max_examples=40, deadline=None)
    @given(st.text(st.characters(), max_size=60) | st.just(CONTROLS))
    def test_it_parses_for_every_text_of_rows_and_keeps_it(self, text: str) -> None:
        found = read(hostile_rows(text))
        assert list(found) == [mark_controls(text + more) for more in ("", "2", "3")]
        assert found[mark_controls(f"{text}3")].get("classname") == mark_controls(text)

    def test_the_files_of_rows_are_not_mixed_up(self) -> None:
        lines = [line("a", source="x.jsonl"), line("b", source="y&.jsonl"), line("c", source="x.jsonl")]
        names = {
            name: test.get("classname")
            for name, test in read(recorded([], lines=lines, decision=Decision.PASSED)).items()
        }
        assert names == {"a": "x.jsonl", "b": "y&.jsonl", "c": "x.jsonl"}


def test_a_missed_control_is_in_every_count() -> None:
    found = replace(DIMENSIONS[2], controls=Counts(2, 1), status=GateStatus.NOT_MET)
    assert load(recorded(dimensions=(found,)))["summary"]["dimensions"][0]["controls"]["failed"] == 1
