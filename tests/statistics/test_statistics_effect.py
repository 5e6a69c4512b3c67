"""The detectable drop: simulated power at it, and where there is none."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.statistics.effect import detectable_drop_paired, detectable_drop_unpaired, losses_that_show
from proctor.statistics.fisher import fisher_exact
from proctor.statistics.mcnemar import mcnemar_exact

LEVEL, POWER = 0.05, 0.8
ROUNDS = 500
NEAR = 0.07
"""Four standard errors of a simulated share of 0.8."""


def passes(source: random.Random, rows: int, rate: float) -> int:
    return sum(source.random() < rate for _ in range(rows))


class TestTheUnpairedDrop:
    @pytest.mark.parametrize(
        ("rate", "before", "now"), [(1.0, 10, 10), (0.9, 50, 50), (0.95, 100, 300), (0.5, 60, 40), (0.99, 700, 500)]
    )
    def test_is_found_with_the_stated_power(self, rate: float, before: int, now: int) -> None:
        drop = detectable_drop_unpaired(rate, before, now, LEVEL, POWER)
        assert drop is not None
        source = random.Random(5)
        found = 0
        for _ in range(ROUNDS):
            first, second = passes(source, before, rate), passes(source, now, rate - drop)
            fewer = second * before < first * now
            found += fewer and fisher_exact(first, before - first, second, now - second) <= LEVEL
        assert found / ROUNDS == pytest.approx(POWER, abs=NEAR)

    @pytest.mark.parametrize(
        ("rate", "before", "now"), [(0.9, 0, 10), (0.9, 10, 0), (0.0, 50, 50), (1.0, 2, 2), (0.3, 8, 8)]
    )
    def test_is_none_where_no_drop_can_be_found(self, rate: float, before: int, now: int) -> None:
        assert detectable_drop_unpaired(rate, before, now, LEVEL, POWER) is None

    @given(st.floats(0.2, 1.0), st.integers(20, 80))
    def test_gets_smaller_with_more_rows_and_larger_with_more_power(self, rate: float, rows: int) -> None:
        drop = detectable_drop_unpaired(rate, rows, rows, LEVEL, 0.5)
        more_rows = detectable_drop_unpaired(rate, 3 * rows, 3 * rows, LEVEL, 0.5)
        more_power = detectable_drop_unpaired(rate, rows, rows, LEVEL, 0.9)
        assert more_rows is not None
        assert drop is None or more_rows < drop <= rate
        assert more_power is None or (drop is not None and drop < more_power <= rate)

    def test_of_many_rows_without_failures_is_a_few_failures(self) -> None:
        drop = detectable_drop_unpaired(1.0, 100_000, 100_000, LEVEL, POWER)
        assert drop == pytest.approx(7.9e-5, rel=0.01)


class TestThePairedDrop:
    @pytest.mark.parametrize(
        ("rate", "shared", "churn"),
        [(1.0, 10, 0.0), (0.9, 50, 0.0), (0.9, 50, 0.05), (0.8, 200, 0.1), (0.95, 800, 0.04)],
    )
    def test_is_found_with_the_stated_power(self, rate: float, shared: int, churn: float) -> None:
        drop = detectable_drop_paired(rate, shared, LEVEL, POWER, churn)
        assert drop is not None
        source = random.Random(6)
        shares = (churn + drop, churn, 1 - 2 * churn - drop)
        found = 0
        for _ in range(ROUNDS):
            changes = source.choices("lw=", shares, k=shared)
            lost, won = changes.count("l"), changes.count("w")
            found += lost > won and mcnemar_exact(lost, won) <= LEVEL
        assert found / ROUNDS == pytest.approx(POWER, abs=NEAR)

    @pytest.mark.parametrize(
        ("rate", "shared", "churn"), [(0.9, 0, 0.0), (1.0, 5, 0.0), (0.0, 50, 0.0), (0.05, 50, 0.05), (0.2, 10, 0.1)]
    )
    def test_is_none_where_no_drop_can_be_found(self, rate: float, shared: int, churn: float) -> None:
        assert detectable_drop_paired(rate, shared, LEVEL, POWER, churn) is None

    def test_at_best_needs_six_losses(self) -> None:
        assert losses_that_show(5, LEVEL) is None
        assert losses_that_show(6, LEVEL) == 6
        assert detectable_drop_paired(1.0, 6, LEVEL, POWER) == pytest.approx(POWER ** (1 / 6), abs=1e-5)

    @given(st.integers(0, 400), st.sampled_from([0.1, 0.05, 0.01, 0.001]))
    def test_needs_as_many_losses_as_the_test_says(self, pairs: int, level: float) -> None:
        showing = [lost for lost in range(pairs // 2 + 1, pairs + 1) if mcnemar_exact(lost, pairs - lost) <= level]
        assert losses_that_show(pairs, level) == (min(showing) if showing else None)

    @given(st.floats(0.5, 0.9), st.floats(0, 0.1))
    def test_grows_with_churn(self, rate: float, churn: float) -> None:
        best = detectable_drop_paired(rate, 150, LEVEL, POWER)
        drop = detectable_drop_paired(rate, 150, LEVEL, POWER, churn)
        assert best is not None
        assert drop is not None
        assert best <= drop + 0.002
