"""What is converted: trials of agents, and what is left out of them with the reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from proctor.trajectory import Trajectory


@dataclass(frozen=True, slots=True)
class Trial:
    """One trial. ``number`` counts from 1, ``recorded_at`` is ISO 8601, ``about`` says in words what it is.

    ``agent`` is empty where there is only one, so that names need not tell them apart.
    """

    case: str
    number: int
    trajectory: Trajectory
    recorded_at: str
    about: str
    agent: str = ""

    @property
    def group(self) -> str:
        """What all trials of its case with its agent have in common, and no others."""
        return f"{self.agent}/{self.case}" if self.agent else self.case

    @property
    def name(self) -> str:
        """A name that no other trial of the same source has."""
        return f"{self.group}#{self.number}"


@dataclass(frozen=True, slots=True)
class Trials:
    """The trials of a source, to be read once.

    ``title`` names the source in messages. ``left_out`` counts what reading and writing leave out, by what it is and
    why: a ``trial`` ``that could not be run``.
    """

    title: str
    read: Callable[[], Iterator[Trial]]
    left_out: Counter[tuple[str, str]] = field(default_factory=Counter)

    def leave_out(self, noun: str, why: str) -> None:
        """Count one that is left out."""
        self.left_out[noun, why] += 1
