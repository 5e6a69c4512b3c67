"""Where trials come from: a run of the store, or a file of a format that holds some."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from proctor.convert.brainbench.transcript_source import transcript_trials
from proctor.convert.refusals import PI, REFUSED, ROW_TO_PI, SUITE
from proctor.convert.trials import Trial, Trials
from proctor.dataset import RECORDED
from proctor.errors import SpecError, UsageError
from proctor.formats import format_of
from proctor.formats.brainbench import TRANSCRIPTS as BRAINBENCH
from proctor.formats.pi.reading import read_fixture
from proctor.formats.pi.recording import recorded_trial
from proctor.formats.suite import is_suite
from proctor.plan import RECORDING
from proctor.regular_file import read_named
from proctor.results import RunResults, TrialScore
from proctor.trajectory import Ending

_HINT: Final = "name a pi fixture, a BrainBench transcript, or a run by the beginning of its id"
_NOT_COMPLETED: Final = {Ending.ERRORED: "that could not be run", Ending.REFUSED: "that a content filter stopped"}


def trials_of_run(results: RunResults, target: str) -> Trials:
    """The trials of a finished run that completed."""
    trials = Trials(f"run {results.summary.run_id}", lambda: _of_run(results, target, trials))
    return trials


def trials_of_file(path: Path, target: str) -> Trials:
    """The trials of a file.

    Raises:
        UsageError: the file holds none, or cannot become what is asked for.
        SpecError: with all problems of the file.
    """
    name = _format_name(path)
    refusal = REFUSED.get((name, target))
    if refusal is not None:
        raise refusal.error(path, target)
    trials = tuple(FILE_SOURCES[name](path))
    return Trials(str(path), lambda: iter(trials))


def _format_name(path: Path) -> str:
    if not path.is_file():
        what = "is no regular file" if path.exists() else "does not exist"
        raise UsageError(f"{path} {what}", hint=_HINT)
    format_ = format_of(path)
    if format_ is None and not is_suite(path):
        raise UsageError(f"{path} is of no format that is known here", hint=_HINT)
    return SUITE if is_suite(path) or format_ is None else format_.name


def _of_run(results: RunResults, target: str, trials: Trials) -> Iterator[Trial]:
    summary = results.summary
    has_several = len(summary.agents) > 1
    for detail in results.cases():
        for score in detail.trials:
            left_out = _left_out(score, target)
            if left_out is None:
                yield _trial(score, summary.run_id, summary.started_at, has_several=has_several)
            else:
                trials.leave_out(*left_out)
    for _ in results.rows():
        trials.leave_out(*_row(target))


def _left_out(score: TrialScore, target: str) -> tuple[str, str] | None:
    """What a trial is that is left out, and why; None for one that is taken."""
    if score.ref.agent == RECORDED:
        return _row(target)
    if score.ref.agent == RECORDING and target == PI:
        return "trial", "from a pi fixture, which is there already"
    why = _NOT_COMPLETED.get(score.trajectory.ending)
    return None if why is None else ("trial", why)


def _row(target: str) -> tuple[str, str]:
    return "recorded row", f"({ROW_TO_PI})" if target == PI else "of a data set, which is there already"


def _trial(score: TrialScore, run_id: str, started_at: str, *, has_several: bool) -> Trial:
    ref, cached = score.ref, score.trajectory.cached
    return Trial(
        case=ref.case,
        number=ref.trial + 1,
        trajectory=score.trajectory,
        recorded_at=cached.created_at if cached else started_at,
        about=f"Trial {ref.trial + 1:,} of {ref.case} with the agent {ref.agent}, run {run_id}",
        agent=ref.agent if has_several else "",
    )


def _of_fixture(path: Path) -> Iterator[Trial]:
    fixture, problems = read_fixture(path, read_named(path))
    if fixture is None:
        raise SpecError(problems)
    meta = fixture.meta
    yield Trial(meta.fixture_id, 1, recorded_trial(fixture).trajectory, meta.recorded_at, meta.scenario)


FILE_SOURCES: Final[Mapping[str, Callable[[Path], Iterator[Trial]]]] = {
    PI: _of_fixture,
    BRAINBENCH: transcript_trials,
}
"""How the trials of a file are read, by the name of its format. A format without one has refusals."""
