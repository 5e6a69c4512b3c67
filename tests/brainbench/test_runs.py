"""Several runs: the order of each, the spread over them, and what a search is worth."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.brainbench.eras import Era
from proctor.brainbench.retrieval.order import seeded_order
from proctor.brainbench.retrieval.ranking import Ranking, rank_at
from proctor.brainbench.scoring.runs import Spread, spread_of

shares = st.floats(0, 1)
documents = st.lists(st.sampled_from("abcdefgh"), max_size=12)


class TestTheOrder:
    @given(st.lists(st.integers()), st.integers(-(2**40), 2**40))
    def test_is_a_permutation_and_always_the_same(self, items: list[int], seed: int) -> None:
        order = seeded_order(items, seed)
        assert sorted(order) == sorted(items)
        assert seeded_order(items, seed) == order

    @given(st.integers(0, 2**32 - 1))
    def test_only_takes_thirty_two_bits_of_a_seed(self, seed: int) -> None:
        assert seeded_order(range(9), seed) == seeded_order(range(9), seed + 2**32)

    def test_differs_between_runs(self) -> None:
        assert len({tuple(seeded_order(range(20), run + 1)) for run in range(10)}) == 10

    def test_is_that_of_the_benchmark(self) -> None:
        assert "".join(seeded_order("abcdefgh", 1)) == "eghafdcb"
        assert "".join(seeded_order("abcdefgh", 5)) == "dagcehfb"

    def test_leaves_the_items_alone(self) -> None:
        items = ["a", "b", "c"]
        seeded_order(items, 1)
        assert items == ["a", "b", "c"]
        assert seeded_order([], 1) == []


class TestTheSpread:
    @given(st.lists(shares, min_size=2, max_size=10))
    def test_is_the_sample_standard_deviation(self, values: list[float]) -> None:
        found = spread_of(values)
        assert found is not None
        assert found.mean == pytest.approx(statistics.fmean(values))
        assert found.stddev == pytest.approx(statistics.stdev(values), abs=1e-9)
        assert min(values) <= found.mean <= max(values)

    @given(shares, st.integers(1, 20))
    def test_of_equal_runs_is_exactly_none(self, value: float, n: int) -> None:
        assert spread_of([value] * n) == Spread(n, value, 0.0)

    def test_of_no_run_is_absent(self) -> None:
        assert spread_of([]) is None

    @pytest.mark.parametrize(
        ("values", "printed"),
        [
            ([0.491] * 5, "49.1%"),
            ([0.8], "80.0%"),
            ([0.94, 0.96, 0.97, 0.95, 0.93], "95.0% ±1.6"),
            ([0.5, 0.50001], "50.0% ±0.0"),
            ([0.0625], "6.3%"),
            ([0.5625], "56.3%"),
            ([1.0], "100.0%"),
            ([0.0], "0.0%"),
        ],
    )
    def test_is_printed_in_percent_with_its_band(self, values: list[float], printed: str) -> None:
        assert str(spread_of(values)) == printed


class TestARanking:
    @given(documents, st.sets(st.sampled_from("abcdefgh")), st.integers(1, 10))
    def test_lies_between_nothing_and_all(self, found: list[str], relevant: set[str], k: int) -> None:
        ranking = rank_at(found, relevant, k)
        assert 0 <= ranking.precision <= 1
        assert (ranking.recall is None) is (not relevant)
        assert ranking.recall is None or 0 <= ranking.recall <= 1

    @given(documents, st.sets(st.sampled_from("abcdefgh")), st.integers(1, 10))
    def test_looks_at_the_first_places_only(self, found: list[str], relevant: set[str], k: int) -> None:
        for era in Era:
            assert rank_at(found, relevant, k, era) == rank_at(found[:k], relevant, k, era)

    def test_counts_a_document_once_however_often_it_is_returned(self) -> None:
        assert rank_at(["a", "a", "a"], ["a"], 5) == Ranking(0.2, 1.0)
        assert rank_at(["a", "a", "a"], ["a"], 5, Era.SEED) == Ranking(1.0, 3.0)

    def test_divides_by_all_places_that_were_asked_for(self) -> None:
        assert rank_at(["a", "x"], ["a", "b"], 5) == Ranking(0.2, 0.5)
        assert rank_at(["a", "x"], ["a", "b"], 5, Era.SEED) == Ranking(0.5, 0.5)

    @pytest.mark.parametrize("era", Era)
    def test_needs_a_place(self, era: Era) -> None:
        with pytest.raises(ValueError, match="k must be 1 or more, got 0"):
            rank_at(["a"], ["a"], 0, era)
