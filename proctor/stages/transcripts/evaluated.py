"""What aggregation takes from the evaluation of transcripts."""

from __future__ import annotations

from dataclasses import dataclass

from proctor.category_scores import TranscriptFindings
from proctor.results import GateScore


@dataclass(frozen=True, slots=True)
class Evaluated:
    """The findings on transcripts, their gates, and the cases that these gates decide, as (agent, case)."""

    findings: TranscriptFindings | None = None
    gates: tuple[GateScore, ...] = ()
    covered: frozenset[tuple[str, str]] = frozenset()
