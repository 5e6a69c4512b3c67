"""Two adapters on the same probes."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.category_scores import Comparison
from proctor.statistics.mcnemar import mcnemar_exact
from proctor.statistics.paired import FEWEST_PROBES, PairedDifference, Values, pair, paired_difference

PROBES = [f"q-{number:04d}" for number in range(1, 41)]


def values(first: list[float]) -> dict[str, list[float]]:
    return {probe: [value] for probe, value in zip(PROBES, first, strict=False)}


def compared(differences: list[float]) -> PairedDifference:
    return paired_difference(values([0.0] * len(differences)), values(differences))


def outcome(found: PairedDifference, **options: bool) -> Comparison:
    return found.outcome(found.p, **options)


differences = st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0]), min_size=1, max_size=30)
metrics = st.dictionaries(st.sampled_from(PROBES), st.lists(st.floats(-5, 5), max_size=4), max_size=25)


class TestTheDifference:
    def test_is_that_of_the_means_of_each_probe(self) -> None:
        first = {"a": [0.0, 1.0], "b": [1.0]}
        second = {"a": [1.0], "b": [1.0, 1.0, 0.5, 0.5]}
        assert paired_difference(first, second).difference == 0.125

    @given(metrics, metrics)
    def test_is_mirrored_when_the_adapters_are_swapped(self, first: Values, second: Values) -> None:
        found, swapped = paired_difference(first, second), paired_difference(second, first)
        assert found.p == swapped.p
        assert found.unpaired == swapped.unpaired
        if found.difference is not None and swapped.difference is not None:
            assert found.difference == pytest.approx(-swapped.difference)
        if found.interval is not None and swapped.interval is not None:
            assert found.interval == pytest.approx((-swapped.interval[1], -swapped.interval[0]))

    @given(metrics, metrics, st.randoms(use_true_random=False))
    def test_does_not_depend_on_the_order_of_probes(self, first: Values, second: Values, source: random.Random) -> None:
        mixed = list(second.items())
        source.shuffle(mixed)
        assert list(pair(first, dict(mixed)).differences) == sorted(pair(first, second).differences)
        assert paired_difference(first, dict(mixed)) == paired_difference(first, second)

    @given(differences)
    def test_lies_in_its_interval(self, given_: list[float]) -> None:
        found = compared(given_)
        assert found.difference is not None
        if found.interval is not None:
            assert found.interval[0] - 1e-9 <= found.difference <= found.interval[1] + 1e-9

    def test_has_no_interval_where_nothing_varies(self) -> None:
        assert compared([0.0] * 20).interval is None
        assert compared([1.0] * 20).interval is None
        assert compared([1.0] * 19 + [0.0]).interval is not None

    @given(st.integers(0, 13), st.integers(0, 13), st.integers(0, 13))
    def test_is_tested_by_mcnemar_where_probes_pass_or_fail(self, lost: int, won: int, same: int) -> None:
        if lost + won + same:
            assert compared([-1.0] * lost + [1.0] * won + [0.0] * same).p == mcnemar_exact(lost, won)

    def test_gains_nothing_from_running_the_same_probes_more_often(self) -> None:
        once = paired_difference(values([0.0] * 12), values([1.0, 0.0, 0.5] * 4))
        first = {probe: runs * 5 for probe, runs in values([0.0] * 12).items()}
        second = {probe: runs * 5 for probe, runs in values([1.0, 0.0, 0.5] * 4).items()}
        assert paired_difference(first, second) == once

    def test_refuses_what_is_no_number(self) -> None:
        with pytest.raises(ValueError, match='a value of the probe "q-0001" is not finite'):
            paired_difference({"q-0001": [float("nan")]}, {"q-0001": [1.0]})


class TestTheOutcome:
    def test_follows_the_direction_of_the_metric(self) -> None:
        found = compared([1.0] * 10 + [0.0] * 10)
        assert outcome(found) is Comparison.BETTER
        assert outcome(found, lower_is_better=True) is Comparison.WORSE
        assert outcome(compared([-1.0] * 10 + [0.0] * 10)) is Comparison.WORSE

    def test_cannot_be_told_from_fewer_than_ten_probes(self) -> None:
        found = compared([1.0] * (FEWEST_PROBES - 1))
        assert found.p is not None
        assert found.p < 0.05
        assert outcome(found) is Comparison.INCONCLUSIVE
        assert outcome(compared([1.0] * FEWEST_PROBES)) is Comparison.BETTER

    def test_takes_the_corrected_p_value(self) -> None:
        found = compared([1.0] * 6 + [0.0] * 6)
        assert found.p == 0.03125
        assert found.outcome(0.03125) is Comparison.BETTER
        assert found.outcome(0.0625) is Comparison.INCONCLUSIVE
        assert found.outcome(None) is Comparison.INCONCLUSIVE

    @pytest.mark.parametrize("missing", [{}, {"q-0012": []}])
    def test_is_blocked_by_a_probe_that_only_one_of_both_has(self, missing: dict[str, list[float]]) -> None:
        first, second = values([0.0] * 12), values([1.0] * 11) | missing
        found = paired_difference(first, second)
        assert found.unpaired == ("q-0012",)
        assert found.probes == 11
        assert outcome(found) is Comparison.INCONCLUSIVE

    def test_names_a_probe_of_which_nobody_has_a_value(self) -> None:
        assert paired_difference({"a": [], "b": [1.0]}, {"a": [], "b": [1.0]}).unpaired == ("a",)

    def test_says_nothing_of_nothing(self) -> None:
        found = paired_difference({}, {})
        assert found == PairedDifference(0, None, None, None)
        assert outcome(found) is Comparison.INCONCLUSIVE

    @given(differences)
    def test_is_never_told_of_equal_adapters(self, given_: list[float]) -> None:
        assert outcome(paired_difference(values(given_), values(given_))) is Comparison.INCONCLUSIVE

    @given(differences)
    def test_agrees_with_the_interval(self, given_: list[float]) -> None:
        found = compared(given_)
        drawn = len(given_) > 14
        if found.interval is not None and found.probes >= FEWEST_PROBES and not drawn:
            told = outcome(found) is not Comparison.INCONCLUSIVE
            assert told is not (found.interval[0] - 1e-9 <= 0 <= found.interval[1] + 1e-9)


class TestTheProbesNeeded:
    def test_are_more_than_those_that_could_not_tell(self) -> None:
        found = compared([0.5, -0.4] * 10 + [0.5])
        assert outcome(found) is Comparison.INCONCLUSIVE
        assert found.needed is not None
        assert found.needed > 2 * found.probes

    def test_find_such_a_difference_four_times_of_five(self) -> None:
        found = compared([1.0, 0.0, -1.0, 1.0, 0.0, 0.0] * 2)
        assert found.needed is not None
        source = random.Random(3)
        told = 0
        for _ in range(40):
            drawn = [source.choice([1.0, 0.0, -1.0, 1.0, 0.0, 0.0]) for _ in range(found.needed)]
            ones = {str(number): [0.0] for number in range(len(drawn))}
            others = {str(number): [value] for number, value in enumerate(drawn)}
            told += outcome(paired_difference(ones, others)) is Comparison.BETTER
        assert 0.6 <= told / 40 <= 0.95

    def test_cannot_be_given_without_a_difference(self) -> None:
        assert compared([0.0] * 12).needed is None
        assert compared([1.0, -1.0] * 6).needed is None
        assert compared([1.0]).needed == FEWEST_PROBES
