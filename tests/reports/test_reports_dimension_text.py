from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recorded_samples import CALIBRATION, DIMENSIONS, REGRESSION, as_gates, dimension, recorded
from report_samples import case, gate, realistic, results

from proctor.dataset import RECORDED
from proctor.dimension_scores import Change, DimensionScore, Measures, Regression, Reliability
from proctor.results import Changes, Counts, GateScore, GateStatus, Outcome, Summary
from proctor.statistics.threshold import needed_passes
from proctor.trajectory import Usage
from proctor_reports import comparison_text as versus
from proctor_reports import dimension_text as dims
from proctor_reports import row_counts
from proctor_reports import summary_text as text
from proctor_reports.own_gates import other_gates

MET, NOT_MET = GateStatus.MET, GateStatus.NOT_MET
P, F = Outcome.PASSED, Outcome.FAILED


def mixed() -> Summary:
    played = results([case("a", (P, F)), case("b", (P,))]).summary
    rows = recorded().summary
    return replace(
        played, dimensions=rows.dimensions, cases=played.cases + rows.cases, trials=played.trials + rows.trials
    )


class TestRowsAndCases:
    def test_a_run_over_rows_counts_rows_only(self) -> None:
        assert text.tallies(recorded().summary) == {"Rows": "39 (33 passed, 3 failed, 3 skipped)"}

    def test_controls_are_rows_that_are_named(self) -> None:
        found = replace(DIMENSIONS[2], controls=Counts(3, 1))
        assert text.tallies(recorded(dimensions=(found,)).summary) == {
            "Rows": "9 (7 passed, 2 failed), 4 of them controls"
        }

    def test_a_run_over_both_tells_them_apart(self) -> None:
        assert text.tallies(mixed()) == {
            "Cases": "2 (1 passed, 1 failed)",
            "Trials": "3 (2 passed, 1 failed)",
            "Rows": "39 (33 passed, 3 failed, 3 skipped)",
        }
        assert (row_counts.noun(mixed()), row_counts.noun(recorded().summary)) == ("case", "row")
        assert row_counts.noun(results([]).summary) == "case"

    def test_without_an_agent_no_cost_of_one_is_unknown(self) -> None:
        run = recorded().summary
        assert text.cost_line(run) == "no agent was called, 1 recorded row cost $0.2000, no judge was paid"
        assert text.cost_line(recorded(dimensions=DIMENSIONS[:2]).summary) == "no agent was called, no judge was paid"
        assert text.cost_line(mixed()) == "agent $0.0021, 1 recorded row cost $0.2000, no judge was paid"
        paid = replace(run, judge_usage=Usage(requests=1))
        assert text.cost_line(paid).endswith("judges cost not known")

    @pytest.mark.parametrize(("value", "shown"), [(0, "$0.0000"), (0.00004, "$0.0000400"), (1234.5, "$1,234.5000")])
    def test_a_small_amount_does_not_look_like_nothing(self, value: float, shown: str) -> None:
        assert text.dollars(value) == shown

    def test_the_cache_line_counts_what_can_come_from_the_cache(self) -> None:
        run = replace(recorded().summary, cached_verdicts=2, cached_since=None)
        assert text.cache_line(run) == "2 verdicts came from the cache."
        assert text.cache_line(replace(mixed(), cached_since=None)) == "1 of 3 trials came from the cache."

    def test_changes_of_rows_are_shown_only_beside_a_comparison_that_found_some(self) -> None:
        found = Changes("run-1", newly_failing=("recorded/p1",))
        run = replace(recorded().summary, changes=found)
        assert row_counts.shown_changes(run) == found
        assert row_counts.shown_changes(replace(run, changes=Changes("run-1"))) is None
        assert row_counts.shown_changes(replace(run, regression=None)) is None
        assert row_counts.shown_changes(realistic().summary) is not None


class TestGates:
    def test_dimensions_are_not_among_the_other_gates(self) -> None:
        own = gate(name="pii", agent=RECORDED)
        run = replace(recorded().summary, gates=(own, *as_gates(DIMENSIONS)))
        assert other_gates(run) == (own,)

    def test_a_gate_over_rows_counts_rows(self) -> None:
        found = gate(agent=RECORDED)
        assert (text.gate_line(found), text.gate_why(found)) == ("17 of 20 rows passed, needs 18", "")

    @pytest.mark.parametrize("reason", ["regressed: pii", "grounding: kappa 0.4 on 9 labelled rows"])
    def test_a_gate_over_something_else_says_its_reason_once(self, reason: str) -> None:
        found = GateScore("no regression", RECORDED, NOT_MET, reason, 1.0, 8, 8, 7, 0, needed=8)
        assert (text.gate_line(found), text.gate_why(found)) == (reason, "")

    def test_must_pass_rows_that_failed_are_named(self) -> None:
        found = gate(agent=RECORDED, reason="must pass and did not: p1", pinned_failed=("p1",), pinned_missing=("p2",))
        assert text.gate_line(found) == "must pass and did not: p1"
        assert text.gate_why(found) == "must pass and did not run: p2"

    def test_dimensions_are_named_by_status_the_worst_first(self) -> None:
        assert dims.by_status(recorded().summary) == {
            "not met": ["pii"],
            "could not evaluate": ["safety"],
            "met": ["grounding", "task_completion", "cost"],
        }


