"""Holm's correction: the stepwise procedure, and what it leaves alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.statistics.holm import holm

p_values = st.lists(st.floats(0, 1), max_size=10)


def rejected(values: list[float], level: float) -> set[int]:
    """The procedure of Holm as he states it: step through ascending p-values until one is too large."""
    found = set()
    for rank, place in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        if values[place] * (len(values) - rank) > level:
            break
        found.add(place)
    return found


class TestHolm:
    @given(p_values, st.floats(0.001, 0.999))
    def test_decides_as_the_stepwise_procedure(self, values: list[float], level: float) -> None:
        adjusted = holm(values)
        assert {place for place, p in enumerate(adjusted) if p is not None and p <= level} == rejected(values, level)

    @given(p_values, st.data())
    def test_takes_no_notice_of_tests_that_were_not_made(self, values: list[float], data: st.DataObject) -> None:
        place = data.draw(st.integers(0, len(values)))
        adjusted = holm(values)
        assert holm([*values[:place], None, *values[place:]]) == [*adjusted[:place], None, *adjusted[place:]]

    @given(p_values)
    def test_never_makes_a_p_value_smaller_or_more_than_one(self, values: list[float]) -> None:
        for p, adjusted in zip(values, holm(values), strict=True):
            assert adjusted is not None
            assert p <= adjusted <= 1

    @pytest.mark.parametrize(
        ("values", "adjusted"),
        [
            ([], []),
            ([None], [None]),
            ([0.03], [0.03]),
            ([0.01, 0.04, 0.03, 0.005], [0.03, 0.06, 0.06, 0.02]),
            ([0.5, None, 0.6], [1.0, None, 1.0]),
        ],
    )
    def test_has_known_values(self, values: list[float | None], adjusted: list[float | None]) -> None:
        assert holm(values) == pytest.approx(adjusted)
