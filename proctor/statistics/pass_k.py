"""Chances of k trials of a case, estimated without bias from n trials.

pass@k is that of M. Chen et al., "Evaluating large language models trained on code" (2021), arXiv 2107.03374; pass^k
that of S. Yao et al., "tau-bench" (2024), arXiv 2406.12045. Both average over all choices of k of the n trials.
"""

from __future__ import annotations

from math import comb


def pass_hat_k(passes: int, n: int, k: int) -> float | None:
    """The chance that k trials all pass: C(passes, k) / C(n, k). None without k trials, or if k is below 1."""
    if not 1 <= k <= n:
        return None
    return comb(passes, k) / comb(n, k)


def pass_at_k(passes: int, n: int, k: int) -> float | None:
    """The chance that at least one of k trials passes: 1 - C(n - passes, k) / C(n, k). None as for `pass_hat_k`."""
    if not 1 <= k <= n:
        return None
    choices = comb(n, k)
    return (choices - comb(n - passes, k)) / choices