class TestDimensions:
    def test_the_counts_and_what_they_need(self) -> None:
        assert [dims.passed_line(score) for score in DIMENSIONS] == [
            "9 of 10",
            "no result",
            "4 of 5",
            "19 of 20",
            "1 of 1",
        ]
        assert [dims.rate_line(score) for score in DIMENSIONS] == ["90 %", "", "80 %", "95 %", "100 %"]
        assert [dims.needs_line(score) for score in DIMENSIONS] == ["9", "90 %", "5", "18", "1"]

    def test_a_lower_bound_and_a_least_number_of_rows_are_said(self) -> None:
        plain = DIMENSIONS[3]
        assert dims.needs_in_full(plain) == "18 (90 %)"
        assert (
            dims.needs_in_full(replace(plain, bound="lower", min_rows=30)) == "an interval from 90 %, 30 rows or more"
        )
        assert dims.needs_line(replace(plain, bound="lower")) == "from 90 %"
        assert dims.needs_in_full(replace(plain, rows=Counts(), threshold=0.955)) == "95.5 %"

    @given(st.integers(0, 400), st.integers(0, 400), st.sampled_from([0.5, 0.67, 0.9, 0.95, 1.0]))
    def test_a_reason_is_left_out_only_where_the_columns_say_it(
        self, passed: int, failed: int, threshold: float
    ) -> None:
        total = passed + failed
        noun = "row" if total == 1 else "rows"
        counted = f"{passed} of {total} {noun} passed, needs {needed_passes(total, threshold)}"
        score = dimension("pii", Counts(passed, failed), NOT_MET, counted, threshold=threshold)
        assert dims.why_line(score) == ""
        assert dims.why_line(replace(score, reason=f"{counted}; 1 unscored")) == f"{counted}; 1 unscored"

    @pytest.mark.parametrize(
        ("score", "self_test", "shown"),
        [
            (DIMENSIONS[0], False, "judge"),
            (DIMENSIONS[0], True, "self-test"),
            (DIMENSIONS[2], True, "rule (patterns)"),
            (DIMENSIONS[3], False, "rule"),
        ],
    )
    def test_who_decided(self, score: DimensionScore, self_test: bool, shown: str) -> None:
        assert dims.decided_by(score, self_test=self_test) == shown

    @pytest.mark.parametrize(
        ("controls", "shown"),
        [
            (Counts(1), "the one control was caught"),
            (Counts(3), "all 3 controls were caught"),
            (Counts(2, 1), "2 of 3 controls caught, 1 missed"),
            (Counts(0, 0, unscored=1), "0 of 1 control caught, 1 missed"),
        ],
    )
    def test_controls(self, controls: Counts, shown: str) -> None:
        assert dims.controls_line(controls) == shown

    def test_repeated_cases(self) -> None:
        found = Reliability(12, 10, 30, 0.9, 2, 0.8123, 1.0, 10, ("late-arrival",))
        assert dims.reliability_line(found) == (
            "pass^2 81.2 %, pass@2 100 %, consistency 90 %; 10 of 12 cases repeated; 1 flaky: late-arrival"
        )
        few = replace(found, k=5, pass_hat_k=None, pass_at_k=None, covered=0, flaky=tuple("abcdefg"))
        assert dims.reliability_line(few) == (
            "pass^5 is not known, as no case has 5 trials, consistency 90 %;"
            " 10 of 12 cases repeated, 0 with 5 trials or more; 7 flaky: a, b, c, d, e and 2 more"
        )
        assert dims.flaky_line(replace(found, flaky=())) == "none is flaky"

    def test_cost_is_in_dollars_and_latency_in_milliseconds(self) -> None:
        assert dims.measures_line("cost", Measures(2, 0.3, 0.15, 0.1, 0.2, 0.2)) == (
            "2 rows: total $0.3000, mean $0.1500, p50 $0.1000, p95 $0.2000, most $0.2000"
        )
        assert dims.measures_line("latency", Measures(1, 1234.5, 1234.5, 0.25, 9.96, 0)) == (
            "1 row: total 1,234 ms, mean 1,234 ms, p50 0.25 ms, p95 10 ms, most 0 ms"
        )


