"""One trial as the file of a pi fixture, which is read back before anybody writes it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from proctor.convert.fixture_turns import fixture_turns, gaps
from proctor.errors import Problem, Severity
from proctor.formats import Defaults
from proctor.formats.pi.fixture import dump_records
from proctor.formats.pi.pi_format import PiFormat
from proctor.masking import Masker
from proctor.traces.pi_fixture import fixture_records
from proctor.traces.pi_session import PiRun
from proctor.trajectory import Trajectory

UNKNOWN_PROMPT: Final = "unknown"
"""The hash of a system prompt that nobody has said. It is none, and the fixture's warnings say so."""


@dataclass(frozen=True, slots=True)
class FixtureHead:
    """What the first record says. ``recorded_at`` is ISO 8601.

    ``pi_version`` is the version of pi that made the recording; without pi, Proctor's own is written as ``proctor/…``.
    """

    fixture_id: str
    recorded_at: str
    scenario: str = ""
    pi_version: str | None = None
    system_prompt_hash: str | None = None

    def record(self) -> dict[str, Any]:
        """The record."""
        return {
            "type": "meta",
            "fixtureId": self.fixture_id,
            "piAgentCoreVersion": _recorder() if self.pi_version is None else self.pi_version,
            "recordedAt": self.recorded_at,
            "scenario": self.scenario,
            "systemPromptHash": self.system_prompt_hash or UNKNOWN_PROMPT,
        }


def _recorder() -> str:
    return f"proctor/{version('proctor-evals')}"


@dataclass(frozen=True, slots=True)
class Built:
    """A fixture that can be written: its file, its turns by role, its calls, and what a reader should know of it.

    With an ``error`` it cannot be written.
    """

    data: bytes
    turns: Counter[str]
    calls: int
    warnings: tuple[Problem, ...] = ()
    error: Problem | None = None


def build_fixture(trajectory: Trajectory, head: FixtureHead, path: Path, masker: Masker | None) -> Built:
    """Make the fixture of a trial, masked if there is a masker. ``path`` is where it is going to be.

    Its assertions are those that an import proposes: every call at its place, and no more turns.
    """
    run = PiRun("proctor", tuple(fixture_turns(trajectory)), head.recorded_at)
    data = dump_records(fixture_records(run, head.record(), masker))
    told = PiFormat().load(path, data, Defaults()).problems
    missing = [Problem(path, code, said, severity=Severity.WARNING) for code, said in gaps(trajectory)]
    return Built(
        data=data,
        turns=Counter(turn["role"] for turn in run.turns),
        calls=sum(len(record.tool_calls) for record in trajectory.turns),
        warnings=(*missing, *(problem for problem in told if problem.severity is Severity.WARNING)),
        error=next((problem for problem in told if problem.severity is Severity.ERROR), None),
    )
