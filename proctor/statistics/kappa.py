"""How far a judge and people agree on pass and fail, beyond what chance would give.

J. Cohen, "A coefficient of agreement for nominal scales", Educ. Psychol. Meas. 20 (1960) 37-46.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from proctor.statistics.wilson import Z_95, wilson


class Agreement(NamedTuple):
    """Rows by what the judge says of them and whether people agree: a false pass is one that people failed."""

    true_pass: int
    false_pass: int
    true_fail: int
    false_fail: int

    @property
    def rows(self) -> int:
        """The number of rows that both have judged."""
        return sum(self)

    @property
    def accuracy(self) -> float:
        """The share of rows on which both agree; 0 for none."""
        return (self.true_pass + self.true_fail) / self.rows if self.rows else 0.0

    @property
    def sensitivity(self) -> float | None:
        """The share of rows passed by people that the judge passed too; None if people passed none."""
        passed = self.true_pass + self.false_fail
        return self.true_pass / passed if passed else None

    @property
    def specificity(self) -> float | None:
        """The share of rows failed by people that the judge failed too; None if people failed none."""
        failed = self.true_fail + self.false_pass
        return self.true_fail / failed if failed else None


def agreement(pairs: Iterable[tuple[bool, bool]]) -> Agreement:
    """Count rows given as (the judge passes it, people pass it)."""
    counts = [[0, 0], [0, 0]]
    for judge, human in pairs:
        counts[judge][human] += 1
    return Agreement(true_pass=counts[1][1], false_pass=counts[1][0], true_fail=counts[0][0], false_fail=counts[0][1])


def cohen_kappa(tp: int, fp: int, tn: int, fn: int) -> float | None:
    """Cohen's kappa, from integers in one division; None if judge and people put all rows into the same class.

    It is 0 if only one of both puts all rows into one class: such a judge tells nothing apart.
    """
    total, expected = _squares(tp, fp, tn, fn)
    if total == expected:
        return None
    return ((tp + fp + tn + fn) * (tp + tn) - expected) / (total - expected)


def kappa_interval(tp: int, fp: int, tn: int, fn: int, z: float = Z_95) -> tuple[float, float] | None:
    """The 95 % interval of kappa, within -1 and 1; None where kappa is undefined.

    The ends are the kappas at the ends of Wilson's interval for the share of agreement, with the chance agreement as
    measured. The large-sample variance of J. Fleiss, J. Cohen and B. Everitt (Psychol. Bull. 72 (1969) 323-327) is not
    used: it is 0 for full agreement on any number of rows, and its interval covers a kappa of 0.94 in 45 % of samples
    of 20 rows and in 77 % of samples of 50, this one in 94 % to 96 %. With few rows of a class (below 5 or so) no
    interval is reliable.
    """
    total, expected = _squares(tp, fp, tn, fn)
    if total == expected:
        return None
    chance = expected / total
    low, high = wilson(tp + tn, tp + fp + tn + fn, z)
    return max(-1.0, (low - chance) / (1 - chance)), min(1.0, (high - chance) / (1 - chance))


def kappa_reported(tp: int, fp: int, tn: int, fn: int) -> float | None:
    """Kappa as Assevra 0.6 reports it: 1 where all rows are put into the same class by both; None without rows."""
    if tp + fp + tn + fn == 0:
        return None
    kappa = cohen_kappa(tp, fp, tn, fn)
    return 1.0 if kappa is None else kappa


def _squares(tp: int, fp: int, tn: int, fn: int) -> tuple[int, int]:
    """The squared number of rows, and how much of it agrees by chance."""
    rows = tp + fp + tn + fn
    return rows * rows, (tp + fp) * (tp + fn) + (tn + fn) * (tn + fp)
