"""Quantiles of t against SciPy, and at the ends."""

from __future__ import annotations

from math import pi, tan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, t

from proctor.statistics.students_t import SERIES_UP_TO, t_quantile
from proctor.statistics.wilson import Z_95


class TestTheQuantile:
    @given(st.one_of(st.integers(1, 2 * SERIES_UP_TO), st.integers(1, 1_000_000)), st.floats(0.5, 3.5))
    def test_is_that_of_scipy(self, degrees: int, z: float) -> None:
        assert t_quantile(degrees, z) == pytest.approx(t.isf(norm.sf(z), degrees), rel=1e-8)

    @pytest.mark.parametrize(
        ("degrees", "value"), [(1, tan(0.475 * pi)), (2, 4.302653), (10, 2.228139), (30, 2.042272), (120, 1.979930)]
    )
    def test_is_that_of_the_tables(self, degrees: int, value: float) -> None:
        assert t_quantile(degrees, Z_95) == pytest.approx(value, abs=1e-6)

    def test_falls_to_the_normal_one(self) -> None:
        quantiles = [t_quantile(degrees, Z_95) for degrees in range(1, 3 * SERIES_UP_TO)]
        assert quantiles == sorted(quantiles, reverse=True)
        assert t_quantile(10**9, Z_95) == pytest.approx(Z_95)
