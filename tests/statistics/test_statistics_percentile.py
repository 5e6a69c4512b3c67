"""A percentile by rank."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.statistics.percentile import percentile


class TestPercentile:
    @pytest.mark.parametrize(
        ("count", "q", "value"), [(1, 0.5, 0), (2, 0.5, 0), (4, 0.5, 2), (6, 0.5, 2), (20, 0.95, 18), (11, 0.95, 10)]
    )
    def test_is_the_value_at_the_nearest_rank_with_halves_to_even(self, count: int, q: float, value: int) -> None:
        assert percentile(range(count), q) == value

    def test_of_nothing_is_nothing(self) -> None:
        assert percentile([], 0.95) == 0.0

    @given(st.lists(st.floats(-1e6, 1e6), min_size=1), st.floats(0, 1))
    def test_is_a_measured_value(self, values: list[float], q: float) -> None:
        assert percentile(sorted(values), q) in values

    @given(st.lists(st.floats(-1e6, 1e6), min_size=1))
    def test_runs_from_the_smallest_to_the_largest(self, values: list[float]) -> None:
        ordered = sorted(values)
        assert percentile(ordered, 0.0) == min(values)
        assert percentile(ordered, 1.0) == max(values)
