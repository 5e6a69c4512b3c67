"""Agreement of a judge with people, kappa, and its interval."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.statistics.kappa import Agreement, agreement, cohen_kappa, kappa_interval, kappa_reported
from proctor.statistics.wilson import wilson

count = st.integers(0, 300)
tables = st.tuples(count, count, count, count)
Table = tuple[int, int, int, int]


def by_definition(table: Table) -> Fraction | None:
    rows = sum(table)
    if not rows:
        return None
    tp, fp, tn, fn = (Fraction(cell, rows) for cell in table)
    chance = (tp + fp) * (tp + fn) + (tn + fn) * (tn + fp)
    return (tp + tn - chance) / (1 - chance) if chance != 1 else None


class TestAgreement:
    def test_counts_what_both_say(self) -> None:
        pairs = [(True, True)] * 4 + [(True, False)] * 3 + [(False, False)] * 2 + [(False, True)]
        found = agreement(pairs)
        assert found == Agreement(true_pass=4, false_pass=3, true_fail=2, false_fail=1)
        assert (found.rows, found.accuracy, found.sensitivity, found.specificity) == (10, 0.6, 0.8, 0.4)

    def test_of_nothing_knows_no_shares(self) -> None:
        found = agreement([])
        assert (found.rows, found.accuracy, found.sensitivity, found.specificity) == (0, 0.0, None, None)

    def test_of_one_class_knows_one_share(self) -> None:
        assert agreement([(True, True)]).specificity is None
        assert agreement([(False, False)]).sensitivity is None


class TestKappa:
    @given(tables)
    def test_is_its_definition_correctly_rounded(self, table: Table) -> None:
        wanted = by_definition(table)
        assert cohen_kappa(*table) == (None if wanted is None else float(wanted))

    @given(tables)
    def test_treats_judge_and_people_and_both_classes_alike(self, table: Table) -> None:
        tp, fp, tn, fn = table
        assert cohen_kappa(tp, fn, tn, fp) == cohen_kappa(*table)
        assert cohen_kappa(tn, fn, tp, fp) == cohen_kappa(*table)

    @pytest.mark.parametrize("table", [(0, 0, 0, 0), (5, 0, 0, 0), (0, 0, 1, 0)])
    def test_is_undefined_for_one_class(self, table: Table) -> None:
        assert cohen_kappa(*table) is None
        assert kappa_interval(*table) is None

    @pytest.mark.parametrize(
        ("table", "kappa"), [((2, 2, 0, 0), 0.0), ((2, 0, 2, 0), 1.0), ((0, 2, 0, 2), -1.0), ((2, 1, 1, 0), 0.5)]
    )
    def test_has_known_values(self, table: Table, kappa: float) -> None:
        assert cohen_kappa(*table) == kappa

    @pytest.mark.parametrize(
        ("table", "kappa"), [((0, 0, 0, 0), None), ((4, 0, 0, 0), 1.0), ((0, 0, 4, 0), 1.0), ((3, 1, 0, 0), 0.0)]
    )
    def test_is_reported_as_one_for_full_agreement_on_one_class(self, table: Table, kappa: float | None) -> None:
        assert kappa_reported(*table) == kappa


class TestTheInterval:
    @given(tables)
    def test_holds_kappa_within_its_range(self, table: Table) -> None:
        kappa, interval = cohen_kappa(*table), kappa_interval(*table)
        assert (kappa is None) == (interval is None)
        if kappa is not None and interval is not None:
            assert -1 <= interval[0] <= kappa + 1e-12
            assert kappa - 1e-12 <= interval[1] <= 1

    def test_of_full_agreement_on_few_rows_is_wide(self) -> None:
        low = wilson(4, 4)[0]
        assert kappa_interval(2, 0, 2, 0) == pytest.approx((2 * low - 1, 1.0))
        assert 2 * low - 1 < 0.05

    @pytest.mark.parametrize(("rows", "right"), [(20, 0.97), (50, 0.9), (200, 0.9)])
    def test_holds_the_true_kappa_about_as_often_as_it_says(self, rows: int, right: float) -> None:
        source = random.Random(11)
        shares = (right / 2, (1 - right) / 2, right / 2, (1 - right) / 2)
        drawn = (Counter(source.choices(range(4), shares, k=rows)) for _ in range(600))
        intervals = [kappa_interval(*(table[cell] for cell in range(4))) for table in drawn]
        held = [low <= 2 * right - 1 <= high for low, high in filter(None, intervals)]
        assert sum(held) / len(held) >= 0.92
