"""The order in which a run takes its pages, shuffled from a seed and the same on every machine.

A spread between runs of an agent that is otherwise deterministic shows that it depends on the order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

Item = TypeVar("Item")

_STATES: Final = 2**32
_MULTIPLIER: Final = 1_664_525
_INCREMENT: Final = 1_013_904_223


def seeded_order(items: Sequence[Item], seed: int) -> list[Item]:
    """A permutation of the items. Run i, counted from 0, has the seed i + 1.

    Fisher and Yates' shuffle from the end, driven by a linear congruential generator of 32 bits.
    """
    order = list(items)
    states = _states(seed)
    for place in range(len(order) - 1, 0, -1):
        other = next(states) * (place + 1) // _STATES
        order[place], order[other] = order[other], order[place]
    return order


def _states(seed: int) -> Iterator[int]:
    state = seed % _STATES
    while True:
        state = (state * _MULTIPLIER + _INCREMENT) % _STATES
        yield state
