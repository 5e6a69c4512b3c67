"""Record: an agent answers user turns, once, and what it did becomes a pi fixture.

It is one trial, played as in any run, but never taken from the cache: the time of a recording is when it was made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from proctor.agents import build_agent
from proctor.agents.overhearing import OverheardAgent
from proctor.convert import Built, FixtureHead, build_fixture, write_file
from proctor.errors import CouldNotEvaluate, Problem, Severity, UsageError
from proctor.excerpt import shorten
from proctor.masking import Masker
from proctor.plan import AgentSpec, Case, Limits, Outline, Turn
from proctor.stages.trial import play
from proctor.store import timestamp
from proctor.traces.pi_prompt import prompt_hash
from proctor.trajectory import Ending, Trajectory

_SCENARIO_LIMIT = 120


@dataclass(frozen=True, slots=True)
class Recording:
    """What an agent did, since when (ISO 8601), and the system prompt that its model was sent, where it is known."""

    trajectory: Trajectory
    recorded_at: str
    prompt: str | None = None


@dataclass(frozen=True, slots=True)
class RecordOptions:
    """What a user says of a recording.

    ``fixture_id`` is by default the name of the file, ``scenario`` what the user says first. ``system_prompt_hash`` is
    by default that of the prompt that was sent. ``environment``: variables whose values are masked if they are
    secrets; None masks nothing at all.
    """

    fixture_id: str | None = None
    scenario: str | None = None
    pi_version: str | None = None
    system_prompt_hash: str | None = None
    environment: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """A recording that was written. ``masked`` says what was masked, empty for nothing."""

    fixture_id: str
    built: Built
    warnings: tuple[Problem, ...] = ()
    masked: str = ""


async def record(spec: AgentSpec, root: Path, turns: Sequence[str], limits: Limits) -> Recording:
    """Let an agent answer the user turns.

    Raises:
        CouldNotEvaluate: the agent cannot be built or run, or a content filter stopped it.
    """
    agent = OverheardAgent(build_agent(spec, root))
    case = Case(Outline("recording", "recording", 1, 1.0, turns=len(turns)), tuple(map(Turn, turns)))
    recorded_at = timestamp()
    try:
        trajectory = await play(agent, case, limits)
    finally:
        await agent.close()
    _refuse_incomplete(trajectory, spec.name)
    return Recording(trajectory, recorded_at, agent.prompt)


def check_options(options: RecordOptions) -> None:
    """Raise UsageError for what no fixture can say, before an agent is asked."""
    for value, name in ((options.fixture_id, "--fixture-id"), (options.pi_version, "--pi-version")):
        if value == "":
            raise UsageError(f"{name} is empty", hint="write something, or leave the option out")


def write_recording(recording: Recording, out: Path, options: RecordOptions) -> Written:
    """Write a recording as the new file ``out``: as a whole, or not at all.

    Raises:
        UsageError: the file is there already, or cannot be written.
        CouldNotEvaluate: the agent did what no fixture can hold.
    """
    head = FixtureHead(
        fixture_id=out.stem if options.fixture_id is None else options.fixture_id,
        recorded_at=recording.recorded_at,
        scenario=_first_said(recording) if options.scenario is None else options.scenario,
        pi_version=options.pi_version,
        system_prompt_hash=options.system_prompt_hash or _sent_hash(recording),
    )
    masker = None if options.environment is None else Masker(options.environment)
    built = build_fixture(recording.trajectory, head, out, masker)
    if built.error is not None:
        what = f"{built.error.pointer} {built.error.message}".strip()
        raise CouldNotEvaluate(
            f"no fixture can hold what the agent did, so nothing is written: {what}",
            hint="change what the agent answers there",
        )
    write_file(out, built.data)
    warnings = (*_other_prompt(recording, options, out), *built.warnings)
    return Written(head.fixture_id, built, warnings, masker.told() if masker else "")


def _first_said(recording: Recording) -> str:
    return shorten(" ".join(recording.trajectory.turns[0].user.split()), _SCENARIO_LIMIT)


def _sent_hash(recording: Recording) -> str | None:
    return None if recording.prompt is None else prompt_hash(recording.prompt)


def _other_prompt(recording: Recording, options: RecordOptions, out: Path) -> tuple[Problem, ...]:
    """A warning where the model was sent another prompt than the user says."""
    said, sent = options.system_prompt_hash, _sent_hash(recording)
    if said is None or sent is None or said.lower().removeprefix("sha256:") == sent:
        return ()
    message = f"the model was sent another system prompt than the one that was given, which is taken ({sent} was sent)"
    hint = "leave the option out to record the one that was sent"
    return (Problem(out, "other_prompt", message, hint=hint, severity=Severity.WARNING),)


def _refuse_incomplete(trajectory: Trajectory, name: str) -> None:
    failure = trajectory.failure
    if trajectory.ending is Ending.COMPLETED or failure is None:
        return
    turn = "" if failure.turn is None else f" in turn {failure.turn + 1}"
    said = shorten(f"{failure.type}: {failure.message}", 500)
    if trajectory.ending is Ending.REFUSED:
        message = f"a content filter stopped the agent {name}{turn}, so nothing is written: {said}"
        raise CouldNotEvaluate(message, hint="a fixture holds a whole conversation: record one that is let through")
    message = f"the agent {name} could not be run{turn}, so nothing is written: {said}"
    raise CouldNotEvaluate(message, hint="proctor agents check tries an agent out")
