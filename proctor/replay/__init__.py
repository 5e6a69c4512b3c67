"""Recorded trials played again: by the agent under test, with everything else coming from the recording.

`Replayer` is what a trial is played with: tools that answer from the recorded results (`RecordedTools`) and, in harness
mode, a model that answers from the recorded answers. `ReplayShape` and `SystemPrompt` are the checks that say where
the agent left its recording. Tools are never run.
"""

from __future__ import annotations

from proctor.replay.checks import ReplayShape, SystemPrompt
from proctor.replay.drift import Drift, current_prompt, drift_of
from proctor.replay.host import RecordedAnswers, RecordedTools
from proctor.replay.replayer import Replayer
from proctor.replay.shape import argument_shape, first_difference

__all__ = [
    "Drift",
    "RecordedAnswers",
    "RecordedTools",
    "ReplayShape",
    "Replayer",
    "SystemPrompt",
    "argument_shape",
    "current_prompt",
    "drift_of",
    "first_difference",
]
