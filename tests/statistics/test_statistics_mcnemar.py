"""McNemar's test: the exact one, and the one that Assevra reports."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, chi2

from proctor.statistics.mcnemar import EXACT_UP_TO, mcnemar_exact, mcnemar_reported


class TestTheExactTest:
    @given(st.integers(0, 1_000), st.integers(0, 1_000))
    def test_is_the_sign_test_of_scipy(self, lost: int, won: int) -> None:
        wanted = binomtest(lost, lost + won).pvalue if lost + won else 1.0
        assert mcnemar_exact(lost, won) == pytest.approx(wanted, rel=1e-11)

    @given(st.integers(0, 300), st.integers(0, 300))
    def test_does_not_care_for_the_direction(self, lost: int, won: int) -> None:
        assert mcnemar_exact(lost, won) == mcnemar_exact(won, lost)

    @pytest.mark.parametrize(
        ("lost", "won", "p"), [(0, 0, 1.0), (4, 4, 1.0), (6, 1, 0.125), (6, 0, 0.03125), (10, 0, 2**-9), (2, 1, 1.0)]
    )
    def test_is_exact_for_few_pairs(self, lost: int, won: int, p: float) -> None:
        assert mcnemar_exact(lost, won) == p

    def test_does_not_jump_where_the_method_changes(self) -> None:
        lost = EXACT_UP_TO // 2 + 40
        won = EXACT_UP_TO - lost
        assert mcnemar_exact(lost, won) == pytest.approx(binomtest(won, EXACT_UP_TO).pvalue, rel=1e-11)
        assert mcnemar_exact(lost + 1, won) == pytest.approx(binomtest(won, EXACT_UP_TO + 1).pvalue, rel=1e-11)

    def test_is_quick_for_many_pairs(self) -> None:
        assert mcnemar_exact(50_500, 49_500) == pytest.approx(binomtest(50_500, 100_000).pvalue, rel=1e-9)
        assert mcnemar_exact(100_000, 0) == 0.0


class TestTheReportedTest:
    def test_says_nothing_without_pairs(self) -> None:
        assert mcnemar_reported(0, 0, 0) is None
        assert mcnemar_reported(0, 0, 4) == 1.0

    @given(st.integers(0, 24).flatmap(lambda lost: st.tuples(st.just(lost), st.integers(0, 24 - lost))))
    def test_is_exact_below_25_pairs(self, counts: tuple[int, int]) -> None:
        assert mcnemar_reported(*counts, shared=30) == mcnemar_exact(*counts)

    @given(st.integers(0, 500), st.integers(25, 500))
    def test_is_the_corrected_chi_square_from_25_pairs(self, lost: int, won: int) -> None:
        wanted = chi2.sf((abs(lost - won) - 1) ** 2 / (lost + won), 1)
        assert mcnemar_reported(lost, won, shared=1_000) == pytest.approx(wanted, rel=1e-9)

    def test_jumps_at_25_pairs(self) -> None:
        assert mcnemar_reported(24, 0, 24) == pytest.approx(1.1920928955078125e-07)
        assert mcnemar_reported(25, 0, 25) == pytest.approx(1.5866563039511896e-06)
