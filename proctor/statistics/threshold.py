"""A threshold on a share, turned into a count.

A share is compared as pytest-agent-eval 0.3.0 and Assevra 0.6 compare it: ``passed / n >= threshold`` in binary
floating point. Division is correctly rounded and monotone, so the rule is exact for every decimal that a person
writes: 7 of 10 reaches 0.7, and 2 of 3 does not reach 0.67. The count is what is shown and compared.
"""

from __future__ import annotations


def needed_passes(total: int, threshold: float) -> int:
    """The smallest number of passes out of ``total`` whose share reaches ``threshold``; 0 for an empty total."""
    low, high = 0, total
    while low < high:
        middle = (low + high) // 2
        if middle / total >= threshold:
            high = middle
        else:
            low = middle + 1
    return low


def reaches(passed: int, undecided: int, total: int, threshold: float) -> bool | None:
    """Whether a share reaches its threshold: True or False if that is certain, None if the undecided ones decide it."""
    needed = needed_passes(total, threshold)
    if passed >= needed:
        return True
    return None if passed + undecided >= needed else False
