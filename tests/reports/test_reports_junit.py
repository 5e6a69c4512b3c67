from __future__ import annotations

import io
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_samples import CONTROLS, case, hostile, realistic, results

from proctor.excerpt import mark_controls
from proctor.results import Decision, Outcome, RunResults
from proctor_reports import junit, packed

P, F, E = Outcome.PASSED, Outcome.FAILED, Outcome.ERRORED


def parse(run: RunResults) -> ET.Element:
    out = io.StringIO()
    report = junit.open_report(out, run.summary, {})
    for detail in run.cases():
        report.add(detail)
    report.finish()
    return ET.fromstring(out.getvalue().encode())


def found(run: RunResults) -> dict[str, str]:
    """Case → the element that says how it ended, with its type."""
    return {
        str(test.get("name")): " ".join(f"{child.tag} {child.get('type', '')}".strip() for child in test)
        for test in parse(run).iter("testcase")
    }


class TestTestCases:
    def test_each_outcome_has_its_element_and_type(self) -> None:
        assert found(realistic()) == {
            "double-booking": "failure failed",
            "late-arrival": "failure failed",
            "tōkyō-table": "error errored",
            "vague-request": "error unscored",
            "rude-guest": "failure refused",
            "two-tables": "",
            "simple": "",
            "voice-only": "skipped",
        }

    def test_a_case_has_its_source_its_time_and_its_reason(self) -> None:
        test = parse(realistic()).findall(".//testcase")[1]
        assert test.attrib == {"classname": "evals/booking.yaml", "name": "late-arrival", "time": "2.438"}
        assert test[0].get("message") == "2/3 passed, needs 3/3"
        assert str(test[0].text).splitlines() == [
            "trial 1: passed",
            "trial 2: passed",
            "trial 3: failed",
            "  failed: reply_contains (turn 1): 'booked' is not in the reply",
            "  failed: polite: the judge agrees",
            '  called (turn 1): book_table({"guests": 2, "time": "19:00"}) → {"ok": true}',
        ]

    def test_the_findings_of_a_case_are_shortened(self) -> None:
        test = parse(results([case("c", (F,) * 50, reason="long " * 200)])).find(".//failure")
        assert test is not None
        assert 7_900 < len(str(test.text)) < 8_200


class TestSuites:
    def test_there_is_one_for_each_agent_with_its_own_counts(self) -> None:
        run = results(
            [case("a", (F,), agent="one"), case("a", (E,), agent="two"), case("b", (P,), agent="one"), case("c", (P,))]
        )
        suites = {suite.get("name"): dict(suite.attrib) for suite in parse(run)}
        assert list(suites) == ["one", "two", "concierge"]
        one = suites["one"]
        assert [one[name] for name in ("tests", "failures", "errors", "skipped", "time")] == [
            "2",
            "1",
            "0",
            "0",
            "1.625",
        ]
        assert suites["two"]["errors"] == "1"

    def test_the_totals_are_the_sums_of_the_suites(self) -> None:
        root = parse(realistic())
        assert [root.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["8", "3", "2", "1"]
        assert root.get("time") == "14.000"

    def test_each_carries_the_verdict_of_the_run(self) -> None:
        properties = {item.get("name"): item.get("value") for item in parse(realistic()).iter("property")}
        assert properties == {
            "verdict": "failed",
            "reason": "gate smoke is not met: 17 of 20 cases passed, needs 18",
            "run": "run-0042",
        }


class TestTheVerdict:
    def test_a_failed_run_of_passed_cases_does_not_look_green(self) -> None:
        assert found(results([case("c", (P,))], Decision.FAILED)) == {"c": "", "failed": "failure failed"}

    def test_a_run_in_which_nothing_ran_does_not_look_green(self) -> None:
        run = results([], Decision.COULD_NOT_EVALUATE, reason="Nothing ran.")
        error = parse(run).find(".//testcase/error")
        assert error is not None
        assert error.get("message") == "Nothing ran."

    def test_it_is_no_test_of_its_own_where_a_case_says_enough(self) -> None:
        assert [suite.get("name") for suite in parse(realistic())] == ["concierge"]
        assert found(results([case("c", (P,))], Decision.PASSED)) == {"c": ""}

    def test_an_outage_is_an_error_and_never_a_failure(self) -> None:
        run = results([*(case(f"c{index}", (E,)) for index in range(9)), case("ok", (P,))], Decision.COULD_NOT_EVALUATE)
        root = parse(run)
        assert (root.get("failures"), root.get("errors")) == ("0", "9")


class TestHostileText:
    def test_characters_that_xml_does_not_know_are_marked(self) -> None:
        root = parse(hostile(CONTROLS))
        messages = [str(element.get("message")) for element in root.iter("failure")]
        assert messages == [mark_controls(CONTROLS)] * 2
        assert "a<00>b<1B>[31mred<FFFE> <D83D> end 🚀" in messages[0]

    @settings(max_examples=60, deadline=None)
    @given(st.text(st.characters(), max_size=60))
    def test_it_parses_for_every_text_and_keeps_it(self, text: str) -> None:
        root = parse(hostile(text))
        assert root[0].get("name") == mark_controls(text)
        assert root[0][1].get("classname") == mark_controls(text)

    def test_suites_that_wait_compressed_are_whole_and_in_order(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(packed, "BLOCK", 100)
        names = [f"tōkyō-{index}" for index in range(20)]
        assert list(found(results([case(name, (F,)) for name in names]))) == names
