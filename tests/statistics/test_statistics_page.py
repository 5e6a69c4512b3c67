"""The figures on the statistics page are those that are computed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from proctor.statistics.effect import detectable_drop_paired, detectable_drop_unpaired
from proctor.statistics.human_label import FAILS, PASSES
from proctor.statistics.mcnemar import mcnemar_exact

PAGE = (Path(__file__).parents[2] / "docs" / "statistics.md").read_text(encoding="utf-8")

DROPS = re.findall(r"^\| (\d+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", PAGE, re.MULTILINE)


def points(drop: float | None) -> str:
    assert drop is not None
    return f"{100 * drop:.1f}"


class TestThePage:
    def test_shows_drops(self) -> None:
        assert len(DROPS) == 6

    @pytest.mark.parametrize(("rows", "unpaired", "best", "usual"), DROPS)
    def test_shows_the_drops_that_are_computed(self, rows: str, unpaired: str, best: str, usual: str) -> None:
        count = int(rows)
        assert points(detectable_drop_unpaired(0.9, count, count, 0.05, 0.8)) == unpaired
        assert points(detectable_drop_paired(0.9, count, 0.05, 0.8)) == best
        assert points(detectable_drop_paired(0.9, count, 0.05, 0.8, churn=0.03)) == usual

    def test_names_all_spellings_of_a_label(self) -> None:
        assert all(f"`{word}`" in PAGE for word in PASSES | FAILS)

    def test_gives_the_p_values_of_few_losses(self) -> None:
        assert f"{mcnemar_exact(6, 0):.2f}" == "0.03"
        assert f"{mcnemar_exact(5, 0):.2f}" == "0.06"
