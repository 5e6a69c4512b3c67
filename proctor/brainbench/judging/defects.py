"""What can be wrong with a judge's reply, and the sentence that tells the judge so."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Defect(StrEnum):
    """What is wrong with a reply: its form, or the criteria that it scores."""

    NO_TOOL_USE = "no_tool_use"
    INPUT_NOT_OBJECT = "input_not_object"
    SCORES_NOT_ARRAY = "scores_not_array"
    VERDICT_ENUM = "verdict_enum"
    OVERALL_RATIONALE = "overall_rationale"
    SCORE_ENTRY = "score_entry"
    UNKNOWN_CRITERION = "unknown_criterion"
    DUPLICATE_CRITERION = "duplicate_criterion"
    MISSING_CRITERION = "missing_criterion"
    LABEL_ENUM = "label_enum"
    RATIONALE = "rationale"


@dataclass(frozen=True, slots=True)
class Flaw:
    """The first defect of a reply. ``text`` names all that is wrong and says what to do, for a corrective retry."""

    defect: Defect
    text: str
