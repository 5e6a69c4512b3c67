"""The work on recorded rows, in chunks: one task run each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from proctor.dataset import Span
from proctor.plan import Plan, Source
from proctor.store import RowPlace


@dataclass(frozen=True, slots=True)
class WholeSource:
    """A recorded file, for execute-runs: nothing is played, but the file must be what was validated."""

    source: Source

    def __len__(self) -> int:
        return self.source.rows


@dataclass(frozen=True, slots=True)
class RowChunk:
    """A span of a recorded file, for deterministic-score and judge-score."""

    source: Source
    span: Span

    @property
    def place(self) -> RowPlace:
        """Where the rows are filed in the store."""
        return RowPlace(self.source.name, self.span.line)

    def __len__(self) -> int:
        return self.span.rows


def recorded_sources(plan: Plan) -> list[WholeSource]:
    """Every recorded file of a plan."""
    return [WholeSource(source) for source in plan.sources if source.spans]


def row_chunks(plan: Plan) -> Iterator[RowChunk]:
    """Every span of every recorded file."""
    return (RowChunk(source, span) for source in plan.sources for span in source.spans)