class TestComparison:
    def test_a_regression_says_whether_it_hinders(self) -> None:
        assert versus.comparison_line(REGRESSION) == "pii is worse than before; this hinders the run from passing"
        assert versus.comparison_line(replace(REGRESSION, blocks=False)) == "pii is worse than before"

    def test_what_cannot_be_compared_says_why(self) -> None:
        found = Regression("run-1", False, "its purpose was triage", 0.05, False, False)
        assert versus.comparison_line(found) == "cannot be compared: its purpose was triage"
        assert versus.comparison_line(replace(found, blocks=True)).endswith("; this hinders the run from passing")

    def test_what_did_not_move_is_named_by_what_can_be_said_of_it(self) -> None:
        plain = REGRESSION.dimensions[0]
        kinds = {"a": "stable", "b": "cannot tell", "c": "gone", "d": "cannot tell", "e": "improved", "f": "added"}
        changes = [replace(plain, dimension=name, change=Change(kind)) for name, kind in kinds.items()]
        found = replace(REGRESSION, dimensions=(*changes, plain))
        assert versus.unmoved_line(found) == "cannot tell: b, d; stable: a; added: f; gone: c"
        assert [change.dimension for change in versus.moved(found)] == ["pii", "e"]

    def test_the_numbers_of_a_change(self) -> None:
        change = replace(REGRESSION.dimensions[0], p=0.03125, adjusted_p=0.09375, detectable=0.1201)
        assert versus.lost_line(change) == "1 lost, 0 won of 5"
        assert versus.tested_line(change) == "McNemar: p 0.0312, corrected 0.0938"
        assert versus.detectable_line(change) == "12.1 points"

    def test_what_is_not_known_of_a_change_is_said(self) -> None:
        change = replace(REGRESSION.dimensions[0], shared=0, test="", p=None, detectable=None)
        shown = [versus.lost_line(change), versus.tested_line(change), versus.detectable_line(change)]
        assert shown == ["no row is in both", "no test", "none"]

    def test_a_tiny_p_is_not_written_with_an_exponent(self) -> None:
        change = replace(REGRESSION.dimensions[0], test="fisher", p=7.6e-6, adjusted_p=6.9e-5)
        assert versus.tested_line(change) == "Fisher: p under 0.0001, corrected under 0.0001"


class TestJudges:
    def test_kappa_and_the_agreement(self) -> None:
        assert versus.kappa_line(CALIBRATION) == "0.86 (0.71 to 0.97)"
        assert versus.agreement(CALIBRATION) == {
            "agreement": "38 of 40 (95 %)",
            "sensitivity": "30 of 31 (96.7 %)",
            "specificity": "8 of 9 (88.8 %)",
        }

    def test_what_is_not_known_is_not_zero(self) -> None:
        nothing = replace(CALIBRATION, rows=0, kappa=None)
        assert (versus.kappa_line(nothing), versus.kappa_line(None)) == ("not known", "not known")
        assert (versus.agreement(nothing), versus.agreement(None)) == ({}, {})
        assert versus.kappa_line(replace(CALIBRATION, kappa=None)) == "undefined"
        assert versus.kappa_line(replace(CALIBRATION, low=None, high=None)) == "0.86"
        one_class = replace(CALIBRATION, rows=4, true_pass=4, false_pass=0, true_fail=0, false_fail=0)
        assert versus.agreement(one_class)["specificity"] == "not known"

    def test_every_judged_dimension_is_there_calibrated_or_not(self) -> None:
        run = recorded().summary
        assert [(trust.dimension, trust.word) for trust in versus.trusts(run)] == [("grounding", "trusted")]
        (trust,) = versus.trusts(replace(run, calibration=()))
        assert (trust.dimension, trust.word, trust.score) == ("grounding", "not trusted", None)
        assert trust.status == "not calibrated: no verdict of the judge was compared with one of a person"
        assert versus.trusts(replace(run, calibration=(), dimensions=DIMENSIONS[1:])) == ()


class TestShares:
    @given(st.integers(1, 10**6).flatmap(lambda whole: st.tuples(st.integers(0, whole), st.just(whole))))
    def test_a_share_of_floating_point_is_shown_like_one_of_counts(self, counts: tuple[int, int]) -> None:
        part, whole = counts
        assert text.rate(part / whole) == text.percent(part, whole)

    def test_no_share_is_not_known(self) -> None:
        assert text.rate(None) == "not known"
