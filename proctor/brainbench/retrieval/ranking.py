"""Precision and recall of what a search returns first."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from proctor.brainbench.eras import Era


@dataclass(frozen=True, slots=True)
class Ranking:
    """How good the first places are. ``recall`` is None where nothing is relevant; the seed era says 0."""

    precision: float
    recall: float | None


def rank_at(documents: Sequence[str], relevant: Collection[str], k: int, era: Era = Era.POST_AUDIT) -> Ranking:
    """Score the first ``k`` documents of a search.

    A document that stands there twice counts once, and takes two places. The seed era counts it twice, so that its
    recall may exceed 1, and divides the precision by the places that are taken instead of ``k``.

    Raises:
        ValueError: k is below 1.
    """
    if k < 1:
        raise ValueError(f"k must be 1 or more, got {k}")
    first, wanted = documents[:k], frozenset(relevant)
    if era is Era.SEED:
        hits = sum(document in wanted for document in first)
        return Ranking(hits / len(first) if first else 0.0, hits / len(wanted) if wanted else 0.0)
    hits = len(wanted.intersection(first))
    return Ranking(hits / k, hits / len(wanted) if wanted else None)
