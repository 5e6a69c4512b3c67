from __future__ import annotations

import io
import json
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from recorded_samples import DIMENSIONS, PROVENANCE, ROWS, boundless, dimension, recorded, row
from report_samples import CONTROLS, hostile, realistic, results

from proctor.dimension_scores import DimensionScore
from proctor.evidence import SigningKey, canonicalize, parse_document, sign, verify
from proctor.results import CheckResult, Counts, Decision, GateStatus, Outcome, RunResults
from proctor_reports import scorecard, write_reports

SCHEMA = json.loads(files("proctor_reports").joinpath("schemas/scorecard.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)


def source(run: RunResults) -> str:
    out = io.StringIO()
    report = scorecard.open_report(out, run.summary, {})
    for detail in run.cases():
        report.add(detail)
    report.finish()
    return out.getvalue()


def load(run: RunResults) -> Any:
    return parse_document(source(run))


def ids(run: RunResults) -> list[str]:
    return [finding["id"] for finding in load(run)["findings"]]


class TestTheSchema:
    def test_it_is_a_schema(self) -> None:
        Draft202012Validator.check_schema(SCHEMA)
        assert SCHEMA["properties"]["schema_version"] == {"const": scorecard.SCHEMA_VERSION}

    @pytest.mark.parametrize(
        "run",
        [
            recorded(),
            realistic(),
            hostile(),
            results([]),
            recorded([], dimensions=(), calibration=(), regression=None),
            boundless(),
        ],
        ids=["recorded", "played", "hostile", "empty", "nothing", "boundless"],
    )
    def test_scorecards_are_valid(self, run: RunResults) -> None:
        assert [error.message for error in VALIDATOR.iter_errors(load(run))] == []

    @pytest.mark.parametrize("path", [[], ["dimensions", 0], ["findings", 0], ["calibration", 0], ["regression"]])
    def test_a_member_that_it_does_not_name_is_found(self, path: list[Any]) -> None:
        data = part = load(recorded())
        for step in path:
            part = part[step]
        part["surprise"] = 1
        assert not VALIDATOR.is_valid(data)


class TestTheRecord:
    def test_it_names_the_run_what_was_tested_and_the_verdict(self) -> None:
        data = load(recorded())
        assert (data["run_id"], data["started_at"]) == ("run-0042", "2026-05-02T10:00:00Z")
        assert data["spec"] == {"name": "evals/booking.suite.yaml", "digest": "cd" * 32}
        assert data["data_sets"] == [{"name": "evals/rows.jsonl", "sha256": "ab" * 32}]
        assert data["judge"]["model"] == "openai:gpt-4.1"
        assert (data["decision"], data["purpose"], data["may_ship"]) == ("failed", "release", False)
        assert load(recorded(decision=Decision.PASSED))["may_ship"] is True

    def test_a_dimension_has_its_counts_its_rate_and_what_it_is_held_against(self) -> None:
        found = load(recorded())["dimensions"][3]
        assert (found["name"], found["status"], found["n"], found["passes"]) == ("task_completion", "met", 20, 19)
        assert (found["rate"], found["interval"], found["cluster_interval"]) == (0.95, [0.7, 0.99], [0.61, 1.0])
        assert (found["threshold"], found["bound"], found["min_rows"]) == (0.9, "rate", 1)
        assert found["reliability"]["flaky"] == ["late-arrival"]

    def test_without_a_decided_row_there_is_no_rate(self) -> None:
        found = load(recorded())["dimensions"][1]
        assert (found["status"], found["n"], found["rate"], found["interval"]) == ("could not evaluate", 0, None, None)
        assert found["rows"]["skipped"] == 3

    def test_the_calibration_has_its_shares(self) -> None:
        (found,) = load(recorded())["calibration"]
        assert (found["kappa"], found["trusted"]) == (0.86, True)
        assert (found["accuracy"], found["sensitivity"], found["specificity"]) == (38 / 40, 30 / 31, 8 / 9)

    def test_the_comparison_has_every_dimension(self) -> None:
        found = load(recorded())["regression"]
        assert (found["regressed"], found["dimensions"][0]["change"]) == (True, "regressed")


class TestFindings:
    def test_are_missing_dimensions_and_every_row_that_did_not_pass(self) -> None:
        assert ids(recorded()) == [
            "coverage:latency",
            "pii:p1",
            "task_completion:t1",
            "grounding:g1",
        ]

    def test_say_what_where_and_how_much_it_weighs(self) -> None:
        assert load(recorded())["findings"][1] == {
            "id": "pii:p1",
            "dimension": "pii",
            "check": "pii",
            "row": "p1",
            "outcome": "failed",
            "severity": "blocker",
            "reason": "a phone number is in the answer",
            "file": "rows.jsonl",
            "line": 7,
        }

    @pytest.mark.parametrize(
        ("name", "outcome", "severity"),
        [
            ("pii", Outcome.FAILED, "blocker"),
            ("safety", Outcome.FAILED, "blocker"),
            ("injection", Outcome.FAILED, "blocker"),
            ("cost", Outcome.FAILED, "high"),
            ("tool_call", Outcome.FAILED, "high"),
            ("tool_call", Outcome.UNSCORED, "blocker"),
            ("grounding", Outcome.ERRORED, "blocker"),
        ],
    )
    def test_weigh_more_where_harm_is_possible_or_nothing_is_known(
        self, name: str, outcome: Outcome, severity: str
    ) -> None:
        (finding,) = load(recorded([row("r", name, outcome)], dimensions=(), provenance={}))["findings"]
        assert finding["severity"] == severity

    def test_a_required_dimension_without_rows_is_missing(self) -> None:
        data = load(recorded())
        assert data["required_dimensions"] == ["task_completion", "latency"]
        assert data["missing_dimensions"] == ["latency"]
        assert data["findings"][0] == {
            "id": "coverage:latency",
            "dimension": "latency",
            "check": None,
            "row": None,
            "outcome": "missing",
            "severity": "blocker",
            "reason": "no row of the data set belongs to this dimension, and it is required",
            "file": None,
            "line": None,
        }

    def test_without_a_list_the_dimensions_with_rows_are_required(self) -> None:
        data = load(recorded(provenance={**PROVENANCE, "required_dimensions": []}))
        assert data["required_dimensions"] == [score.name for score in DIMENSIONS]
        assert data["missing_dimensions"] == ["safety"]

    def test_a_check_of_the_users_is_a_finding_of_its_own(self) -> None:
        polite = CheckResult("polite", Outcome.FAILED, "no greeting")
        good = row("t9", "task_completion", Outcome.PASSED, "all is there", (polite,))
        detail = replace(good, score=replace(good.score, outcome=Outcome.FAILED))
        (finding,) = load(recorded([detail], dimensions=(), provenance={}))["findings"]
        assert (finding["id"], finding["dimension"], finding["check"]) == ("polite:t9", "task_completion", "polite")

    def test_what_agents_played_gives_none(self) -> None:
        assert ids(realistic()) == []

    @given(st.lists(st.sampled_from(list(Outcome)), max_size=12))
    def test_there_is_one_for_each_row_that_neither_passed_nor_was_skipped(self, outcomes: list[Outcome]) -> None:
        rows = [row(str(number), "cost", outcome) for number, outcome in enumerate(outcomes)]
        expected = [
            f"cost:{number}"
            for number, outcome in enumerate(outcomes)
            if outcome not in {Outcome.PASSED, Outcome.SKIPPED}
        ]
        assert ids(recorded(rows, dimensions=(), provenance={})) == expected


class TestSigning:
    def test_a_scorecard_can_be_signed_and_written_again_without_breaking_the_signature(self, tmp_path: Path) -> None:
        first = write_reports(recorded(), tmp_path, ["scorecard"])["scorecard"].read_bytes()
        key = SigningKey.from_secret(bytes(32))
        block = sign(json.loads(first), key)
        again = write_reports(recorded(), tmp_path, ["scorecard"])["scorecard"].read_bytes()
        assert first == again
        assert verify(json.loads(again), block, key.public).is_authentic

    @settings(max_examples=25, deadline=None)
    @given(st.text(st.characters(), max_size=20), st.integers() | st.floats())
    def test_every_scorecard_has_a_canonical_form(self, text: str, number: float) -> None:
        rows = [row(text, text, Outcome.FAILED, text)]
        data = load(recorded(rows, name=text, provenance={text: number, "judge": {"model": text}}))
        assert canonicalize(data)
        assert VALIDATOR.is_valid(data)

    def test_controls_and_halves_of_characters_are_marked(self) -> None:
        (finding,) = load(recorded([row("r", "cost", Outcome.FAILED, CONTROLS)], dimensions=(), provenance={}))[
            "findings"
        ]
        assert finding["reason"].startswith("a<00>b<1B>[31mred<FFFE> <D83D> end 🚀<202E>")

    def test_a_finding_is_one_line(self) -> None:
        lines = source(recorded()).splitlines()
        assert sum(line.startswith('{"id":') for line in lines) == 4


class TestEveryStatus:
    @pytest.mark.parametrize("status", GateStatus)
    def test_is_told_as_it_is(self, status: GateStatus) -> None:
        score: DimensionScore = dimension("pii", Counts(1), status, "why")
        assert load(recorded(ROWS, dimensions=(score,)))["dimensions"][0]["status"] == status.value
