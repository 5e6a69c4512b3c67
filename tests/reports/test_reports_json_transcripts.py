from __future__ import annotations

import io
import json
from dataclasses import replace
from importlib.resources import files
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from report_samples import CONTROLS, realistic
from transcript_samples import CLAIMS, PROBES, baseline, hostile_transcripts, of_one, transcripts

from proctor.category_scores import TranscriptFindings
from proctor.results import RunResults
from proctor_reports import json_report

SCHEMA = json.loads(files("proctor_reports").joinpath("schemas/report.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
ONE = replace(of_one(), metrics=(*of_one().metrics, CLAIMS))


def data(run: RunResults) -> Any:
    out = io.StringIO()
    report = json_report.open_report(out, run.summary, {})
    for detail in run.cases():
        report.add(detail)
    report.finish()
    return json.loads(out.getvalue())


class TestTheReport:
    @pytest.mark.parametrize(
        "run",
        [
            transcripts(),
            transcripts(ONE, PROBES[:1]),
            transcripts(baseline(), gates=()),
            transcripts(TranscriptFindings("seed"), []),
            hostile_transcripts(CONTROLS),
        ],
        ids=["two", "one", "baseline", "none", "hostile"],
    )
    def test_reports_are_valid(self, run: RunResults) -> None:
        assert [error.message for error in VALIDATOR.iter_errors(data(run))] == []

    def test_it_holds_all_findings(self) -> None:
        found = data(transcripts())["summary"]["transcripts"]
        assert [*found] == ["rules", "card", "metrics", "adapters", "differences", "planted", "reviews"]
        assert found["card"][0] == {"name": "rules", "value": "post-audit"}
        first, empty = found["metrics"][0], found["metrics"][5]
        assert (first["rate"], first["low"], first["status"], first["held"]) == (0.95, 0.73, "met", True)
        assert first["trials"]["failed"] == 1
        assert first["runs"] == {"mean": 0.95, "deviation": 0.016, "per_run": [0.96, 0.94, 0.95]}
        assert (empty["rate"], empty["low"], empty["high"]) == (None, None, None)
        assert found["adapters"][1]["cost_usd"] is None
        assert [each["outcome"] for each in found["differences"]] == ["worse", "inconclusive", "better"]
        assert found["differences"][2]["in_points"] is True
        assert found["planted"][0]["sightings"] == 7
        assert found["reviews"][1]["kappa"] is None

    def test_a_run_without_transcripts_has_a_null(self) -> None:
        assert data(realistic())["summary"]["transcripts"] is None

    def test_a_verdict_keeps_its_criteria(self) -> None:
        check = data(transcripts())["cases"][0]["trials"][0]["checks"][1]
        assert check["verdict"]["criteria"][0] == {
            "id": "names-people",
            "score": 4.5,
            "rationale": "The briefing names both people.",
        }

    def test_members_that_the_schema_does_not_name_are_found(self) -> None:
        report = data(transcripts())
        report["summary"]["transcripts"]["metrics"][0]["surprise"] = 1
        assert not VALIDATOR.is_valid(report)
