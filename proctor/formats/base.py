"""What a format is: it claims files, and makes cases of them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pydantic import BaseModel

from proctor.errors import Problem
from proctor.plan import Case


@dataclass(frozen=True, slots=True)
class Defaults:
    """What a file that is silent about them gets. ``upstream``: see `proctor.plan.Plan`."""

    runs: int = 1
    threshold: float = 0.8
    upstream: bool = False


@dataclass(frozen=True, slots=True)
class Loaded:
    """The cases of one file, and its problems. With an error among the problems there are no cases."""

    cases: tuple[Case, ...]
    problems: tuple[Problem, ...] = ()


class Format(Protocol):
    """One file format.

    ``rules_version`` is part of every trial key: raise it when the same file begins to mean something else to an agent.
    """

    @property
    def name(self) -> str:
        """The short name, as in ``proctor schema NAME``."""
        ...

    @property
    def title(self) -> str:
        """What people call it."""
        ...

    @property
    def rules_version(self) -> int:
        """The version of the rules."""
        ...

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The endings of its files, for messages."""
        ...

    @property
    def model(self) -> type[BaseModel]:
        """The model whose JSON Schema is published."""
        ...

    def claims(self, path: Path) -> bool:
        """Whether a file with this name (and, where names do not tell, this content) is of this format."""
        ...

    def recognises(self, data: bytes) -> bool:
        """Whether a claimed file is one by its content. Cheap, and rather False when in doubt."""
        ...

    def load(self, path: Path, data: bytes, defaults: Defaults) -> Loaded:
        """Read one file. Nothing is raised for bad content: it becomes problems with their places."""
        ...
