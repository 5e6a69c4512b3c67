"""Two runs over recorded rows: how rows are matched, what is called a regression, and what is sure to be no noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.dataset import RECORDED, RegressionRule
from proctor.dimension_scores import Change, DimensionChange, DimensionScore, Regression, RowLine
from proctor.formats.assevra.config import dataset_settings
from proctor.results import GateScore, GateStatus, Outcome
from proctor.stages.recorded.dimensions import score_dimensions
from proctor.stages.recorded.matching import Matched, match_rows
from proctor.stages.recorded.regression import dimension_changes, regression_gate
from proctor.stages.recorded.tally import tally
from proctor.statistics.holm import holm
from proctor.statistics.mcnemar import mcnemar_exact
from proctor.statistics.wilson import wilson_reported

SETTINGS = dataset_settings(None, has_judge=False)
RULE = RegressionRule()
TEST_ONLY = RegressionRule(by_interval=False)
DECIDED = {"p": Outcome.PASSED, "f": Outcome.FAILED, "u": Outcome.UNSCORED, "s": Outcome.SKIPPED}


def line(key: str, letter: str, dimension: str = "pii", **more: object) -> RowLine:
    return RowLine(key, dimension, key, "rows.jsonl", 1, DECIDED[letter], **more)  # type: ignore[arg-type]


def rows(letters: str, dimension: str = "pii", prefix: str = "r") -> list[RowLine]:
    return [line(f"{prefix}{number}", letter, dimension) for number, letter in enumerate(letters)]


def scores(lines: Sequence[RowLine]) -> tuple[DimensionScore, ...]:
    return score_dimensions(tally(lines), SETTINGS, allowed=True)


def changes(
    before: Sequence[RowLine], now: Sequence[RowLine], rule: RegressionRule = RULE
) -> dict[str, DimensionChange]:
    earlier = {score.name: score for score in scores(before)}
    found = dimension_changes(match_rows(before, now), earlier, scores(now), rule)
    return {change.dimension: change for change in found}


def change(before: str, now: str, rule: RegressionRule = RULE) -> DimensionChange:
    return changes(rows(before), rows(now), rule)["pii"]


class TestMatching:
    def test_pairs_rows_by_key_wherever_they_are(self) -> None:
        before = rows("pfpf")
        found = match_rows(before, [row._replace(source="other.jsonl", line=9) for row in reversed(rows("ppff"))])
        pairs = found.of("pii")
        assert pairs.pairs == {(True, True): 1, (False, True): 1, (True, False): 1, (False, False): 1}
        assert (found.won, found.lost, found.added, found.gone, found.changed) == (["r1"], ["r2"], [], [], [])

    def test_knows_rows_that_only_one_run_has(self) -> None:
        found = match_rows([line("a", "p"), line("b", "f")], [line("b", "f"), line("c", "p")])
        assert (found.added, found.gone) == (["c"], ["a"])
        assert found.of("pii").before == (1, 2)
        assert found.of("pii").now == (1, 2)

    def test_has_no_pair_for_a_row_without_a_result(self) -> None:
        found = match_rows(rows("pup"), rows("upp"))
        assert found.of("pii").shared == 1
        assert (found.added, found.gone) == (["r1"], [])

    def test_leaves_controls_out(self) -> None:
        assert match_rows([line("a", "f", control=True)], [line("a", "p", control=True)]).dimensions == {}

    @pytest.mark.parametrize("now", [line("a", "f", definition=2), line("a", "f", "cost", definition=1)])
    def test_takes_a_row_that_asks_something_else_for_no_pair(self, now: RowLine) -> None:
        found = match_rows([line("a", "p", definition=1)], [now])
        assert (found.changed, found.lost) == (["a"], [])
        assert not any(pairs.shared for pairs in found.dimensions.values())

    def test_notes_that_a_judge_had_a_part_in_either_run(self) -> None:
        judged, plain = line("a", "p", judged=True), line("a", "p")
        assert [match_rows(*two).judged for two in (([plain], [plain]), ([judged], []), ([], [judged]))] == [
            False,
            True,
            True,
        ]

    @given(
        st.dictionaries(st.text("abcdef", min_size=1, max_size=2), st.sampled_from("pfus")),
        st.dictionaries(st.text("abcdef", min_size=1, max_size=2), st.sampled_from("pfus")),
        st.randoms(use_true_random=False),
    )
    def test_counts_every_decided_row_once_in_any_order(
        self, before: dict[str, str], now: dict[str, str], shuffled: object
    ) -> None:
        then, here = ([line(key, letter) for key, letter in run.items()] for run in (before, now))
        found = match_rows(then, here)
        pairs = found.of("pii")
        decided = [{key for key, letter in run.items() if letter in "pf"} for run in (before, now)]
        assert pairs.shared == len(decided[0] & decided[1])
        assert set(found.added) == decided[1] - decided[0]
        assert set(found.gone) == {key for key in decided[0] if key not in now}
        assert pairs.now == (sum(letter == "p" for letter in now.values()), len(decided[1]))
        assert set(found.lost) == {key for key in now if (before.get(key), now[key]) == ("p", "f")}
        assert set(found.won) == {key for key in now if (before.get(key), now[key]) == ("f", "p")}
        shuffled.shuffle(here)  # type: ignore[attr-defined]
        again = match_rows(then, here)
        assert (again.of("pii"), sorted(again.lost)) == (pairs, sorted(found.lost))


class TestARegression:
    def test_is_what_the_paired_test_is_sure_of(self) -> None:
        found = change("p" * 25 + "f" * 25, "p" * 19 + "f" * 31, TEST_ONLY)
        assert (found.change, found.test, found.lost, found.won, found.shared) == (
            Change.REGRESSED,
            "mcnemar",
            6,
            0,
            50,
        )
        assert found.p == found.adjusted_p == mcnemar_exact(6, 0)
        assert found.reason == (
            "0.5 before, 0.38 now; of 50 shared rows 6 lost and 0 won; "
            "McNemar's exact test: p = 0.0312, corrected 0.0312"
        )

    def test_is_what_lies_below_the_interval_of_the_baseline(self) -> None:
        found = change("p" * 10, "p" * 7 + "fff")
        low = wilson_reported(10, 10)[0]
        assert found.change is Change.REGRESSED
        assert found.reason == (
            "1 before, 0.7 now; of 10 shared rows 3 lost and 0 won; "
            f"0.7 is below the interval of the same rows in the baseline, which begins at {low:.4g}"
        )

    def test_is_not_what_lies_below_the_interval_where_the_tests_alone_count(self) -> None:
        found = change("p" * 10, "p" * 7 + "fff", TEST_ONLY)
        assert found.change is Change.UNCLEAR
        assert found.reason == (
            "1 before, 0.7 now; of 10 shared rows 3 lost and 0 won; McNemar's exact test: p = 0.25, corrected 0.25; "
            "a drop of 0.67 would be found in 80% of cases"
        )

    def test_states_that_no_drop_can_be_found_with_few_rows(self) -> None:
        found = change("pp", "pf", TEST_ONLY)
        assert (found.change, found.detectable) == (Change.UNCLEAR, None)
        assert found.reason.endswith("corrected 1; with so few rows no drop can be told from noise")

    def test_of_rows_that_are_not_shared_is_tested_by_fisher(self) -> None:
        found = changes(rows("p" * 20, prefix="old"), rows("p" * 10 + "f" * 10, prefix="new"), TEST_ONLY)["pii"]
        assert (found.change, found.test, found.shared) == (Change.REGRESSED, "fisher", 0)
        assert found.reason == "1 before, 0.5 now; Fisher's exact test: p = 0.000436, corrected 0.000436"

    def test_is_not_hidden_by_rows_that_are_new(self) -> None:
        before, now = rows("p" * 10), [*rows("p" * 2 + "f" * 8), *rows("p" * 100, prefix="new")]
        for rule in (RULE, TEST_ONLY):
            found = changes(before, now, rule)["pii"]
            assert (found.change, found.before, found.now) == (Change.REGRESSED, 1.0, 102 / 110)
        few = changes(before, [*rows("p" * 7 + "fff"), *rows("p" * 100, prefix="new")])["pii"]
        assert few.change is Change.REGRESSED

    def test_is_not_made_by_rows_that_are_new_and_fail(self) -> None:
        found = changes(rows("p" * 10), [*rows("p" * 10), *rows("f" * 10, prefix="new")])["pii"]
        assert (found.change, found.now) == (Change.STABLE, 0.5)

    def test_needs_more_of_each_of_several_dimensions(self) -> None:
        before = [row for name in ("pii", "cost", "latency") for row in rows("p" * 8, name, name)]
        now = [
            *rows("f" * 6 + "pp", "pii", "pii"),
            *rows("p" * 8, "cost", "cost"),
            *rows("fp" * 4, "latency", "latency"),
        ]
        found = changes(before, now, TEST_ONLY)
        raw = [found[name].p for name in ("pii", "cost", "latency")]
        assert raw == [mcnemar_exact(6, 0), 1.0, mcnemar_exact(4, 0)]
        assert [found[name].adjusted_p for name in ("pii", "cost", "latency")] == list(holm(raw))
        assert found["pii"].adjusted_p == pytest.approx(3 * 0.03125)
        assert found["pii"].change is Change.UNCLEAR, "six lost rows are sure in one dimension, not in one of three"
        assert change("p" * 8, "f" * 6 + "pp", TEST_ONLY).change is Change.REGRESSED

    def test_can_be_an_improvement_just_as_well(self) -> None:
        found = change("f" * 8 + "pp", "p" * 10)
        assert found.change is Change.IMPROVED
        assert change("f" * 5 + "p" * 5, "f" * 3 + "p" * 7).change is Change.UNCLEAR

    def test_of_a_dimension_that_only_one_run_has(self) -> None:
        found = changes(rows("p", "cost", "c"), rows("p", "pii"))
        assert (found["pii"].change, found["pii"].reason) == (Change.ADDED, "only this run has rows with a result")
        assert (found["cost"].change, found["cost"].reason) == (Change.GONE, "only the baseline has rows with a result")
        assert found["cost"].p is None

    def test_is_told_apart_from_a_gate_that_is_no_longer_met(self) -> None:
        found = change("p" * 30, "p" * 29 + "f")
        assert (found.change, found.before_met, found.now_met) == (Change.UNCLEAR, True, False)

    @given(st.text("pf", min_size=1, max_size=40), st.booleans())
    def test_never_follows_from_the_same_rows_twice(self, letters: str, by_interval: bool) -> None:
        found = change(letters, letters, replace(RULE, by_interval=by_interval))
        assert (found.change, found.lost, found.won, found.p) == (Change.STABLE, 0, 0, 1.0)

    @given(st.lists(st.tuples(st.sampled_from("pf"), st.sampled_from("pf")), min_size=1, max_size=40), st.booleans())
    def test_turns_into_its_opposite_when_the_runs_are_swapped(
        self, pairs: list[tuple[str, str]], by_interval: bool
    ) -> None:
        rule = replace(RULE, by_interval=by_interval)
        before, now = ("".join(letters) for letters in zip(*pairs, strict=True))
        there, back = change(before, now, rule), change(now, before, rule)
        assert (there.lost, there.won, there.p) == (back.won, back.lost, back.p)
        if not by_interval:
            opposite = {Change.REGRESSED: Change.IMPROVED, Change.IMPROVED: Change.REGRESSED}
            assert back.change is opposite.get(there.change, there.change)
        if there.change is Change.REGRESSED:
            assert there.lost > there.won
        if there.change is Change.IMPROVED:
            assert there.won > there.lost

    @given(st.text("pf", min_size=1, max_size=15), st.text("pf", min_size=1, max_size=15), st.text("pf", max_size=40))
    def test_does_not_depend_on_rows_that_are_added(self, before: str, now: str, added: str) -> None:
        least = min(len(before), len(now))
        then, here = rows(before[:least]), rows(now[:least])
        alone, among = changes(then, here)["pii"], changes(then, [*here, *rows(added, prefix="new")])["pii"]
        assert among.change is alone.change
        assert (among.p, among.shared) == (alone.p, alone.shared)


class TestTheGate:
    FOUND = Regression(
        "r1", True, "no dimension regressed", 0.05, True, False, tuple(changes(rows("p"), rows("p")).values())
    )

    def test_is_there_only_where_a_regression_blocks(self) -> None:
        assert list(regression_gate(None)) == []
        assert list(regression_gate(replace(self.FOUND, blocks=False))) == []

    def test_is_met_without_a_regression(self) -> None:
        assert list(regression_gate(self.FOUND)) == [
            GateScore("no regression", RECORDED, GateStatus.MET, "no dimension regressed", 1.0, 1, 1, 1, 0, needed=1)
        ]

    def test_is_not_met_with_one(self) -> None:
        lost = tuple(changes(rows("p" * 10), rows("f" * 10)).values())
        (gate,) = regression_gate(replace(self.FOUND, reason="regressed: pii", regressed=True, dimensions=lost))
        assert (gate.status, gate.reason, gate.failing) == (GateStatus.NOT_MET, "regressed: pii", ("pii",))
        assert (gate.members, gate.passed, gate.needed) == (1, 0, 1)

    def test_is_open_when_the_runs_cannot_be_compared(self) -> None:
        (gate,) = regression_gate(replace(self.FOUND, comparable=False, reason="its purpose was triage", dimensions=()))
        assert (gate.status, gate.reason) == (
            GateStatus.UNDECIDED,
            "cannot be compared with the baseline: its purpose was triage",
        )


def test_nothing_matched_is_nothing_compared() -> None:
    assert dimension_changes(Matched(), {}, (), RULE) == ()
