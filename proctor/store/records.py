"""What goes into the store and comes out of it besides scores: runs, new trials, checks that wait for a judge.

The module loads no SQL, so callers may name these types without paying for it.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import NamedTuple

from proctor.results import Decision, Outcome, TrialRef
from proctor.trajectory import JsonValue, Trajectory

_BASE32 = "abcdefghijklmnopqrstuvwxyz234567"


def timestamp(moment: datetime | None = None) -> str:
    """Spell a moment (now by default) as ISO 8601 in UTC with milliseconds: ``2026-11-30T12:06:44.123Z``."""
    utc = (moment or datetime.now(UTC)).astimezone(UTC)
    return utc.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def new_run_id(moment: datetime | None = None) -> str:
    """Make a run id that sorts by time: ``20261130t120644123-k3f9qa``."""
    utc = (moment or datetime.now(UTC)).astimezone(UTC)
    tail = "".join(secrets.choice(_BASE32) for _ in range(6))
    return f"{utc:%Y%m%dt%H%M%S}{utc.microsecond // 1000:03}-{tail}"


class RunStatus(StrEnum):
    """Whether a run is at work, has reached its end, or was stopped before it. The first and last can be resumed."""

    RUNNING = "running"
    FINISHED = "finished"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run of one spec: what was asked for, by which machine, and what came of it.

    ``decision`` and ``exit_code`` are None until the run is aggregated, ``finished_at`` until it has ended,
    ``accepted_at`` unless it was accepted as a baseline. ``selection`` says in words which part of the spec ran; None
    means all of it.
    """

    id: str
    slug: str
    name: str
    spec: str
    plan_digest: str
    started_at: str
    status: RunStatus = RunStatus.RUNNING
    purpose: str = "release"
    selection: str | None = None
    host: str = ""
    engine: str = "inline"
    provenance: Mapping[str, JsonValue] = field(default_factory=dict)
    decision: Decision | None = None
    exit_code: int | None = None
    finished_at: str | None = None
    accepted_at: str | None = None


@dataclass(frozen=True, slots=True)
class NewTrial:
    """A trial to be stored. ``key`` is its key in the answer cache, ``parts`` what the key was made of, by name.

    A ``cacheable`` trial also becomes an answer for later runs, provided that it completed and is no copy itself.
    """

    ref: TrialRef
    trajectory: Trajectory
    key: str = ""
    parts: Mapping[str, JsonValue] = field(default_factory=dict)
    cacheable: bool = False


@dataclass(frozen=True, slots=True)
class Pending:
    """A check of a scored trial that waits for a judge. ``turn`` is None for a check on the whole trial."""

    name: str
    turn: int | None = None


@dataclass(frozen=True, slots=True)
class PendingCheck:
    """A check that waits for a judge, with its position among the checks of its trial (from 0)."""

    position: int
    name: str
    turn: int | None


@dataclass(frozen=True, slots=True)
class PendingTrial:
    """A trial with checks that wait for a judge, and the outcomes of its other checks."""

    ref: TrialRef
    checks: tuple[PendingCheck, ...]
    decided: tuple[Outcome, ...]


class RowPlace(NamedTuple):
    """Where a chunk of recorded rows is: the name of its file, and its first line."""

    source: str
    line: int


@dataclass(frozen=True, slots=True)
class ReportFile:
    """A report that was written: its kind (``html``, ``junit``, …), its path or URL, and its SHA-256."""

    kind: str
    path: str
    digest: str
