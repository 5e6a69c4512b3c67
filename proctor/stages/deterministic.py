"""The third stage: trajectories and recorded rows become check results, and questions that wait for a judge."""

from __future__ import annotations

from proctor.results import TrialRef
from proctor.stages.chunks import Chunk
from proctor.stages.progress import Stage
from proctor.stages.recorded.chunks import RowChunk
from proctor.stages.run import Run
from proctor.stages.trial_checks import Scored, score_trial
from proctor.store import Pending
from proctor.trajectory import Trajectory

_PAGE = 500


def score(run: Run, chunk: Chunk | RowChunk) -> int:
    """Score a chunk by rule, and count the questions for judges that were left in the store.

    Raises:
        SourceChanged: recorded rows are not what they were at validation.
    """
    if not isinstance(chunk, RowChunk):
        return _score_trials(run, chunk)
    from proctor.stages.recorded.scoring import score_rows

    return score_rows(run, chunk)


def _score_trials(run: Run, chunk: Chunk) -> int:
    pending = 0
    for start in range(0, len(chunk), _PAGE):
        refs = chunk[start : start + _PAGE]
        found = _trajectories(run, refs)
        scored = [(ref, *_score_one(run, ref, found[ref])) for ref in refs if ref in found]
        run.store.save_scores(run.id, scored)
        pending += sum(isinstance(check, Pending) for _, _, checks in scored for check in checks)
        run.progress.advance(Stage.SCORE, len(refs))
    return pending


def _trajectories(run: Run, refs: Chunk) -> dict[TrialRef, Trajectory]:
    """The trajectories of trials: what is recorded with a case is at hand with it, the others are in the store."""
    found = run.store.trajectories(run.id, [ref for ref in refs if not run.cases.is_recorded(ref)])
    for ref in refs:
        if run.cases.is_recorded(ref) and (recorded := run.cases.of(ref).recorded) is not None:
            found[ref] = recorded.trajectory
    return found


def _score_one(run: Run, ref: TrialRef, trajectory: Trajectory) -> Scored:
    ask_failed = run.plan.judge.ask == "always"
    return score_trial(run.cases.of(ref), trajectory, run.own_checks, ask_failed=ask_failed)
