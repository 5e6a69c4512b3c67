"""What became of one vector."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

Vector = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Difference:
    """A place where Proctor differs from the vector: what was wanted there, and what was seen."""

    place: str
    wanted: object
    seen: object

    def __str__(self) -> str:
        return f"{self.place}: wanted {self.wanted!r}, seen {self.seen!r}"


@dataclass(frozen=True, slots=True)
class Rule:
    """A difference on purpose: a row in docs/formats/, and a predicate on the vector and all its differences.

    It only counts for vectors that say themselves that the original is arguable.
    """

    name: str
    reason: str
    predicate: Callable[[Vector, list[Difference]], bool]

    def explains(self, vector: Vector, differences: list[Difference]) -> bool:
        """Whether this rule explains every difference of a vector."""
        marked = any(key in vector for key in ("upstream_defect", "deviation", "improve"))
        return marked and self.predicate(vector, differences)


def compare(place: str, wanted: object, seen: object) -> list[Difference]:
    """No difference, or one; numbers are compared as numbers, and True is not 1."""
    same = wanted == seen and isinstance(wanted, bool) == isinstance(seen, bool)
    return [] if same else [Difference(place, wanted, seen)]
