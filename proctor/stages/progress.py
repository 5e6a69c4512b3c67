"""What a run tells whoever watches it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum


class Stage(StrEnum):
    """The six stages in their order, by the names of their Prefect tasks."""

    VALIDATE = "validate"
    EXECUTE = "execute-runs"
    SCORE = "deterministic-score"
    JUDGE = "judge-score"
    AGGREGATE = "aggregate"
    REPORT = "report"


@dataclass(frozen=True, slots=True)
class Step:
    """``done`` of ``total`` pieces of a stage; ``note`` counts what is not as it should be."""

    stage: Stage
    done: int
    total: int
    note: str = ""


@dataclass(slots=True)
class Progress:
    """Counts the pieces of the stages and tells each step to ``watcher``."""

    watcher: Callable[[Step], None] | None = None
    totals: dict[Stage, int] = field(default_factory=dict)
    done: dict[Stage, int] = field(default_factory=dict)
    notes: dict[str, int] = field(default_factory=dict)

    def expect(self, stage: Stage, total: int) -> None:
        """Say how many pieces a stage has."""
        self.totals[stage] = total
        self.done.setdefault(stage, 0)
        self._tell(stage)

    def advance(self, stage: Stage, pieces: int = 1, note: str | None = None) -> None:
        """Count pieces that are done, and note what one of them was (``errored``)."""
        self.done[stage] = self.done.get(stage, 0) + pieces
        if note:
            self.notes[note] = self.notes.get(note, 0) + 1
        self._tell(stage)

    def _tell(self, stage: Stage) -> None:
        if self.watcher:
            note = ", ".join(f"{count} {name}" for name, count in self.notes.items())
            self.watcher(Step(stage, self.done[stage], self.totals.get(stage, self.done[stage]), note))
