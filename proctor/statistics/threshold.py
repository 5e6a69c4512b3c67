"""A threshold on a share, turned into a count.

A share is compared as pytest-agent-eval 0.3.0 and Assevra 0.6 compare it: ``passed / n >= threshold`` in binary
floating point. Division is correctly rounded and monotone, so the rule is exact for every decimal that a person
writes: 7 of 10 reaches 0.7, and 2 of 3 does not reach 0.67. The count is what is shown and compared.
"""

from __future__ import annotations

from math import ceil


def needed_passes(total: int, threshold: float) -> int:
    """The smallest number of passes out of ``total`` whose share reaches ``threshold``; 0 for an empty total."""
    if total == 0:
        return 0
    guess = max(0, min(total, ceil(threshold * total)))
    while guess > 0 and (guess - 1) / total >= threshold:
        guess -= 1
    while guess < total and guess / total < threshold:
        guess += 1
    return guess


def reaches(passed: int, undecided: int, total: int, threshold: float) -> bool | None:
    """Whether a share reaches its threshold: True or False if that is certain, None if the undecided ones decide it."""
    needed = needed_passes(total, threshold)
    if passed >= needed:
        return True
    return None if passed + undecided >= needed else False
