"""McNemar's test of whether paired rows changed for the worse as often as for the better.

Q. McNemar, Psychometrika 12 (1947) 153-157. Given the discordant pairs, the lost ones are binomial with chance 1/2
if nothing changed.
"""

from __future__ import annotations

from math import erfc, sqrt
from typing import Final

from proctor.statistics.distribution import binomial

EXACT_UP_TO: Final = 1_000
"""The number of discordant pairs up to which the p-value is that of whole numbers, correctly rounded."""

CHI_SQUARE_FROM: Final = 25
"""The number of discordant pairs from which Assevra 0.6 approximates."""


def mcnemar_exact(lost: int, won: int) -> float:
    """The two-sided exact p-value; 1 if no pair changed. This is the test that decides.

    It is computed from integers up to `EXACT_UP_TO` discordant pairs, and with a relative error near 1e-12 beyond.
    """
    pairs, fewer = lost + won, min(lost, won)
    if 2 * fewer == pairs:
        return 1.0
    if pairs > EXACT_UP_TO:
        return 2 * binomial(pairs, 0.5, cut=0.0).at_most(fewer)
    ways = tail = 1
    for taken in range(fewer):
        ways = ways * (pairs - taken) // (taken + 1)
        tail += ways
    return 2 * tail / (1 << pairs)


def mcnemar_reported(lost: int, won: int, shared: int) -> float | None:
    """The p-value that Assevra 0.6 reports for ``shared`` pairs; None without pairs.

    It is exact below `CHI_SQUARE_FROM` discordant pairs and the chi-square approximation with continuity correction
    from there on, so it jumps: 24 lost and none won give 1.2e-7, 25 give 1.6e-6. It decides nothing.
    """
    if shared == 0:
        return None
    pairs = lost + won
    if pairs < CHI_SQUARE_FROM:
        return mcnemar_exact(lost, won)
    return erfc(abs(abs(lost - won) - 1) / sqrt(2 * pairs))
