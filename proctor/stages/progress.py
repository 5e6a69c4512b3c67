"""What a run tells whoever watches it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

STAGES: Final = ("validate", "execute-runs", "deterministic-score", "judge-score", "aggregate", "report")
"""The six stages, by the names of their Prefect tasks."""


@dataclass(frozen=True, slots=True)
class Step:
    """``done`` of ``total`` pieces of a stage; ``note`` counts what is not as it should be."""

    stage: str
    done: int
    total: int
    note: str = ""


@dataclass(slots=True)
class Progress:
    """Counts the pieces of the stages and tells each step to ``watcher``."""

    watcher: Callable[[Step], None] | None = None
    totals: dict[str, int] = field(default_factory=dict)
    done: dict[str, int] = field(default_factory=dict)
    notes: dict[str, int] = field(default_factory=dict)

    def expect(self, stage: str, total: int) -> None:
        """Say how many pieces a stage has."""
        self.totals[stage] = total
        self.done.setdefault(stage, 0)
        self._tell(stage)

    def advance(self, stage: str, pieces: int = 1, note: str | None = None) -> None:
        """Count pieces that are done, and note what one of them was (``errored``)."""
        self.done[stage] = self.done.get(stage, 0) + pieces
        if note:
            self.notes[note] = self.notes.get(note, 0) + 1
        self._tell(stage)

    def _tell(self, stage: str) -> None:
        if self.watcher:
            note = ", ".join(f"{count} {name}" for name, count in self.notes.items())
            self.watcher(Step(stage, self.done[stage], self.totals.get(stage, self.done[stage]), note))
