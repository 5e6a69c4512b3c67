"""Weighted kappa against its definition by a table, and its interval against theory and against samples."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.statistics.kappa import cohen_kappa
from proctor.statistics.weighted_kappa import Pair, weighted_kappa, weighted_kappa_interval
from proctor.statistics.wilson import Z_95

POINTS = range(6)
whole = st.integers(0, 5)
pair = st.tuples(whole, whole)
pairs = st.lists(pair, max_size=40)
clusters = st.lists(st.lists(pair, max_size=5), max_size=12)


def weight(first: int, second: int) -> Fraction:
    """The credit of a cell of the table: 1 on the diagonal, 0 in the far corners."""
    return 1 - Fraction(abs(first - second), 5)


def by_table(rated: Sequence[tuple[int, int]]) -> Fraction | None:
    """Kappa as the definition has it: a 6 by 6 table of shares, its margins, and weights of agreement."""
    if not rated:
        return None
    cells = {cell: Fraction(times, len(rated)) for cell, times in Counter(rated).items()}
    rows = {i: sum(share for (first, _), share in cells.items() if first == i) for i in POINTS}
    columns = {j: sum(share for (_, second), share in cells.items() if second == j) for j in POINTS}
    seen = sum((weight(*cell) * share for cell, share in cells.items()), Fraction(0))
    chance = sum((weight(i, j) * rows[i] * columns[j] for i in POINTS for j in POINTS), Fraction(0))
    return None if chance == 1 else (seen - chance) / (1 - chance)


def large_sample_error(rated: Sequence[tuple[int, int]]) -> float:
    """The standard error of Fleiss, Cohen and Everitt (1969), their formula 8 for weighted kappa."""
    number = len(rated)
    cells = {cell: times / number for cell, times in Counter(rated).items()}
    rows = [sum(share for (first, _), share in cells.items() if first == i) for i in POINTS]
    columns = [sum(share for (_, second), share in cells.items() if second == j) for j in POINTS]
    by_row = [sum(float(weight(i, j)) * columns[j] for j in POINTS) for i in POINTS]
    by_column = [sum(float(weight(i, j)) * rows[i] for i in POINTS) for j in POINTS]
    seen = sum(float(weight(*cell)) * share for cell, share in cells.items())
    chance = sum(by_row[i] * rows[i] for i in POINTS)
    inner = sum(
        share * (float(weight(i, j)) * (1 - chance) - (by_row[i] + by_column[j]) * (1 - seen)) ** 2
        for (i, j), share in cells.items()
    )
    return sqrt(inner - (seen * chance - 2 * chance + seen) ** 2) / ((1 - chance) ** 2 * sqrt(number))


def drawn(source: random.Random, answers: int, spread: float, error: float) -> list[list[tuple[int, int]]]:
    """Answers with four criteria each, whose quality is of the answer and of the criterion, and two raters."""

    def rating(quality: float) -> int:
        return min(5, max(0, round(quality + source.gauss(0, error))))

    made = []
    for _ in range(answers):
        own, bias = source.gauss(3.5, spread), source.gauss(0, error / 2)
        qualities = [own + source.gauss(0, 0.8) for _ in range(4)]
        made.append([(rating(quality + bias), rating(quality)) for quality in qualities])
    return made


class TestWeightedKappa:
    @given(pairs)
    def test_is_what_the_table_of_weights_gives(self, rated: list[tuple[int, int]]) -> None:
        wanted = by_table(rated)
        found = weighted_kappa(rated)
        assert (found is None) == (wanted is None)
        if found is not None and wanted is not None:
            assert found == pytest.approx(float(wanted), abs=1e-12)

    @given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), max_size=40))
    def test_of_two_points_is_plain_kappa(self, rated: list[tuple[int, int]]) -> None:
        table = [rated.count(cell) for cell in ((1, 1), (1, 0), (0, 0), (0, 1))]
        wanted = cohen_kappa(*table)
        found = weighted_kappa(rated)
        assert found == (None if wanted is None else pytest.approx(wanted, abs=1e-12))

    @given(pairs)
    def test_treats_both_raters_and_both_ends_of_the_scale_alike(self, rated: list[tuple[int, int]]) -> None:
        wanted = weighted_kappa(rated)
        close = None if wanted is None else pytest.approx(wanted, abs=1e-12)
        assert weighted_kappa([(second, first) for first, second in rated]) == close
        assert weighted_kappa([(5 - first, 5 - second) for first, second in rated]) == close

    @given(st.lists(st.tuples(st.floats(0, 5), st.floats(0, 5)), max_size=20))
    def test_of_fractions_lies_between_minus_one_and_one(self, rated: list[Pair]) -> None:
        found = weighted_kappa(rated)
        assert found is None or -1 - 1e-9 <= found <= 1

    def test_weighs_a_fraction_by_its_real_distance(self) -> None:
        assert weighted_kappa([(0, 0), (5, 4.5)]) == pytest.approx(1 - 0.25 / 2.5)

    @pytest.mark.parametrize("rated", [[], [(4, 4)], [(4, 4)] * 3])
    def test_is_undefined_without_two_different_ratings(self, rated: list[Pair]) -> None:
        assert weighted_kappa(rated) is None
        assert weighted_kappa_interval([rated]) is None

    @pytest.mark.parametrize(
        ("rated", "kappa"),
        [([(0, 0), (5, 5)], 1.0), ([(0, 5), (5, 0)], -1.0), ([(3, 0), (3, 5)], 0.0), ([(2, 4)], 0.0)],
    )
    def test_has_known_values(self, rated: list[Pair], kappa: float) -> None:
        assert weighted_kappa(rated) == pytest.approx(kappa, abs=1e-12)

    def test_counts_a_miss_by_one_point_less_than_a_miss_by_three(self) -> None:
        alike = [(point, point) for point in POINTS]
        near, far = weighted_kappa([*alike, (2, 1)]), weighted_kappa([*alike, (4, 1)])
        assert near is not None
        assert far is not None
        assert near > far


class TestTheInterval:
    @given(clusters)
    def test_holds_kappa_within_its_range(self, rated: list[list[Pair]]) -> None:
        found = weighted_kappa_interval(rated)
        kappa = weighted_kappa([each for cluster in rated for each in cluster])
        assert (found is None) == (kappa is None)
        if found is not None:
            assert found.kappa == kappa
            assert -1 <= found.low <= found.kappa + 1e-12
            assert found.kappa - 1e-12 <= found.high <= 1

    @given(clusters, st.randoms(use_true_random=False))
    def test_does_not_depend_on_the_order_or_on_empty_clusters(
        self, rated: list[list[Pair]], source: random.Random
    ) -> None:
        mixed: list[Sequence[Pair]] = [*rated, []]
        source.shuffle(mixed)
        wanted = weighted_kappa_interval(rated)
        found = weighted_kappa_interval(mixed)
        assert found == (None if wanted is None else pytest.approx(wanted, abs=1e-9))

    def test_of_single_pairs_becomes_that_of_large_samples(self) -> None:
        source = random.Random(7)
        rated = [each for cluster in drawn(source, 5_000, 1.2, 0.6) for each in cluster]
        found = weighted_kappa_interval([each] for each in rated)
        assert found is not None
        assert found.high - found.kappa == pytest.approx(Z_95 * large_sample_error(rated), rel=2e-3)

    def test_of_full_agreement_on_few_answers_is_wide(self) -> None:
        found = weighted_kappa_interval([[(4, 4), (2, 2), (5, 5)]] * 3)
        assert found is not None
        assert (found.kappa, found.high) == (1.0, 1.0)
        assert found.low < 0.4

    def test_of_one_answer_leaves_nearly_everything_open(self) -> None:
        found = weighted_kappa_interval([[(5, 5), (1, 1), (3, 2), (4, 4)]])
        assert found is not None
        assert found.high - found.low > 1.5

    def test_gains_nothing_from_criteria_that_repeat_one_another(self) -> None:
        source = random.Random(3)
        single = [[cluster[0]] for cluster in drawn(source, 30, 1.2, 0.6)]
        alone, repeated = (weighted_kappa_interval(made) for made in (single, [each * 4 for each in single]))
        assert alone is not None
        assert repeated == pytest.approx(alone, abs=1e-9)

    @pytest.mark.parametrize(("answers", "spread", "error"), [(5, 1.2, 0.6), (10, 1.3, 0.3), (20, 0.8, 1.0)])
    def test_holds_the_true_kappa_about_as_often_as_it_says(self, answers: int, spread: float, error: float) -> None:
        source = random.Random(11)
        true = weighted_kappa(each for cluster in drawn(source, 20_000, spread, error) for each in cluster)
        assert true is not None
        intervals = [weighted_kappa_interval(drawn(source, answers, spread, error)) for _ in range(400)]
        held = [found.low <= true <= found.high for found in intervals if found is not None]
        assert sum(held) / len(held) >= 0.92
