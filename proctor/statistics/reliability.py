"""How alike the trials of repeated cases are."""

from __future__ import annotations

from collections.abc import Iterable
from math import fsum

from proctor.dimension_scores import Reliability
from proctor.statistics.pass_k import pass_at_k, pass_hat_k


def reliability(cases: Iterable[tuple[str, int, int]], k: int) -> Reliability | None:
    """Sum up cases given as (name, passes, trials); None unless some case has two trials or more.

    ``consistency`` is the share of the repeated cases whose trials all agree, on failing too. pass^k and pass@k are
    plain means over the cases with at least k trials, and None where there is none (also if k is below 1).
    """
    counted = [case for case in cases if case[2] > 0]
    repeated = [case for case in counted if case[2] > 1]
    if not repeated:
        return None
    flaky = tuple(sorted(name for name, passes, trials in repeated if 0 < passes < trials))
    all_pass = [chance for _, passes, trials in counted if (chance := pass_hat_k(passes, trials, k)) is not None]
    one_passes = [chance for _, passes, trials in counted if (chance := pass_at_k(passes, trials, k)) is not None]
    return Reliability(
        cases=len(counted),
        repeated=len(repeated),
        trials=sum(trials for _, _, trials in counted),
        consistency=(len(repeated) - len(flaky)) / len(repeated),
        k=k,
        pass_hat_k=_mean(all_pass),
        pass_at_k=_mean(one_passes),
        covered=len(all_pass),
        flaky=flaky,
    )


def _mean(values: list[float]) -> float | None:
    return fsum(values) / len(values) if values else None
