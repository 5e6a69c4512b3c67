"""What a format is: it claims files, and makes cases of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from proctor.brainbench_plan import BrainBenchSettings
from proctor.dataset import Row, RowSettings
from proctor.errors import Problem
from proctor.plan import Case
from proctor.replay_plan import ReplaySettings

if TYPE_CHECKING:
    from proctor.formats.assevra.scan import Scan
    from proctor.formats.assevra.seen_ids import SeenIds
    from proctor.formats.assevra.states import RowCheck


@dataclass(frozen=True, slots=True)
class Defaults:
    """What a file that is silent about them gets. ``upstream``, ``replay``, ``brainbench``: see `proctor.plan.Plan`."""

    runs: int = 1
    threshold: float = 0.8
    upstream: bool = False
    replay: ReplaySettings = field(default_factory=ReplaySettings)
    brainbench: BrainBenchSettings = field(default_factory=BrainBenchSettings)


@dataclass(frozen=True, slots=True)
class Loaded:
    """The cases of one file, and its problems. With an error among the problems there are no cases."""

    cases: tuple[Case, ...]
    problems: tuple[Problem, ...] = ()


@runtime_checkable
class Format(Protocol):
    """One file format: what all of them have in common.

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

    def claims(self, path: Path) -> bool:
        """Whether a file with this name (and, where names do not tell, this content) is of this format."""
        ...

    def recognises(self, data: bytes) -> bool:
        """Whether a claimed file is one by its content. Cheap, and rather False when in doubt."""
        ...


@runtime_checkable
class CaseFormat(Format, Protocol):
    """A format whose files hold cases for an agent to play."""

    def load(self, path: Path, data: bytes, defaults: Defaults) -> Loaded:
        """Read one file. Nothing is raised for bad content: it becomes problems with their places."""
        ...


@runtime_checkable
class RowFormat(Format, Protocol):
    """A format whose files hold recorded rows. They stay in the file; a pass over it checks them."""

    def scan(
        self,
        path: Path,
        shown: Path,
        settings: RowSettings,
        *,
        strict: bool,
        ids: SeenIds,
        wanted: Callable[[Row], bool] | None = None,
        check: RowCheck | None = None,
    ) -> Scan:
        """Check every row of one file; see `proctor.formats.assevra.scan.scan`."""
        ...
