from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path

import pytest
from recorded_samples import CALIBRATION, DIMENSIONS, dimension, recorded
from report_samples import CONTROLS, SCRIPT, hostile, realistic

from proctor.results import Counts, Decision, GateStatus, RunResults
from proctor_reports import agent_card, write_reports
from proctor_reports.governance import FRAMEWORKS, RECORD, REFERENCES

WITH_SCORECARD = {"scorecard": "scorecard.json"}


def card(run: RunResults, files: dict[str, str] | None = None) -> str:
    out = io.StringIO()
    report = agent_card.open_report(out, run.summary, WITH_SCORECARD if files is None else files)
    for detail in run.cases():
        report.add(detail)
    report.finish()
    return out.getvalue()


def line(text: str, beginning: str) -> str:
    (found,) = [each for each in text.splitlines() if each.startswith(beginning)]
    return found


class TestFigures:
    def test_a_dimension_has_its_counts_interval_and_reason(self) -> None:
        text = card(recorded())
        assert line(text, "| `task_completion` | ✓") == (
            "| `task_completion` | ✓ met | 95 % (19 of 20) | 61–100 % | rules | 19 of 20 rows passed, needs 18 |"
        )
        assert line(text, "| `pii` | ✗") == (
            "| `pii` | ✗ not met | 80 % (4 of 5) | 70–99 % | rules (patterns) | 4 of 5 rows passed, needs 5 |"
        )
        assert line(text, "| `grounding` | ✓").split(" | ")[4] == "a judge"

    def test_what_is_undecided_is_told_as_undecided(self) -> None:
        undecided = dimension("safety", Counts(2, 0, 1), GateStatus.UNDECIDED, "2 of 2 rows passed; 1 errored")
        reason = "safety could not be evaluated"
        text = card(
            recorded((), dimensions=(undecided,), reason=reason, decision=Decision.COULD_NOT_EVALUATE, provenance={})
        )
        assert "| `safety` | ! could not evaluate | 100 % (2 of 2) | 70–99 % |" in text
        assert "**! Could not evaluate: Booking assistant.**" in text
        assert "Safety could not be evaluated. May not ship: the run could not be evaluated." in text
        assert not re.search("fail(?!ure and no pass)", text, re.IGNORECASE)

    def test_a_dimension_without_a_decided_row_has_no_share(self) -> None:
        assert line(card(recorded()), "| `safety` | !").startswith(
            "| `safety` | ! could not evaluate | no row | – | rules |"
        )

    def test_a_required_dimension_without_rows_is_in_the_table(self) -> None:
        assert line(card(recorded()), "| `latency` |") == (
            "| `latency` | ! could not evaluate | no row | – | – |"
            " no row of the data set belongs to this dimension, and it is required |"
        )

    def test_a_run_without_recorded_rows_says_so(self) -> None:
        text = card(realistic())
        assert "Nothing: the run has no recorded rows." in text
        assert "Where this is evidence" not in text


class TestHead:
    def test_names_the_data_sets_the_judge_the_comparison_and_the_findings(self) -> None:
        text = card(recorded())
        assert line(text, "- Data set") == f"- Data set `evals/rows.jsonl`, SHA-256 `{'ab' * 32}`"
        assert line(text, "- Judge:") == "- Judge: `openai:gpt-4.1`"
        assert line(text, "- Against the run") == "- Against the run `run-0041`: pii is worse than before"
        assert (
            line(text, "- To look at:") == "- To look at: 4 findings, 3 blockers among them, listed in `scorecard.json`"
        )

    @pytest.mark.parametrize(
        ("judge", "shown"),
        [
            (None, "none is named"),
            ({"model": None}, "none is named"),
            ({"model": "a:b", "panel": ["x:y", "z:w"]}, "`x:y`, `z:w`"),
        ],
    )
    def test_names_every_juror_or_none(self, judge: object, shown: str) -> None:
        assert line(card(recorded(provenance={"judge": judge})), "- Judge:") == f"- Judge: {shown}"

    def test_says_where_a_signature_is_and_how_to_check_it(self) -> None:
        assert line(card(recorded()), "- Signature:") == (
            "- Signature: this page has none. The figures are those of `scorecard.json`:"
            " `proctor verify scorecard.json --public-key KEY` says whether that is signed, and by the expected key"
        )
        assert line(card(recorded(), {}), "- Signature:") == (
            "- Signature: none; the scorecard, which can be signed, was not asked for"
        )

    def test_says_that_it_is_no_certificate(self) -> None:
        assert "> This page is no certificate and no legal advice." in card(recorded())

    def test_nothing_to_look_at_is_said(self) -> None:
        assert line(card(recorded((), dimensions=(), provenance={})), "- To look at:") == "- To look at: nothing"


