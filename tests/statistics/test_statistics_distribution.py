"""Distributions built from the ratios of neighbours."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from proctor.statistics.distribution import binomial


class TestBinomial:
    @given(st.integers(0, 5_000), st.floats(0, 1), st.data())
    def test_has_the_tails_of_scipy(self, trials: int, chance: float, data: st.DataObject) -> None:
        number = data.draw(st.integers(-1, trials + 1))
        found = binomial(trials, chance)
        assert found.at_most(number) == pytest.approx(binom.cdf(number, trials, chance), abs=1e-10)
        assert found.at_least(number) == pytest.approx(binom.sf(number - 1, trials, chance), abs=1e-10)

    @pytest.mark.parametrize(("chance", "first"), [(0.0, 0), (-1e-18, 0), (1.0, 7)])
    def test_without_chance_is_one_number(self, chance: float, first: int) -> None:
        assert binomial(7, chance) == (first, [1.0])

    def test_keeps_the_smallest_chances_if_asked(self) -> None:
        assert binomial(1_000, 0.5, cut=0.0).at_most(0) == pytest.approx(2.0**-1000, rel=1e-11)
        assert binomial(1_000, 0.5).at_most(0) == 0.0
