"""pass^k and pass@k: what all choices of k trials give, and the published definition."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.statistics.pass_k import pass_at_k, pass_hat_k

counts = st.integers(1, 9).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n), st.integers(1, n)))


class TestTheEstimates:
    @given(counts)
    def test_are_the_shares_of_all_choices_of_k_trials(self, count: tuple[int, int, int]) -> None:
        passes, n, k = count
        choices = list(combinations([True] * passes + [False] * (n - passes), k))
        assert pass_hat_k(passes, n, k) == pytest.approx(sum(map(all, choices)) / len(choices))
        assert pass_at_k(passes, n, k) == pytest.approx(sum(map(any, choices)) / len(choices))

    @given(counts)
    def test_mirror_each_other(self, count: tuple[int, int, int]) -> None:
        passes, n, k = count
        hat, at = pass_hat_k(n - passes, n, k), pass_at_k(passes, n, k)
        assert hat is not None
        assert at is not None
        assert at == pytest.approx(1 - hat)

    @given(st.integers(0, 1000), st.integers(0, 1000))
    def test_for_one_trial_are_the_rate(self, passes: int, failed: int) -> None:
        n = passes + failed
        wanted = passes / n if n else None
        assert pass_hat_k(passes, n, 1) == wanted
        assert pass_at_k(passes, n, 1) == wanted

    @pytest.mark.parametrize(("passes", "n", "k"), [(0, 0, 1), (2, 2, 3), (3, 3, 0), (3, 3, -1)])
    def test_are_none_without_k_trials(self, passes: int, n: int, k: int) -> None:
        assert pass_hat_k(passes, n, k) is None
        assert pass_at_k(passes, n, k) is None

    @pytest.mark.parametrize(
        ("passes", "n", "k", "hat", "at"),
        [(4, 5, 3, 0.4, 1.0), (5, 10, 5, 1 / 252, 251 / 252), (99, 100, 2, 0.98, 1.0), (0, 3, 2, 0.0, 0.0)],
    )
    def test_have_known_values(self, passes: int, n: int, k: int, hat: float, at: float) -> None:
        assert pass_hat_k(passes, n, k) == hat
        assert pass_at_k(passes, n, k) == at

    def test_stay_within_a_float_for_many_trials(self) -> None:
        assert pass_hat_k(9_000, 10_000, 5_000) == 0.0
        assert pass_at_k(9_000, 10_000, 5_000) == 1.0