class TestReferences:
    def test_every_dimension_of_the_product_has_them(self) -> None:
        from proctor.checks.dimensions import DIMENSIONS as KNOWN

        assert set(REFERENCES) == set(KNOWN)

    def test_are_beside_their_dimension(self) -> None:
        text = card(recorded())
        assert line(text, "| `pii` | how often") == (
            "| `pii` | how often an answer is free of personal data that it should not hold"
            " | Art. 15(5) confidentiality | MEASURE 2.10 privacy risk"
            " | A.6.2.4 verification and validation; clause 8.3 risk treatment"
            " | LLM02 sensitive information disclosure |"
        )
        assert line(text, "| `cost` | how often").split(" | ")[2] == "–"

    def test_name_articles_functions_and_risks_that_there_are(self) -> None:
        for reference in REFERENCES.values():
            assert re.fullmatch(r"(Art\. (9|15)\(\d\).*)?", reference.eu_ai_act)
            assert all(part.strip().startswith(("MEASURE", "2.")) for part in reference.nist_ai_rmf.split(";"))
            assert re.match(r"A\.6\.2\.4|clause 9\.1", reference.iso_42001)
            assert re.match(r"LLM(0[1-9]|10) |$", reference.owasp_llm)
        assert all(len(row) == 1 + len(FRAMEWORKS[:3]) for row in RECORD)

    def test_a_dimension_that_is_not_known_has_figures_only(self) -> None:
        text = card(recorded((), dimensions=(dimension("polite", Counts(1), GateStatus.MET, "why"),), provenance={}))
        assert "| `polite` | ✓ met" in text
        assert "Where this is evidence" not in text


class TestJudges:
    def test_the_calibration_is_stated(self) -> None:
        assert line(card(recorded()), "- `grounding`") == (
            "- `grounding`: trusted; kappa 0.86 on 40 labelled rows reaches the bar of 0.85"
        )
        stale = replace(CALIBRATION, trusted=False, status="stale: of another judge")
        assert line(card(recorded(calibration=(stale,))), "- `grounding`") == (
            "- `grounding`: not trusted; stale: of another judge"
        )

    def test_a_judge_that_was_not_calibrated_is_named(self) -> None:
        assert line(card(recorded(calibration=())), "- `grounding`") == (
            "- `grounding`: not calibrated. No verdict of the judge was compared with one of a person."
        )

    def test_without_a_judge_there_is_nothing_to_trust(self) -> None:
        text = card(recorded(calibration=(), dimensions=DIMENSIONS[2:]))
        assert "How far the judges can be trusted" not in text


class TestHostileText:
    @pytest.mark.parametrize("text", [SCRIPT, CONTROLS])
    def test_it_stays_text(self, text: str) -> None:
        run = hostile(text)
        scores = (dimension(text, Counts(1), GateStatus.MET, text, engine=text, mode="llm-judge"),)
        provenance = {
            "datasets": {text: text},
            "judge": {"model": text},
            "required_dimensions": [text],
        }
        found = card(recorded(list(run.cases()), dimensions=scores, name=text, reason=text, provenance=provenance))
        assert "\x1b" not in found
        assert "<script>" not in found.replace("`", "")
        assert len({each.count(" | ") for each in found.splitlines() if each.startswith("| `")}) == 1

    def test_it_is_written_as_a_file(self, tmp_path: Path) -> None:
        paths = write_reports(recorded(), tmp_path, ["agent-card", "scorecard"])
        assert paths["agent-card"].name == "agent-card.md"
        assert "listed in `scorecard.json`" in paths["agent-card"].read_text(encoding="utf-8")
