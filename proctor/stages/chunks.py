"""The trials of a run in chunks: one task run each, never one for a single trial."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from proctor.results import TrialRef

_MOST_CHUNKS: Final = 40
_LEAST_LIVE: Final = 25
_LEAST_SCORED: Final = 1_000

Chunk = tuple[TrialRef, ...]


def live_chunks(refs: Sequence[TrialRef]) -> list[Chunk]:
    """Chunks for the stages that wait for models: at least 25 trials, at most 40 chunks."""
    return _chunks(refs, _LEAST_LIVE)


def scoring_chunks(refs: Sequence[TrialRef]) -> list[Chunk]:
    """Chunks for scoring by rule: at least 1,000 trials, at most 40 chunks."""
    return _chunks(refs, _LEAST_SCORED)


def _chunks(refs: Sequence[TrialRef], least: int) -> list[Chunk]:
    size = max(least, -(-len(refs) // _MOST_CHUNKS))
    return [tuple(refs[start : start + size]) for start in range(0, len(refs), size)]
