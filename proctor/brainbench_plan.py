"""How transcripts of BrainBench are read and scored, as plain data: the settings of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple


class CompanionFile(NamedTuple):
    """A file beside transcripts: its ``role`` is probes, gold, rubric or poison, its ``digest`` the SHA-256."""

    role: str
    path: Path
    digest: str


@dataclass(frozen=True, slots=True)
class BrainBenchSettings:
    """The settings for transcripts.

    ``rules`` names the era that scores them, ``dialect`` the one whose schema they have to fit. ``score_broken``: a
    transcript that breaks an invariant is scored all the same. ``thresholds`` replaces those of the benchmark, by
    metric; ``held`` is False where the metrics are a baseline only and no gate. ``has_own_checks``: the suite scores
    transcripts by checks of its own, so one without a probe is scored too.
    """

    rules: str = "post-audit"
    dialect: str = "seed"
    score_broken: bool = False
    held: bool = True
    thresholds: Mapping[str, float] = field(default_factory=dict)
    files: tuple[CompanionFile, ...] = ()
    has_own_checks: bool = False
