"""The gates of a run told apart: those that have a place of their own in a report, and all others."""

from __future__ import annotations

from collections.abc import Iterator

from proctor.dataset import RECORDED
from proctor.results import GateScore, Summary


def other_gates(summary: Summary) -> tuple[GateScore, ...]:
    """Give the gates that are no dimension and no metric: each of those is a gate too, and is shown as what it is."""
    own = {*_shown(summary)}
    return tuple(gate for gate in summary.gates if (gate.name, gate.agent, gate.reason) not in own)


def _shown(summary: Summary) -> Iterator[tuple[str, str, str]]:
    for score in summary.dimensions:
        yield score.name, RECORDED, score.reason
    if summary.transcripts is not None:
        for metric in summary.transcripts.metrics:
            if metric.held:
                yield metric.name, metric.agent, metric.reason
