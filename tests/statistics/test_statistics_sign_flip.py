"""Typical values: the sign-flip test, and the interval that belongs to it."""

from __future__ import annotations

import random
from math import fsum, inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import permutation_test

from proctor.statistics.sign_flip import DRAWN_PAIRS, EXACT_UP_TO, typical_values

values = st.floats(-10, 10, allow_nan=False).map(lambda value: round(value, 3))
few = st.lists(values, min_size=1, max_size=EXACT_UP_TO)
many = st.lists(values, min_size=EXACT_UP_TO + 1, max_size=40)


def scipy_p(differences: list[float], alternative: str = "two-sided") -> float:
    found = permutation_test(
        (np.array(differences),),
        lambda flipped, axis: np.round(np.mean(flipped, axis=axis), 9),
        permutation_type="samples",
        n_resamples=inf,
        alternative=alternative,
        vectorized=True,
    )
    return float(found.pvalue)


class TestTheTest:
    @given(st.lists(values, min_size=2, max_size=9))
    def test_is_the_exact_one_of_scipy(self, differences: list[float]) -> None:
        found = typical_values(differences)
        assert found.flips == 2 ** len(differences)
        assert found.p_value() == pytest.approx(scipy_p(differences))
        assert found.p_above(0) == pytest.approx(scipy_p(differences, "greater"))
        assert found.p_below(0) == pytest.approx(scipy_p(differences, "less"))

    @settings(max_examples=50)
    @given(st.one_of(few, many))
    def test_does_not_care_for_the_direction(self, differences: list[float]) -> None:
        found, mirrored = typical_values(differences), typical_values([-value for value in differences])
        assert found.p_value() == mirrored.p_value()
        assert found.p_above(0) == mirrored.p_below(0)

    @settings(max_examples=50)
    @given(st.one_of(few, many), values)
    def test_moves_with_the_differences(self, differences: list[float], by: float) -> None:
        moved = typical_values([value + by for value in differences])
        assert moved.p_value(by) == typical_values(differences).p_value()

    @settings(max_examples=50)
    @given(many)
    def test_is_near_the_exact_one_where_it_is_drawn(self, differences: list[float]) -> None:
        short = differences[: EXACT_UP_TO - 2]
        repeated = typical_values([*short, 0.0, 0.0, 0.0])
        assert repeated.flips == 2 * (DRAWN_PAIRS + 1)
        assert repeated.p_value() == pytest.approx(typical_values(short).p_value(), abs=0.03)

    @given(st.lists(values, min_size=8, max_size=20))
    def test_leans_to_no_side_where_the_mean_is_none(self, differences: list[float]) -> None:
        found = typical_values([*differences, *(-value for value in differences)])
        assert found.p_above(0) == found.p_below(0)
        assert found.p_value() == 1.0

    def test_counts_equal_means_whatever_their_last_digit(self) -> None:
        assert typical_values([0.1, 0.2, -0.3]).p_value() == 1.0

    def test_is_never_surer_than_its_flips_allow(self) -> None:
        assert typical_values([1.0] * 4).p_value() == 2 / 16
        assert typical_values([1.0] * 500).p_value() == 2 / (2 * (DRAWN_PAIRS + 1))

    def test_needs_a_difference(self) -> None:
        with pytest.raises(ValueError, match="no differences"):
            typical_values([])


class TestTheInterval:
    @settings(max_examples=50)
    @given(st.one_of(few, many))
    def test_holds_the_mean(self, differences: list[float]) -> None:
        interval = typical_values(differences).interval()
        if interval is not None:
            assert interval[0] - 1e-9 <= fsum(differences) / len(differences) <= interval[1] + 1e-9

    @settings(max_examples=50)
    @given(st.one_of(few, many), values)
    def test_holds_exactly_the_means_that_the_test_does_not_reject(
        self, differences: list[float], supposed: float
    ) -> None:
        found = typical_values(differences)
        interval = found.interval()
        if interval is None:
            assert found.p_value(supposed) > 0.05
        elif min(abs(supposed - interval[0]), abs(supposed - interval[1])) > found.tie:
            assert (interval[0] < supposed < interval[1]) is (found.p_value(supposed) > 0.05)

    @pytest.mark.parametrize("n", [5, 6])
    def test_needs_six_differences(self, n: int) -> None:
        differences = [float(value) for value in range(n)]
        assert typical_values(differences).interval() == (None if n < 6 else (0.0, 5.0))

    @pytest.mark.parametrize("n", [10, 16])
    def test_holds_the_true_mean_as_often_as_it_says(self, n: int) -> None:
        source = random.Random(7)
        held = 0
        for _ in range(200):
            interval = typical_values([source.gauss(0.3, 1) for _ in range(n)]).interval()
            assert interval is not None
            held += interval[0] <= 0.3 <= interval[1]
        assert 0.91 <= held / 200 <= 0.99

    def test_is_the_same_every_time(self) -> None:
        differences = [((7 * number) % 11 - 5) / 3 for number in range(60)]
        assert typical_values(differences) == typical_values(differences)
