"""The transcripts that a run evaluated, as they stand in their files: the store keeps less of them."""

from __future__ import annotations

from pathlib import Path

from proctor.brainbench.probes import Claim
from proctor.brainbench.recording.recorder import Unrecordable
from proctor.brainbench.transcript import Transcript
from proctor.checks.brainbench import BrainTrace
from proctor.config import Project
from proctor.plan import RECORDING
from proctor.results import TrialScore
from proctor.stages.cases import Cases
from proctor.stages.validate import compile_plan
from proctor.store import RunRecord


class Originals:
    """The transcripts of a run, by trial."""

    def __init__(self, cases: Cases) -> None:
        self._cases = cases

    def find(self, score: TrialScore) -> Transcript | None:
        """The transcript that a trial is; None for one that a file of another format holds.

        Raises:
            Unrecordable: its file is gone, or records something else by now; or it is a claim.
        """
        recorded = self._cases.of(score.ref).recorded if self._cases.is_recorded(score.ref) else None
        if recorded is not None and isinstance(recorded.trace, Claim):
            raise Unrecordable("is a claim, and no run of an agent")
        if score.ref.agent == RECORDING:
            return None
        if recorded is None or not isinstance(recorded.trace, BrainTrace):
            raise Unrecordable("was recorded in a file that is no longer a part of the spec")
        if recorded.trajectory.turns != score.trajectory.turns:
            raise Unrecordable("was recorded in a file that has changed since")
        return recorded.trace.transcript


def open_originals(record: RunRecord, project: Project) -> Originals:
    """Read the files of a run again.

    Raises:
        UsageError: its spec is gone.
        SpecError: its spec is no longer valid.
    """
    compiled = compile_plan(Path(record.spec), project)
    return Originals(Cases(compiled.plan, compiled.cases, compiled.read_cases))
