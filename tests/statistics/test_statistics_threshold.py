"""A threshold on a share, as a count."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.statistics.threshold import needed_passes, reaches
from proctor.statistics.wilson import Z_95, wilson

totals = st.integers(1, 300)
shares = st.one_of(
    st.floats(0, 1),
    st.sampled_from([0.0, 0.1, 0.66, 0.67, 0.7, 0.8, 0.85, 0.9, 0.95, 1.0]),
    st.builds(lambda passed, total: min(passed, total) / total, st.integers(0, 300), totals),
)


class TestNeededPasses:
    @given(totals, shares)
    def test_is_the_smallest_count_whose_share_reaches_the_threshold(self, total: int, threshold: float) -> None:
        needed = needed_passes(total, threshold)
        reaching = [passed for passed in range(total + 1) if passed / total >= threshold]
        assert reaching == list(range(needed, total + 1))

    @given(totals, st.integers(0, 300))
    def test_of_a_share_that_was_counted_is_that_count(self, total: int, passed: int) -> None:
        passed = min(passed, total)
        assert needed_passes(total, passed / total) == passed

    @given(st.integers(1, 1000), st.integers(0, 100))
    def test_is_exact_for_the_decimals_that_people_write(self, total: int, percent: int) -> None:
        needed = needed_passes(total, float(f"{percent / 100:.2f}"))
        assert needed == -((-Fraction(percent, 100) * total) // 1)

    @pytest.mark.parametrize(
        ("total", "threshold", "needed"),
        [
            (3, 0.67, 3),
            (3, 0.66, 2),
            (10, 0.7, 7),
            (5, 0.8, 4),
            (20, 0.85, 17),
            (7, 3 / 7, 3),
            (1, 0.01, 1),
            (9, 0.0, 0),
        ],
    )
    def test_is_what_a_person_expects(self, total: int, threshold: float, needed: int) -> None:
        assert needed_passes(total, threshold) == needed

    def test_of_nothing_is_nothing(self) -> None:
        assert needed_passes(0, 1.0) == 0

    @pytest.mark.parametrize("total", [10**9, 10**30, 10**400])
    def test_is_found_at_once_for_any_total(self, total: int) -> None:
        assert total // 2 < needed_passes(total, 0.9) < total
        assert needed_passes(total, 0.0) == 0


class TestReaches:
    @given(totals, shares, st.data())
    def test_is_certain_only_when_the_undecided_cannot_change_it(
        self, total: int, threshold: float, data: st.DataObject
    ) -> None:
        passed = data.draw(st.integers(0, total))
        undecided = data.draw(st.integers(0, total - passed))
        ends = {(passed + more) / total >= threshold for more in range(undecided + 1)}
        assert reaches(passed, undecided, total, threshold) == (ends.pop() if len(ends) == 1 else None)


class TestWilson:
    @given(st.integers(0, 500), st.integers(0, 500))
    def test_holds_the_share_and_lies_between_0_and_1(self, passed: int, failed: int) -> None:
        total = passed + failed
        low, high = wilson(passed, total)
        assert 0 <= low <= high <= 1
        if total:
            assert low <= passed / total <= high
            assert (low == 0) == (passed == 0)
            assert (high == 1) == (passed == total)

    @given(st.integers(0, 200), st.integers(1, 200))
    def test_is_symmetric(self, passed: int, total: int) -> None:
        passed = min(passed, total)
        low, high = wilson(passed, total)
        other_low, other_high = wilson(total - passed, total)
        assert low == pytest.approx(1 - other_high, abs=1e-12)
        assert high == pytest.approx(1 - other_low, abs=1e-12)

    @given(st.integers(1, 199), st.integers(2, 200))
    def test_ends_where_the_score_test_does(self, passed: int, total: int) -> None:
        passed = min(passed, total - 1)
        for end in wilson(passed, total):
            assert abs(passed / total - end) == pytest.approx(Z_95 * sqrt(end * (1 - end) / total))

    @pytest.mark.parametrize(
        ("passed", "total", "low", "high"),
        # R. G. Newcombe, Statistics in Medicine 17 (1998) 857-872, table I, method 3.
        [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611), (1, 29, 0.0061, 0.1718)],
    )
    def test_has_the_published_values(self, passed: int, total: int, low: float, high: float) -> None:
        assert wilson(passed, total) == pytest.approx((low, high), abs=5e-5)
