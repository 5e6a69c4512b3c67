"""The trials that a file of BrainBench transcripts holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from proctor.brainbench.eras import Era
from proctor.brainbench.facts import Facts, facts_of
from proctor.brainbench.recording.recorder import EXTRAS
from proctor.brainbench.transcript import FINAL_ANSWER, MODEL_CALL, TOOL_CALL, Transcript
from proctor.convert.trials import Trial
from proctor.errors import SpecError
from proctor.formats.brainbench.adapters import adapter_name
from proctor.formats.brainbench.reading import Reading, read_transcripts
from proctor.formats.brainbench.trajectories import recorded_trajectory
from proctor.regular_file import read_named
from proctor.trajectory import Step, Trajectory


def transcript_trials(path: Path) -> Iterator[Trial]:
    """The trials of a file, which fits one of the two dialects. Of one probe and adapter, each is a run.

    Raises:
        UsageError: it cannot be read.
        SpecError: with all problems that it has as a file of the seed era.
    """
    transcripts = [read.data for read in _read(path).transcripts]
    agents = [adapter_name(transcript["adapter"]) for transcript in transcripts]
    has_several = len(set(agents)) > 1
    runs: Counter[tuple[str, str]] = Counter()
    for agent, transcript in zip(agents, transcripts, strict=True):
        probe_id = transcript["probe_id"]
        runs[agent, probe_id] += 1
        yield Trial(
            case=probe_id,
            number=runs[agent, probe_id],
            trajectory=_trajectory(transcript),
            recorded_at=transcript["started_at"],
            about=f"Run {runs[agent, probe_id]:,} of the probe {probe_id} with the adapter {agent}",
            agent=agent if has_several else "",
        )


def _read(path: Path) -> Reading:
    data = read_named(path)
    readings = [read_transcripts(path, data, dialect) for dialect in Era]
    fitting = next((reading for reading in readings if not reading.problems), None)
    if fitting is None:
        raise SpecError(readings[0].problems)
    return fitting


def _trajectory(transcript: Transcript) -> Trajectory:
    """The trial, with the messages of the agent, which the transcript tells apart."""
    facts = facts_of(transcript)
    trajectory = recorded_trajectory(transcript, facts, _said(transcript, "question"))
    [turn] = trajectory.turns
    reply = turn.reply if facts.answered else None
    return replace(trajectory, turns=(replace(turn, reply=reply, steps=tuple(_steps(transcript, facts))),))


def _steps(transcript: Transcript, facts: Facts) -> Iterator[Step]:
    """A message for each call of a model with the calls of tools that follow it; the answer is the last one's text."""
    step: Step | None = None
    for turn in transcript["turns"]:
        if turn["kind"] == MODEL_CALL:
            if step is not None:
                yield step
            step = Step(_said_in(turn, "text") or None)
        elif turn["kind"] == TOOL_CALL:
            step = replace(step or Step(), calls=(step or Step()).calls + 1)
        elif turn["kind"] == FINAL_ANSWER and facts.answered and step is not None and step.calls:
            yield step
            step = Step()
    if step is not None:
        yield step


def _said(transcript: Transcript, name: str) -> str:
    """What the recorder noted at the first turn; empty where it was another recorder."""
    return _said_in(transcript["turns"][0], name) if transcript["turns"] else ""


def _said_in(turn: Transcript, name: str) -> str:
    extras = turn.get(EXTRAS)
    found = extras.get(name) if isinstance(extras, dict) else None
    return found if isinstance(found, str) else ""
