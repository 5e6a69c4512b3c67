"""An interval for a pass rate when rows share a case, so that they are more alike than independent rows.

Wilson's interval with the effective number of rows, n / deff, and a quantile of Student's t for the cases, as
N. Dean and M. Pagano (J. Survey Statistics and Methodology 3 (2015) 484-503) and C. Franco, R. Little, T. Louis and
E. Slud (the same, 7 (2019) 334-364) find best for rates near 0 or 1. The design effect deff is the variance of the
rate over cases (ratio estimator, W. G. Cochran, "Sampling techniques" (1977), 6.3, with G / (G - 1)) divided by that
of independent rows.

Few cases with a rate near 1 often show no variance at all, which would make the interval far too narrow. So the
variances are taken with half a case of average size that passes throughout, and half a one that fails throughout,
added to the data. Their weight vanishes as cases are added; without a failure they make the interval that of about as
many rows as there are cases.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from proctor.statistics.students_t import t_quantile
from proctor.statistics.wilson import Z_95, wilson

PRIOR: Final = 0.5
"""The number of cases that pass throughout, and of ones that fail throughout, added for the variances only."""


@dataclass(slots=True)
class _Sums:
    cases: int = 0
    rows: int = 0
    passes: int = 0
    rows_squared: int = 0
    passes_squared: int = 0
    products: int = 0


def cluster_interval(clusters: Iterable[tuple[int, int]], z: float = Z_95) -> tuple[float, float]:
    """The interval for the rate over cases given as (passes, rows); (0, 1) for nothing.

    It holds Wilson's interval of the same rows, and is equal to it where no case is repeated. One case alone, however
    often it is repeated, leaves nearly everything open. The average case size is that seen by a row: the sum of
    squared sizes over the sum of sizes.
    """
    sums = _summed(clusters)
    if sums.rows == sums.cases:
        return wilson(sums.passes, sums.rows, z)
    effective = sums.rows / max(1.0, _design_effect(sums))
    passed = effective if sums.passes == sums.rows else effective * (sums.passes / sums.rows)
    return wilson(passed, effective, t_quantile(max(1, sums.cases - 1), z))


def _summed(clusters: Iterable[tuple[int, int]]) -> _Sums:
    sums = _Sums()
    for passes, rows in clusters:
        if rows:
            sums.cases += 1
            sums.rows += rows
            sums.passes += passes
            sums.rows_squared += rows * rows
            sums.passes_squared += passes * passes
            sums.products += passes * rows
    return sums


def _design_effect(sums: _Sums) -> float:
    size = sums.rows_squared / sums.rows
    cases = sums.cases + 2 * PRIOR
    rows = sums.rows + 2 * PRIOR * size
    rate = (sums.passes + PRIOR * size) / rows
    of_data = sums.passes_squared - 2 * rate * sums.products + rate * rate * sums.rows_squared
    of_prior = PRIOR * size * size * (rate * rate + (1 - rate) * (1 - rate))
    over_cases = cases / (cases - 1) * (of_data + of_prior) / (rows * rows)
    independent = rate * (1 - rate) / rows
    return over_cases / independent
