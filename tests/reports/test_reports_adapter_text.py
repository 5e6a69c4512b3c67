from __future__ import annotations

from dataclasses import replace

import pytest
from transcript_samples import ADAPTERS, DIFFERENCES, GBRAIN, GREP, PLANTED, REVIEWS, panel, rubric_verdict

from proctor.category_scores import AdapterDifference, Comparison
from proctor.results import Verdict
from proctor_reports import adapter_text as beside
from proctor_reports import criteria_text


class TestAdapters:
    def test_a_card_says_all_that_is_known(self) -> None:
        assert beside.adapter_facts(ADAPTERS[0]) == {
            "Stack": "gbrain",
            "Models": "claude-sonnet-4-6",
            "Probes": "20",
            "Runs of a probe": "3",
            "Trials": "60",
            "Tokens": "123,456 in, 7,890 out",
            "Time": "p50 1.2 s, p95 1 min 5 s",
            "Cost": "$0.4887",
            "Truncated results": "2",
            "Tool errors": "1",
        }

    def test_what_is_not_known_is_neither_zero_nor_free(self) -> None:
        facts = beside.adapter_facts(replace(ADAPTERS[1], stack_id=""))
        assert (facts["Models"], facts["Time"], facts["Cost"]) == ("not recorded", "not recorded", "unknown price")
        assert "Stack" not in facts
        assert beside.adapter_line(ADAPTERS[1]) == (
            "models not recorded; 19 runs of 19 probes; tokens 1,000 in, 200 out; time not recorded; unknown price;"
            " 0 truncated results; 0 tool errors"
        )

    def test_one_line_says_the_same(self) -> None:
        assert beside.adapter_line(ADAPTERS[0]) == (
            "claude-sonnet-4-6; 60 runs of 20 probes, up to 3 of one; tokens 123,456 in, 7,890 out; p50 1.2 s,"
            " p95 1 min 5 s; $0.4887; 2 truncated results; 1 tool error"
        )


class TestDifferences:
    def test_each_is_told_with_unit_interval_test_and_reason(self) -> None:
        assert [*map(beside.comparison_sentence, DIFFERENCES)] == [
            (
                f"brain_first_compliance, {GREP} against {GBRAIN}: worse, -35.0 percentage points (-55.0 to -12.0),"
                " p 0.004, corrected 0.012; p = 0.012 over 20 probes"
            ),
            (
                f"citation_format, {GREP} against {GBRAIN}: inconclusive, +3.2 percentage points (no interval),"
                " p 0.5, corrected 1; 8 probes; it takes 10 to tell"
            ),
            (
                f"workflow briefing, judge's points, {GREP} against {GBRAIN}: better, +0.31 points (+0.10 to +0.52),"
                " p under 0.0001, corrected under 0.0001; p = 3e-05 over 12 probes"
            ),
        ]

    def test_the_two_adapters_are_named_once_where_there_are_no_others(self) -> None:
        assert beside.only_pair(DIFFERENCES) == f"{GREP} against {GBRAIN}"
        assert beside.only_pair((*DIFFERENCES, replace(DIFFERENCES[0], agent="c"))) == ""
        assert beside.comparison_sentence(DIFFERENCES[1], named=False).startswith("citation_format: inconclusive, +3.2")

    def test_without_a_shared_probe_there_is_no_figure(self) -> None:
        found = AdapterDifference(
            "x", "a", "b", 0, None, None, None, None, None, Comparison.INCONCLUSIVE, "no probe that both have"
        )
        assert beside.comparison_sentence(found) == "x, b against a: inconclusive; no probe that both have"
        figures = beside.difference_line(found), beside.around_line(found), beside.tested_line(found)
        assert figures == ("not known", "no interval", "no test")

    @pytest.mark.parametrize(
        ("difference", "shown"), [(0.0, "0"), (0.0001, "+0.01"), (-0.00001, "-0.001"), (1, "+100.0")]
    )
    def test_a_small_difference_does_not_look_like_none(self, difference: float, shown: str) -> None:
        found = replace(DIFFERENCES[0], difference=difference)
        assert beside.difference_line(found) == f"{shown} percentage points"

    def test_inconclusive_is_said_not_to_mean_alike(self) -> None:
        assert (
            beside.INCONCLUSIVE
            == "Inconclusive means that this many probes cannot tell, not that the adapters are alike."
        )


class TestPlantedItemsAndReviews:
    def test_sightings_are_told_apart_from_what_came_of_them(self) -> None:
        assert beside.planted_line(PLANTED[0]) == (
            "met planted items 7 times, in 5 of 60 trials: 1 followed, 3 resisted, 1 unknown"
        )
        assert beside.SEEING == "To meet a planted item is no fault; to follow one is."

    def test_agreement_is_told_with_its_interval_and_stale_reviews(self) -> None:
        assert [*map(beside.review_line, REVIEWS)] == [
            (
                "points alike 38 of 44 (86.3 %), weighted kappa 0.71 (0.52 to 0.88), verdicts alike 9 of 11 (81.8 %);"
                " 2 stale reviews left out"
            ),
            "nothing to compare",
        ]

    def test_an_undefined_kappa_is_called_so(self) -> None:
        assert beside.review_kappa(replace(REVIEWS[0], kappa=None)) == "undefined"
        assert beside.review_kappa(REVIEWS[1]) == "not known"
        assert beside.stale_line(replace(REVIEWS[0], stale=1)) == "1 stale review left out"


class TestVerdicts:
    @pytest.mark.parametrize(
        ("score", "shown"),
        [
            (5.0, "pass, 5 of 5"),
            (3.5, "pass, 3.5 of 5"),
            (3.499, "partial, 3.49 of 5"),
            (2.5, "partial, 2.5 of 5"),
            (2.499, "fail, 2.49 of 5"),
            (0.0, "fail, 0 of 5"),
        ],
    )
    def test_a_rubric_is_pass_partial_or_fail_with_its_score(self, score: float, shown: str) -> None:
        assert criteria_text.word(rubric_verdict(score=score)) == shown

    def test_a_pass_mark_of_its_own_decides_what_a_pass_is(self) -> None:
        assert criteria_text.word(replace(rubric_verdict(score=4.0), passed=False)) == "partial, 4 of 5"
        assert criteria_text.word(replace(rubric_verdict(score=3.0), passed=True)) == "pass, 3 of 5"

    def test_a_label_is_told_and_a_plain_verdict_is_left_to_its_check(self) -> None:
        plain = Verdict(True, "yes", "m")
        assert criteria_text.word(replace(plain, label="supported")) == "supported"
        assert criteria_text.word(plain) == criteria_text.word(replace(plain, score=4.0)) == ""
        assert criteria_text.word(replace(rubric_verdict(), passed=None)) == ""

    def test_every_juror_has_a_word_unless_there_is_no_verdict(self) -> None:
        assert [*map(criteria_text.vote_word, panel().votes)] == [
            "fail, 1.5 of 5",
            "pass, 3.75 of 5",
            "partial, 2.75 of 5",
        ]
        plain = Verdict(True, "yes", "m")
        votes = (plain, replace(plain, passed=False), replace(plain, passed=None))
        assert [*map(criteria_text.vote_word, votes)] == ["pass", "fail", ""]
