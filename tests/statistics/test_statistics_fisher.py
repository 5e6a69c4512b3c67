"""Fisher's exact test against SciPy, and against the definition in fractions."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import fisher_exact as scipy_fisher

from proctor.statistics.fisher import EXACT_UP_TO, fisher_exact

Table = tuple[int, int, int, int]


def by_definition(table: Table) -> Fraction:
    passed_before, failed_before, passed_now, failed_now = table
    before, now, passed = passed_before + failed_before, passed_now + failed_now, passed_before + passed_now
    chances = {
        x: Fraction(comb(before, x) * comb(now, passed - x), comb(before + now, passed))
        for x in range(max(0, passed - now), min(before, passed) + 1)
    }
    return sum((chance for chance in chances.values() if chance <= chances[passed_before]), Fraction(0))


def cells(largest: int) -> st.SearchStrategy[Table]:
    count = st.integers(0, largest)
    return st.tuples(count, count, count, count)


class TestThePValue:
    @given(cells(30))
    def test_is_the_definition_correctly_rounded(self, table: Table) -> None:
        assert fisher_exact(*table) == float(by_definition(table))

    @given(cells(3_000))
    def test_is_that_of_scipy(self, table: Table) -> None:
        wanted = scipy_fisher([table[:2], table[2:]])[1]
        assert fisher_exact(*table) == pytest.approx(wanted, rel=1e-8, abs=1e-290)

    @given(cells(800))
    def test_does_not_care_which_run_is_first_or_what_passing_means(self, table: Table) -> None:
        p = fisher_exact(*table)
        assert fisher_exact(*table[2:], *table[:2]) == pytest.approx(p, rel=1e-9)
        assert fisher_exact(table[1], table[0], table[3], table[2]) == pytest.approx(p, rel=1e-9)

    @given(st.integers(1, 2_000), st.integers(1, 2_000))
    def test_is_one_for_equal_rates(self, passed: int, failed: int) -> None:
        assert fisher_exact(passed, failed, passed, failed) == pytest.approx(1.0)

    @pytest.mark.parametrize("table", [(0, 0, 0, 0), (3, 2, 0, 0), (0, 0, 3, 2), (5, 0, 7, 0), (0, 5, 0, 7)])
    def test_is_one_where_nothing_can_be_told(self, table: Table) -> None:
        assert fisher_exact(*table) == 1.0

    def test_is_exact_where_it_meets_a_level(self) -> None:
        assert fisher_exact(1, 0, 0, 19) == 0.05
        assert fisher_exact(3, 0, 0, 3) == 0.1

    def test_counts_the_mirrored_table_beyond_whole_numbers_too(self) -> None:
        half = EXACT_UP_TO
        p = fisher_exact(half - 60, 60, half - 90, 90)
        assert p == pytest.approx(float(by_definition((half - 60, 60, half - 90, 90))), rel=1e-11)

    @pytest.mark.parametrize(
        "table", [(95_000, 5_000, 94_700, 5_300), (50_000, 50_000, 49_500, 50_500), (100_000, 0, 99_990, 10)]
    )
    def test_is_quick_and_right_for_many_rows(self, table: Table) -> None:
        assert fisher_exact(*table) == pytest.approx(scipy_fisher([table[:2], table[2:]])[1], rel=1e-8)

    def test_is_zero_where_a_float_cannot_hold_it(self) -> None:
        assert fisher_exact(100_000, 0, 0, 100_000) == 0.0
