"""The interval for rows that share cases: what it holds, and how often."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.statistics.cluster import cluster_interval
from proctor.statistics.wilson import wilson

Cases = list[tuple[int, int]]

case = st.integers(1, 8).flatmap(lambda rows: st.tuples(st.integers(0, rows), st.just(rows)))
several_cases = st.lists(case, min_size=1, max_size=30)


def totals(cases: Cases) -> tuple[int, int]:
    return sum(passes for passes, _ in cases), sum(rows for _, rows in cases)


def drawn(source: random.Random, cases: int, trials: int, correlation: float, rate: float) -> Cases:
    spread = (1 - correlation) / correlation
    chances = [source.betavariate(rate * spread, (1 - rate) * spread) for _ in range(cases)]
    return [(sum(source.random() < chance for _ in range(trials)), trials) for chance in chances]


class TestTheInterval:
    @given(several_cases)
    def test_holds_the_interval_of_independent_rows(self, cases: Cases) -> None:
        low, high = cluster_interval(cases)
        plain_low, plain_high = wilson(*totals(cases))
        assert 0 <= low <= plain_low + 1e-12
        assert plain_high - 1e-12 <= high <= 1

    @given(st.lists(st.tuples(st.integers(0, 1), st.just(1)), max_size=30))
    def test_is_wilsons_where_no_case_is_repeated(self, cases: Cases) -> None:
        assert cluster_interval(cases) == wilson(*totals(cases))

    @given(several_cases)
    def test_mirrors_passes_and_fails(self, cases: Cases) -> None:
        low, high = cluster_interval(cases)
        other_low, other_high = cluster_interval([(rows - passes, rows) for passes, rows in cases])
        assert (other_low, other_high) == pytest.approx((1 - high, 1 - low), abs=1e-9)

    @given(several_cases, st.randoms(use_true_random=False))
    def test_does_not_depend_on_the_order_or_on_empty_cases(self, cases: Cases, source: random.Random) -> None:
        mixed = [*cases, (0, 0)]
        source.shuffle(mixed)
        assert cluster_interval(mixed) == cluster_interval(cases)

    @given(st.integers(2, 60), st.integers(2, 20))
    def test_gains_nothing_from_repeating_cases_that_always_agree(self, cases: int, trials: int) -> None:
        low, high = cluster_interval([(trials, trials)] * cases)
        assert high == 1.0
        assert low <= wilson(cases, cases)[0]
        assert cluster_interval([(0, trials)] * cases)[0] == 0.0

    def test_is_as_narrow_as_independent_rows_for_many_cases_that_vary_as_those_do(self) -> None:
        cases = [(0, 2), (1, 2), (1, 2), (2, 2)] * 500
        low, high = cluster_interval(cases)
        plain_low, plain_high = wilson(*totals(cases))
        assert high - low == pytest.approx(plain_high - plain_low, rel=0.01)

    def test_of_one_case_leaves_nearly_everything_open(self) -> None:
        low, high = cluster_interval([(50, 50)])
        assert low < 0.01
        assert high == 1.0

    def test_of_nothing_says_nothing(self) -> None:
        assert cluster_interval([]) == (0.0, 1.0)
        assert cluster_interval([(0, 0)]) == (0.0, 1.0)

    @pytest.mark.parametrize(
        ("cases", "trials", "correlation", "rate"), [(20, 5, 0.5, 0.8), (20, 10, 0.8, 0.9), (50, 3, 0.5, 0.95)]
    )
    def test_holds_the_true_rate_about_as_often_as_it_says(
        self, cases: int, trials: int, correlation: float, rate: float
    ) -> None:
        source = random.Random(7)
        samples = [drawn(source, cases, trials, correlation, rate) for _ in range(600)]
        held = sum(low <= rate <= high for low, high in map(cluster_interval, samples)) / len(samples)
        plain = sum(low <= rate <= high for low, high in (wilson(*totals(sample)) for sample in samples))
        assert held >= 0.93
        assert plain / len(samples) < 0.9
