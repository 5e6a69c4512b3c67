from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_samples import case, gate, realistic, results

from proctor.plan import Gate
from proctor.results import Counts, Decision, Outcome, Summary
from proctor.stages.gates import score_gate
from proctor.trajectory import Usage
from proctor_reports import case_text
from proctor_reports import summary_text as text

P, F, E = Outcome.PASSED, Outcome.FAILED, Outcome.ERRORED


def summary(decision: Decision = Decision.PASSED, **changes: object) -> Summary:
    return results([], decision, **changes).summary


class TestVerdict:
    def test_the_line_names_verdict_and_suite(self) -> None:
        assert text.verdict_line(summary()) == "Passed: Booking assistant"
        assert text.verdict_line(summary(Decision.COULD_NOT_EVALUATE, name="")) == "Could not evaluate: booking"

    def test_the_reason_is_a_sentence(self) -> None:
        assert text.reason_line(summary(reason="all 3 cases passed")) == "All 3 cases passed."
        assert text.reason_line(summary(reason="Done.")) == "Done."

    def test_a_passed_complete_release_run_may_ship(self) -> None:
        assert text.shipping_line(summary()) == "May ship."

    @pytest.mark.parametrize(
        ("changed", "why"),
        [
            ({"decision": Decision.FAILED}, "the run failed"),
            ({"decision": Decision.COULD_NOT_EVALUATE}, "the run could not be evaluated"),
            ({"partial": "--tag smoke"}, "only a part of the spec ran (--tag smoke)"),
            ({"purpose": "triage"}, "its purpose is triage, not release"),
            ({"self_test": True}, "a self-test judge gave verdicts"),
        ],
    )
    def test_each_thing_against_shipping_is_named(self, changed: dict[str, object], why: str) -> None:
        assert text.shipping_line(replace(summary(), **changed)) == f"May not ship: {why}."

    def test_all_things_against_shipping_are_named_together(self) -> None:
        line = text.shipping_line(summary(Decision.FAILED, partial="--failed", self_test=True))
        assert line == (
            "May not ship: the run failed; only a part of the spec ran (--failed); a self-test judge gave verdicts."
        )

    @given(
        st.sampled_from(Decision),
        st.none() | st.text(),
        st.sampled_from(["release", "triage", "self-test"]),
        st.booleans(),
    )
    def test_may_ship_is_said_exactly_when_it_may(
        self, decision: Decision, partial: str | None, purpose: str, self_test: bool
    ) -> None:
        run = summary(decision, partial=partial, purpose=purpose, self_test=self_test)
        assert (text.shipping_line(run) == "May ship.") is run.may_ship


class TestCounts:
    def test_a_gate_line_shows_counts_and_not_rounded_shares(self) -> None:
        assert text.gate_line(gate()) == "17 of 20 cases passed, needs 18"
        assert text.gate_line(gate(members=3, ran=3, passed=2, needed=3)) == "2 of 3 cases passed, needs 3"

    def test_a_gate_line_leaves_nobody_out(self) -> None:
        line = text.gate_line(gate(members=10, ran=6, passed=6, skipped=1, needed=9))
        assert line == "6 of 9 cases passed, needs 9; 3 could not be evaluated; 1 skipped"

    def test_a_gate_that_counts_nothing_says_so(self) -> None:
        assert text.gate_line(gate(members=0, ran=0, passed=0)) == "no case was counted"
        assert text.gate_line(gate(members=1, ran=0, passed=0, skipped=1)) == "no case was counted; 1 skipped"

    def test_why_a_gate_is_not_met_does_not_repeat_its_counts(self) -> None:
        assert text.gate_why(gate()) == ""
        pinned = gate(reason="must pass and did not: a", pinned_failed=("a",), pinned_missing=("b",))
        assert text.gate_why(pinned) == "must pass and did not: a; must pass and did not run: b"

    @given(st.lists(st.sampled_from(Outcome), max_size=8), st.sampled_from([0.5, 0.66, 0.67, 0.9, 1.0]), st.booleans())
    def test_the_counts_are_those_of_the_decision(self, outcomes: list[Outcome], share: float, allowed: bool) -> None:
        scores = [case(f"c{index}", (outcome,), outcome, tags=("t",)).score for index, outcome in enumerate(outcomes)]
        scored = score_gate(Gate("g", share, tags=("t",)), "concierge", scores, allowed=allowed)
        counted = " passed, needs " in scored.reason
        line = text.gate_line(scored)
        assert scored.reason in line if counted else "no case was counted" in line

    def test_a_case_in_the_gap_of_its_threshold_shows_what_it_needs(self) -> None:
        assert case_text.case_line(case("c", (P, P, F)).score) == "2/3 passed, needs 3/3"

    def test_a_case_line_names_trials_without_a_result(self) -> None:
        assert (
            case_text.case_line(case("c", (P, E, Outcome.UNSCORED)).score)
            == "1/3 passed, needs 3/3, 1 errored, 1 unscored"
        )

    def test_outcomes_that_did_not_occur_are_not_named(self) -> None:
        assert text.counts_line(Counts(passed=1200, errored=1)) == "1,200 passed, 1 errored"
        assert text.counts_line(Counts()) == "none"


