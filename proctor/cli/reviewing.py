"""Who reviews which run: what the parts of ``review`` have in common."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from proctor.results import TrialRef
from proctor.stages.reviews.agreement import newest_reviews
from proctor.stages.reviews.desk import ReviewDesk, waiting

if TYPE_CHECKING:
    from proctor.store import Review, Store


@dataclass(frozen=True, slots=True)
class Reviewing:
    """A reviewer at a desk. Answers come in the random order of ``seed``."""

    desk: ReviewDesk
    store: Store
    reviewer: str
    seed: int = 0

    def newest(self) -> dict[tuple[str, str], Review]:
        """The reviews that count, by reviewer and text; those of others too."""
        return newest_reviews(self.store)

    def waiting(self, refs: Iterable[TrialRef], *, again: bool = False) -> list[TrialRef]:
        """The answers to ask for: those that this reviewer has not reviewed, or, ``again``, all of them."""
        done = [] if again else [content for reviewer, content in self.newest() if reviewer == self.reviewer]
        return waiting(refs, self.desk, frozenset(done), self.seed)
