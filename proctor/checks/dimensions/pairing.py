"""The largest pairing of wishes with things that fulfil them, each used once.

Taking the first thing that fits for each wish would make the result depend on the order of the wishes. Augmenting
paths (Berge 1957) do not: they move earlier wishes to another thing where that lets one more be fulfilled.
"""

from __future__ import annotations

from collections.abc import Sequence


def unpaired(candidates: Sequence[Sequence[int]]) -> list[int]:
    """The wishes that stay unfulfilled in a largest pairing, in order; ``candidates[wish]`` are the things that fit.

    How many they are does not depend on any order. Among equals, earlier wishes are fulfilled first.
    """
    holder: dict[int, int] = {}
    held: dict[int, int] = {}
    exhausted: set[int] = set()
    return [wish for wish in range(len(candidates)) if not _pair(wish, candidates, holder, held, exhausted)]


def _pair(
    wish: int,
    candidates: Sequence[Sequence[int]],
    holder: dict[int, int],
    held: dict[int, int],
    exhausted: set[int],
) -> bool:
    """Find a thing for one more wish, breadth first. Things that were searched in vain need no second search."""
    asked_by: dict[int, int] = {}
    queue = [wish]
    for asking in queue:
        for thing in candidates[asking]:
            if thing in asked_by or thing in exhausted:
                continue
            asked_by[thing] = asking
            if thing not in holder:
                _hand_over(thing, asked_by, holder, held)
                return True
            queue.append(holder[thing])
    exhausted.update(asked_by)
    return False


def _hand_over(thing: int | None, asked_by: dict[int, int], holder: dict[int, int], held: dict[int, int]) -> None:
    """Give a free thing to the wish that asked for it, what that one held to the next, and so on."""
    while thing is not None:
        wish = asked_by[thing]
        left = held.get(wish)
        holder[thing], held[wish] = wish, thing
        thing = left
