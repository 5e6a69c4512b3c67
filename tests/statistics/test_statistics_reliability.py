"""Reliability: consistency, pass^k and pass@k over cases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.dimension_scores import Reliability
from proctor.statistics.reliability import reliability

cases_of_trials = st.lists(
    st.integers(1, 6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=1, max_size=12
).map(lambda counts: [(f"case {place}", *count) for place, count in enumerate(counts)])


class TestReliability:
    def test_sums_up_cases_of_unequal_length(self) -> None:
        assert reliability([("a", 3, 3), ("b", 0, 2), ("c", 1, 1)], k=2) == Reliability(
            cases=3, repeated=2, trials=6, consistency=1.0, k=2, pass_hat_k=0.5, pass_at_k=0.5, covered=2
        )

    def test_names_mixed_cases_in_order(self) -> None:
        found = reliability([("z", 1, 2), ("a", 1, 2), ("m", 2, 2)], k=2)
        assert found is not None
        assert found.flaky == ("a", "z")
        assert found.consistency == pytest.approx(1 / 3)
        assert found.pass_hat_k == pytest.approx(1 / 3)
        assert found.pass_at_k == 1.0

    @pytest.mark.parametrize("cases", [[], [("a", 1, 1), ("b", 0, 1)], [("a", 0, 0)]])
    def test_is_none_where_no_case_is_repeated(self, cases: list[tuple[str, int, int]]) -> None:
        assert reliability(cases, k=2) is None

    @pytest.mark.parametrize("k", [-1, 0, 3])
    def test_says_how_many_cases_have_k_trials(self, k: int) -> None:
        found = reliability([("a", 1, 2), ("b", 1, 1)], k)
        assert found is not None
        assert (found.covered, found.pass_hat_k, found.pass_at_k) == (0, None, None)
        assert found.k == k

    @given(cases_of_trials)
    def test_leaves_out_cases_without_a_trial(self, cases: list[tuple[str, int, int]]) -> None:
        assert reliability([*cases, ("empty", 0, 0)], k=2) == reliability(cases, k=2)

    @given(cases_of_trials, st.integers(1, 6))
    def test_counts_and_shares_agree(self, cases: list[tuple[str, int, int]], k: int) -> None:
        found = reliability(cases, k)
        if found is None:
            assert all(trials < 2 for _, _, trials in cases)
            return
        assert 0 < found.repeated <= found.cases == len(cases)
        assert found.consistency == pytest.approx(1 - len(found.flaky) / found.repeated)
        assert found.covered == sum(trials >= k for _, _, trials in cases)
        if found.pass_hat_k is not None and found.pass_at_k is not None:
            assert 0 <= found.pass_hat_k <= found.pass_at_k <= 1
