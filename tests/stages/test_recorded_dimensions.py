"""From counted rows to dimensions: the order in which a gate is decided, and the sentence behind it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.dataset import Bound, DatasetSettings, DimensionRule
from proctor.dimension_scores import DimensionScore, RowLine
from proctor.formats.assevra.config import dataset_settings
from proctor.results import Counts, GateScore, GateStatus, Outcome
from proctor.stages.recorded.dimensions import dimension_gates, required_gate, score_dimensions
from proctor.stages.recorded.tally import RowTally, tally
from proctor.statistics.cluster import cluster_interval
from proctor.statistics.wilson import wilson_reported

SETTINGS = dataset_settings(None, has_judge=False)
OUTCOMES = {"p": Outcome.PASSED, "f": Outcome.FAILED, "u": Outcome.UNSCORED, "s": Outcome.SKIPPED}


def with_rule(threshold: float, bound: Bound = Bound.RATE, min_rows: int = 1) -> DatasetSettings:
    return replace(SETTINGS, rules={**SETTINGS.rules, "pii": DimensionRule(threshold, bound, min_rows)})


def rows(outcomes: str, *, dimension: str = "pii", control: bool = False, cases: int = 0) -> list[RowLine]:
    """One row for each letter; the first ``cases`` groups take them in turn."""
    return [
        RowLine(
            key=f"{'c' if control else 'r'}{number}",
            dimension=dimension,
            group=f"case {number % cases}" if cases else f"{'c' if control else 'r'}{number}",
            source="rows.jsonl",
            line=number + 1,
            outcome=OUTCOMES[letter],
            control=control,
        )
        for number, letter in enumerate(outcomes)
    ]


def score(
    lines: Iterable[RowLine], settings: DatasetSettings = SETTINGS, *, allowed: bool = False
) -> tuple[DimensionScore, GateScore]:
    found = tally(lines)
    (dimension,) = score_dimensions(found, settings, allowed=allowed)
    (gate,) = dimension_gates((dimension,), found)
    assert (gate.status, gate.reason, gate.threshold) == (dimension.status, dimension.reason, dimension.threshold)
    return dimension, gate


def verdict(
    outcomes: str, settings: DatasetSettings = SETTINGS, *, allowed: bool = False, controls: str = ""
) -> tuple[GateStatus, str]:
    dimension, _ = score([*rows(outcomes), *rows(controls, control=True)], settings, allowed=allowed)
    return dimension.status, dimension.reason


class TestTheOrderOfTheRules:
    def test_a_row_without_a_result_is_told_before_the_ones_that_failed(self) -> None:
        assert verdict("pfu") == (GateStatus.UNDECIDED, "1 of 2 rows passed; 1 unscored")

    def test_a_skipped_row_is_never_allowed(self) -> None:
        for allowed in (False, True):
            expected = (GateStatus.UNDECIDED, "1 of 1 row passed; 1 skipped: no judge is named")
            assert verdict("ps", allowed=allowed) == expected

    def test_no_row_with_a_result_decides_nothing(self) -> None:
        assert verdict("us", allowed=True) == (
            GateStatus.UNDECIDED,
            "no row has a result; 1 unscored; 1 skipped: no judge is named",
        )

    def test_a_missed_control_fails_whatever_the_rows_say(self) -> None:
        expected = "1 control of 2 missed: the detector does not see what it must see"
        assert verdict("ppp", controls="pf") == (GateStatus.NOT_MET, expected)
        assert verdict("ppp", controls="pp") == (GateStatus.MET, "3 of 3 rows passed, needs 3")
        several = "2 controls of 2 missed: the detector does not see what it must see"
        assert verdict("p", controls="ff") == (GateStatus.NOT_MET, several)

    def test_controls_alone_are_no_rows(self) -> None:
        dimension, gate = score(rows("pp", control=True))
        assert (dimension.status, dimension.reason) == (GateStatus.UNDECIDED, "no row but 2 controls")
        assert (dimension.rows, dimension.controls) == (Counts(), Counts(passed=2))
        assert (gate.members, gate.ran, gate.passed, gate.needed) == (0, 0, 0, 0)

    def test_a_least_number_of_rows_counts_decided_ones(self) -> None:
        least = with_rule(0.5, min_rows=4)
        assert verdict("ppp", least) == (GateStatus.UNDECIDED, "3 of 3 rows passed; 4 decided rows are asked for")
        assert verdict("pppu", least, allowed=True) == (
            GateStatus.UNDECIDED,
            "3 of 4 rows passed; 4 decided rows are asked for; 1 unscored",
        )
        assert verdict("pppf", least) == (GateStatus.MET, "3 of 4 rows passed, needs 2")

    @pytest.mark.parametrize(
        ("outcomes", "status", "reason"),
        [
            ("p" * 18 + "ff", GateStatus.MET, "18 of 20 rows passed, needs 18"),
            ("p" * 17 + "fff", GateStatus.NOT_MET, "17 of 20 rows passed, needs 18"),
        ],
    )
    def test_a_share_is_reached_by_counts(self, outcomes: str, status: GateStatus, reason: str) -> None:
        assert verdict(outcomes, with_rule(0.9)) == (status, reason)


class TestAnAllowedShareWithoutAResult:
    """Rows that have none may all be failures: they stay in the denominator of the gate, as in gates over cases."""

    def test_is_absorbed_when_enough_others_passed(self) -> None:
        expected = (GateStatus.MET, "9 of 10 rows passed, needs 9; 1 unscored")
        assert verdict("p" * 9 + "u", with_rule(0.9), allowed=True) == expected

    def test_leaves_open_what_it_could_decide(self) -> None:
        expected = (GateStatus.UNDECIDED, "9 of 10 rows passed, needs 10; 1 unscored")
        assert verdict("p" * 9 + "u", with_rule(0.95), allowed=True) == expected

    def test_does_not_hide_that_the_threshold_is_out_of_reach(self) -> None:
        expected = (GateStatus.NOT_MET, "1 of 4 rows passed, needs 4; 1 unscored")
        assert verdict("pffu", with_rule(0.9), allowed=True) == expected

    def test_is_in_no_share_and_no_interval(self) -> None:
        dimension, gate = score(rows("p" * 9 + "u"), with_rule(0.9), allowed=True)
        assert (dimension.rate, dimension.low, dimension.high) == (1.0, *wilson_reported(9, 9))
        assert (gate.members, gate.ran, gate.passed, gate.needed, gate.failing) == (10, 9, 9, 9, ("r9",))

    def test_lowers_the_lower_end(self) -> None:
        lower = with_rule(0.7, Bound.LOWER)
        assert wilson_reported(9, 9)[0] > 0.7 > wilson_reported(9, 10)[0]
        status, reason = verdict("p" * 9 + "u", lower, allowed=True)
        assert (status, reason) == (
            GateStatus.NOT_MET,
            "9 of 10 rows passed; the lower end of the interval is 0.5958, needs 0.7; 1 unscored",
        )


class TestTheLowerEnd:
    def test_is_what_the_threshold_is_compared_with(self) -> None:
        lower = with_rule(0.9, Bound.LOWER)
        assert verdict("p" * 34, lower) == (
            GateStatus.NOT_MET,
            "34 of 34 rows passed; the lower end of the interval is 0.8984, needs 0.9",
        )
        assert verdict("p" * 35, lower) == (
            GateStatus.MET,
            "35 of 35 rows passed; the lower end of the interval is 0.9010, needs 0.9",
        )

    def test_is_shown_rounded_down_so_that_it_never_seems_reached(self) -> None:
        low = wilson_reported(34, 34)[0]
        assert f"{low:.4f}" == "0.8985"
        _, reason = verdict("p" * 34, with_rule(0.8985, Bound.LOWER))
        assert reason == "34 of 34 rows passed; the lower end of the interval is 0.8984, needs 0.8985"

    def test_of_repeated_cases_takes_their_trials_for_alike(self) -> None:
        repeated = rows("p" * 40, cases=4)
        dimension, gate = score(repeated, with_rule(0.9, Bound.LOWER))
        expected = cluster_interval([(10, 10)] * 4)
        assert dimension.cluster == expected
        assert expected[0] < 0.5 < 0.9 < dimension.low
        assert dimension.status is GateStatus.NOT_MET
        assert dimension.reason == ("40 of 40 rows passed; the lower end of the interval is 0.2400, needs 0.9")
        assert gate.needed == 36

    @given(st.integers(1, 60), st.sampled_from([0.5, 0.9, 0.95, 1.0]))
    def test_says_the_least_number_of_passes_with_which_it_is_met(self, total: int, threshold: float) -> None:
        settings = with_rule(threshold, Bound.LOWER)
        _, gate = score(rows("p" * total), settings)
        for passed in (gate.needed - 1, gate.needed):
            if 0 <= passed <= total:
                status, _ = verdict("p" * passed + "f" * (total - passed), settings)
                assert (status is GateStatus.MET) == (passed >= gate.needed)
        assert (gate.needed > total) == (gate.status is not GateStatus.MET)


class TestTheNeededNumber:
    @given(st.text("pf", min_size=1, max_size=30), st.floats(0, 1))
    def test_agrees_with_the_status(self, outcomes: str, threshold: float) -> None:
        _, gate = score(rows(outcomes), with_rule(threshold))
        assert (gate.status is GateStatus.MET) == (gate.passed >= gate.needed)
        assert (
            gate.reason == f"{gate.passed} of {gate.ran} row{'' if gate.ran == 1 else 's'} passed, needs {gate.needed}"
        )

    @given(st.text("pfu", min_size=1, max_size=30), st.floats(0, 1))
    def test_counts_missing_results_where_they_are_allowed(self, outcomes: str, threshold: float) -> None:
        _, gate = score(rows(outcomes), with_rule(threshold), allowed=True)
        assert gate.status is GateStatus.UNDECIDED or (gate.status is GateStatus.MET) == (gate.passed >= gate.needed)


class TestRequiredDimensions:
    REQUIRED = replace(SETTINGS, required=("pii", "cost", "latency"))

    def test_without_a_row_are_a_gate_that_is_open(self) -> None:
        (gate,) = required_gate(tally(rows("p")), self.REQUIRED)
        assert gate == GateScore(
            "required dimensions",
            "recorded",
            GateStatus.UNDECIDED,
            "no row has the dimension cost, latency, which is required",
            1.0,
            0,
            0,
            0,
            0,
        )

    def test_with_rows_are_no_gate(self) -> None:
        found = tally([*rows("p"), *rows("p", dimension="cost"), *rows("f", dimension="latency")])
        assert list(required_gate(found, self.REQUIRED)) == []
        assert list(required_gate(RowTally(), SETTINGS)) == []


class TestDimensions:
    def test_come_in_the_order_of_reports(self) -> None:
        found = tally([*rows("p", dimension="latency"), *rows("p", dimension="grounding"), *rows("p")])
        names = [each.name for each in score_dimensions(found, SETTINGS, allowed=False)]
        assert names == ["grounding", "pii", "latency"]

    def test_are_judged_only_when_every_row_is(self) -> None:
        judged = [line._replace(judged=True) for line in rows("pp", dimension="injection")]
        assert score(judged)[0].mode == "llm-judge"
        assert score([judged[0], judged[1]._replace(judged=False)])[0].mode == "deterministic"

    def test_say_what_looks_for_personal_data(self) -> None:
        assert score(rows("p"))[0].engine == "patterns"
        assert score(rows("p", dimension="cost"))[0].engine == ""

    def test_sum_up_what_was_measured(self) -> None:
        lines = [
            line._replace(measure=value)
            for line, value in zip(rows("ppp", dimension="cost"), (3.0, 1.0, 2.5), strict=True)
        ]
        measures = score(lines)[0].measures
        assert measures is not None
        assert (measures.rows, measures.total, measures.mean) == (3, 6.5, 6.5 / 3)
        assert (measures.p50, measures.p95, measures.largest) == (2.5, 3.0, 3.0)
        assert score(rows("p", dimension="cost"))[0].measures is None

    def test_may_have_measured_more_than_any_number(self) -> None:
        lines = [
            line._replace(measure=value) for line, value in zip(rows("fp", dimension="cost"), (inf, 1.0), strict=True)
        ]
        measures = score(lines)[0].measures
        assert measures is not None
        assert (measures.total, measures.mean, measures.p50, measures.largest) == (inf, inf, 1.0, inf)


class TestACount:
    def test_leaves_controls_out_of_rows_cases_and_slices(self) -> None:
        planted = [line._replace(tags=("negative-example", "en")) for line in rows("pf", control=True)]
        found = tally([*rows("pp"), *planted])
        assert (found.rows, found.dimensions["pii"].rows) == (Counts(passed=3, failed=1), Counts(passed=2))
        assert found.slices == {}
        assert set(found.dimensions["pii"].cases) == {"r0", "r1"}
        assert found.dimensions["pii"].not_passed == ["c1"]

    def test_tells_tags_and_fields_apart_each_row_once(self) -> None:
        line = rows("p")[0]._replace(tags=("en", "en"), slices=(("language", "en"), ("model", "a")))
        found = tally([line, rows("f")[0]._replace(tags=("en",))])
        assert found.slices == {
            "en": {Outcome.PASSED: 1, Outcome.FAILED: 1},
            "language: en": {Outcome.PASSED: 1},
            "model: a": {Outcome.PASSED: 1},
        }

    def test_takes_rows_of_a_case_as_its_trials_if_they_have_a_result(self) -> None:
        found = tally(rows("pfupp", cases=2))
        assert found.dimensions["pii"].cases == {"case 0": (2, 2), "case 1": (1, 2)}

    def test_compares_labels_with_the_verdict_and_not_with_checks_of_the_users(self) -> None:
        found = RowTally()
        judged = rows("f")[0]._replace(judged=True, label=True)
        found.add(judged, Outcome.PASSED)
        found.add(judged, Outcome.UNSCORED)
        found.add(judged, Outcome.SKIPPED)
        counted = found.dimensions["pii"]
        assert (counted.labels, counted.unanswered, counted.judged) == ({(True, True): 1}, 1, 3)
        assert counted.rows == Counts(failed=3)
