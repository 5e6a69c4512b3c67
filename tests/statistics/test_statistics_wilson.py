"""The Wilson interval: published values, and its ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from proctor.statistics.wilson import wilson, wilson_reported


class TestTheInterval:
    @pytest.mark.parametrize(
        ("passed", "total", "low", "high"),
        [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
    )
    def test_is_that_of_newcombe_1998(self, passed: int, total: int, low: float, high: float) -> None:
        assert wilson(passed, total) == pytest.approx((low, high), abs=0.00005)

    @given(st.integers(1, 10_000).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total))))
    def test_is_that_of_scipy(self, counts: tuple[int, int]) -> None:
        wanted = binomtest(*counts).proportion_ci(method="wilson")
        assert wilson(*counts) == pytest.approx((wanted.low, wanted.high), abs=1e-12)

    def test_of_nothing_says_nothing(self) -> None:
        assert wilson(0, 0) == (0.0, 1.0)

    @given(st.integers(1, 100_000))
    def test_is_exact_at_none_and_at_all(self, total: int) -> None:
        assert wilson(0, total)[0] == 0.0
        assert wilson(total, total)[1] == 1.0

    @given(st.integers(1, 1_000).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total))))
    def test_holds_the_share(self, found: tuple[int, int]) -> None:
        passed, total = found
        low, high = wilson(passed, total)
        assert 0 <= low <= passed / total <= high <= 1


class TestTheReportedInterval:
    def test_of_nothing_is_nothing(self) -> None:
        assert wilson_reported(0, 0) == (0.0, 0.0)

    @pytest.mark.parametrize(
        ("passed", "total", "low", "high"),
        [(1, 1, 0.20654329147389294, 1.0), (19, 20, 0.7638641064874331, 0.9911187805671268)],
    )
    def test_takes_the_rounded_quantile(self, passed: int, total: int, low: float, high: float) -> None:
        assert wilson_reported(passed, total) == pytest.approx((low, high), abs=1e-12)
