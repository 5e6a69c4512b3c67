"""Checks on recorded transcripts of BrainBench. They look at a `proctor.checks.brainbench.trace.BrainTrace`."""

from proctor.checks.brainbench.claims import CLAIM, ClaimCheck
from proctor.checks.brainbench.invariants import InvariantsCheck
from proctor.checks.brainbench.nothing_to_score import NothingToScoreCheck
from proctor.checks.brainbench.planted import PLANTED, PlantedCheck
from proctor.checks.brainbench.rubric import RUBRIC, RubricCheck
from proctor.checks.brainbench.rules import RuleCheck
from proctor.checks.brainbench.trace import BrainTrace

__all__ = [
    "CLAIM",
    "PLANTED",
    "RUBRIC",
    "BrainTrace",
    "ClaimCheck",
    "InvariantsCheck",
    "NothingToScoreCheck",
    "PlantedCheck",
    "RubricCheck",
    "RuleCheck",
]