class TestNumbers:
    @pytest.mark.parametrize(
        ("part", "whole", "shown"),
        [(20, 20, "100 %"), (9999, 10000, "99.9 %"), (17, 20, "85 %"), (1, 3000, "under 0.1 %"), (0, 9, "0 %")],
    )
    def test_a_share_is_never_rounded_into_all_or_nothing(self, part: int, whole: int, shown: str) -> None:
        assert text.percent(part, whole) == shown

    @given(st.integers(1, 10**6).flatmap(lambda whole: st.tuples(st.integers(0, whole), st.just(whole))))
    def test_only_all_is_shown_as_all(self, counts: tuple[int, int]) -> None:
        part, whole = counts
        assert (text.percent(part, whole) == "100 %") is (part == whole)
        assert (text.percent(part, whole) == "0 %") is (part == 0)

    def test_no_result_has_no_share(self) -> None:
        assert text.percent(0, 0) == "no result"

    def test_an_interval_is_rounded_outwards(self) -> None:
        assert text.interval(0.388, 0.911) == "38–92 %"

    def test_durations_take_the_unit_that_fits(self) -> None:
        shown = [text.seconds(value) for value in (0.04, 59.94, 59.96, 3599.7, 7260)]
        assert shown == ["0.0 s", "59.9 s", "1 min 0 s", "1 h 0 min", "2 h 1 min"]

    def test_an_unknown_cost_is_not_zero(self) -> None:
        assert text.cost(Usage()) == "cost not known"
        assert text.cost(Usage(cost_usd=Decimal(0))) == "$0.0000"

    def test_tokens_are_shown_as_the_four_numbers_that_are_priced_apart(self) -> None:
        assert text.usage_line(Usage(11, 23, 95, 2, 2)) == (
            "cost not known; tokens: 11 in, 95 read from the provider's cache, 2 written to it, 23 out"
        )

    def test_the_cache_line_says_how_many_and_from_when(self) -> None:
        run = summary(trials=Counts(passed=3000), cached_trials=1200, cached_verdicts=1)
        assert text.cache_line(run) == (
            "1,200 of 3,000 trials and 1 verdict came from the cache, the oldest from 2026-05-01T08:00:00Z."
        )
        assert text.cache_line(replace(run, cached_trials=0, cached_verdicts=0)) == "Nothing came from the cache."

    def test_left_out_things_are_never_said_to_be_in_a_file_that_is_not_there(self) -> None:
        assert text.elsewhere({"json": "report.json", "html": "report.html"}) == "in report.json"
        assert text.elsewhere({"html": "report.html"}) == "in the JSON report, which was not asked for"


class TestWhatWentWrongFirst:
    def test_every_kind_of_case_has_its_sentence(self) -> None:
        assert [case_text.first_problem(detail) for detail in realistic().cases()] == [
            "reply_contains (turn 1): the reply is 'Sure, both at 19:00', expected 'one'",
            "reply_contains (turn 1): 'booked' is not in the reply",
            "ConnectError: connection refused by 127.0.0.1:8080",
            "polite: the judge answered no JSON in 3 tries",
            "ContentFilter: the provider's content filter stopped the reply",
            "reply_contains (turn 1): 'booked' is not in the reply",
            "",
            "",
        ]

    def test_the_trial_that_decided_the_case_comes_before_earlier_ones(self) -> None:
        detail = case("c", (E, F), F)
        assert case_text.first_problem(detail) == "reply_contains (turn 1): 'booked' is not in the reply"

    def test_a_passed_case_with_an_errored_trial_needs_a_look(self) -> None:
        assert case_text.needs_a_look(case("c", (P, P, E), P).score)
        assert not case_text.needs_a_look(case("c", (P, P, P)).score)
        assert not case_text.needs_a_look(case("c", (Outcome.SKIPPED,)).score)
