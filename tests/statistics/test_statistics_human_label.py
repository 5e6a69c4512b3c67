"""The spellings of a human label."""

from __future__ import annotations

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.statistics.human_label import FAILS, PASSES, human_label

blanks = st.text(" \t\n\u00a0", max_size=3)


class TestHumanLabel:
    @given(st.sampled_from(sorted(PASSES | FAILS)), blanks, blanks, st.booleans())
    def test_reads_words_without_case_and_blanks(self, word: str, before: str, after: str, loud: bool) -> None:
        spelled = before + (word.upper() if loud else word.title()) + after
        assert human_label(spelled) is (word in PASSES)

    @pytest.mark.parametrize("value", [True, 1, 2, -1, 0.5, inf, 10**400])
    def test_takes_other_numbers_for_a_pass(self, value: object) -> None:
        assert human_label(value) is True

    @pytest.mark.parametrize("value", [False, 0, 0.0, -0.0])
    def test_takes_zero_for_a_fail(self, value: object) -> None:
        assert human_label(value) is False

    @pytest.mark.parametrize("value", [None, "", " ", "maybe", "1.0", "t", "ok", [True], {}, b"yes", nan])
    def test_cannot_read_the_rest(self, value: object) -> None:
        assert human_label(value) is None
