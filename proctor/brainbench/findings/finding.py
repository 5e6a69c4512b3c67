"""What is odd about a transcript that its schema accepts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """How much a finding weighs. With an ``ERROR``, a transcript is not scored unless its user says so."""

    ERROR = "error"
    WARN = "warn"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding: a stable code, the JSON pointer to the place in the transcript, and a sentence."""

    code: str
    level: Level
    pointer: str
    message: str
