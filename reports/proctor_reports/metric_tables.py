"""The metrics of recorded transcripts in the order of a table: one row a metric, one column an adapter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from proctor.category_scores import MetricScore, TranscriptFindings
from proctor.plan import RECORDING

MOST_ADAPTERS: Final = 8
"""Adapters that stand side by side; the JSON report has all of them."""


class MetricRow(NamedTuple):
    """One metric; ``scores`` are those of the adapters in the order of the table, None where one has none."""

    category: int | None
    name: str
    threshold: float
    judged: bool
    held: bool
    scores: tuple[MetricScore | None, ...]


class MetricTable(NamedTuple):
    """Metrics side by side. ``left_out`` counts the adapters for which there is no column."""

    agents: tuple[str, ...]
    rows: tuple[MetricRow, ...]
    left_out: int = 0


def metric_table(found: TranscriptFindings) -> MetricTable:
    """Give the metrics of the adapters."""
    scores = [score for score in found.metrics if score.agent != RECORDING]
    agents = [*dict.fromkeys([*(card.agent for card in found.adapters), *(score.agent for score in scores)])]
    shown = agents[:MOST_ADAPTERS]
    return MetricTable(tuple(shown), tuple(_rows(scores, shown)), len(agents) - len(shown))


def nobodys(found: TranscriptFindings) -> tuple[MetricScore, ...]:
    """Give the metrics that are of no adapter: those of claims."""
    return tuple(score for score in found.metrics if score.agent == RECORDING)


def _rows(scores: Sequence[MetricScore], agents: Sequence[str]) -> list[MetricRow]:
    rows: dict[tuple[int | None, str], dict[str, MetricScore]] = {}
    for score in scores:
        rows.setdefault((score.category, score.name), {})[score.agent] = score
    return [_row(next(iter(row.values())), row, agents) for row in rows.values()]


def _row(first: MetricScore, row: dict[str, MetricScore], agents: Sequence[str]) -> MetricRow:
    scores = tuple(row.get(agent) for agent in agents)
    return MetricRow(first.category, first.name, first.threshold, first.judged, first.held, scores)
