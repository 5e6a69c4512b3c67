"""The fourth stage: questions that wait in the store become verdicts.

Only trials with open questions are looked at. A verdict is taken from the cache or asked for; what a judge cannot
answer is unscored, with its cause, and is neither cached nor ever a fail. A judge whose key or quota is refused ends
the run instead of being asked a thousand times. The trial's index is the number of the vote:
two trials with one and the same reply are judged twice, a second start of the same work is not.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from proctor.errors import JudgeSetupError
from proctor.judges.causes import Cause
from proctor.plan import JudgeRequest
from proctor.results import CheckKind, CheckResult, Outcome, Verdict
from proctor.stages.chunks import Chunk
from proctor.stages.progress import Stage
from proctor.stages.questions import Question, Questions
from proctor.stages.recorded.chunks import RowChunk
from proctor.stages.run import Run
from proctor.stages.trial_checks import evaluate_check, placed_checks, trial_outcome
from proctor.stages.workers import run_workers
from proctor.store import PendingCheck, PendingTrial
from proctor.trajectory import Ending, Trajectory

_HOPELESS = (Cause.AUTH, Cause.QUOTA)


@dataclass(frozen=True, slots=True)
class JudgeReport:
    """What became of a chunk's questions: verdicts asked for, taken from the cache, and not to be had."""

    asked: int = 0
    cached: int = 0
    unscored: int = 0

    @property
    def wholly_cached(self) -> bool:
        """No judge was needed."""
        return bool(self.cached) and not self.asked

    def __str__(self) -> str:
        parts = [(self.asked, "asked"), (self.cached, "from the cache"), (self.unscored, "unscored")]
        return ", ".join(f"{number} {what}" for number, what in parts if number) or "nothing to judge"


async def judge(run: Run, chunk: Chunk | RowChunk) -> JudgeReport:
    """Ask for every open verdict of a chunk.

    Raises:
        JudgeSetupError: a judge's key or quota is refused.
        SourceChanged: recorded rows are not what they were at validation.
    """
    if isinstance(chunk, RowChunk):
        from proctor.stages.recorded.questions import open_row_questions

        questions = await asyncio.to_thread(open_row_questions, run, chunk)
    else:
        questions = await asyncio.to_thread(_open_questions, run, chunk)
    waiting = list(questions)
    run.progress.advance(Stage.JUDGE, len(chunk) - len(waiting))
    known = await asyncio.to_thread(_from_cache, run, questions)
    rest = iter(waiting)
    workers = min(len(waiting), run.plan.limits.concurrency)
    counts = await run_workers(workers, lambda: _work(run, rest, questions, known))
    total = sum(isinstance(request, JudgeRequest) for waits in questions.values() for _, request in waits)
    asked = sum(count for count, _ in counts)
    return JudgeReport(asked, total - asked, sum(count for _, count in counts))


def _open_questions(run: Run, chunk: Chunk) -> Questions:
    """The questions of trials that were played, made again from their trajectories: they are not kept in the store."""
    waiting = run.store.pending(run.id, chunk)
    trajectories = run.store.trajectories(run.id, [trial.ref for trial in waiting])
    return {trial: _questions(run, trial, trajectories[trial.ref]) for trial in waiting}


def _questions(run: Run, trial: PendingTrial, trajectory: Trajectory) -> list[Question]:
    placed = list(placed_checks(run.cases.of(trial.ref), trajectory, run.own_checks))
    return [(pending, evaluate_check(*placed[pending.position])) for pending in trial.checks]


def _from_cache(run: Run, questions: Questions) -> Mapping[str, Verdict]:
    if run.plan.refresh:
        return {}
    return run.store.verdicts(
        [
            run.judges.key(request, trial.ref.trial)
            for trial, asked in questions.items()
            for _, request in asked
            if isinstance(request, JudgeRequest)
        ]
    )


async def _work(
    run: Run,
    waiting: Iterable[PendingTrial],
    questions: Questions,
    known: Mapping[str, Verdict],
) -> tuple[int, int]:
    """Judge trials, one after the other, and count the verdicts asked for and not to be had."""
    asked = unscored = 0
    for trial in waiting:
        more_asked, more_unscored = await _judge_trial(run, trial, questions[trial], known)
        asked, unscored = asked + more_asked, unscored + more_unscored
    return asked, unscored


async def _judge_trial(
    run: Run, trial: PendingTrial, questions: list[Question], known: Mapping[str, Verdict]
) -> tuple[int, int]:
    """Judge one trial, store what came of it, and count the asked and the unscored."""
    decided: list[tuple[int, CheckResult]] = []
    new: dict[str, Verdict] = {}
    try:
        for pending, request in questions:
            if isinstance(request, CheckResult):
                decided.append((pending.position, request))
                continue
            key = run.judges.key(request, trial.ref.trial)
            verdict = known.get(key)
            if verdict is None:
                verdict = new[key] = await _ask(run, request)
            decided.append((pending.position, check_of(pending, verdict)))
    finally:  # a verdict that is paid is kept, whatever becomes of the next one
        if new:
            await asyncio.to_thread(run.store.save_verdict_cache, run.id, new)
    outcome = trial_outcome(Ending.COMPLETED, (*trial.decided, *(check.outcome for _, check in decided)))
    await asyncio.to_thread(run.store.save_verdicts, run.id, [(trial.ref, outcome, decided)])
    run.progress.advance(Stage.JUDGE, note="unscored" if outcome is Outcome.UNSCORED else None)
    return len(new), sum(check.outcome is Outcome.UNSCORED for _, check in decided)


async def _ask(run: Run, request: JudgeRequest) -> Verdict:
    async with run.slots:
        verdict = await run.judges.ask(request)
    if verdict.cause in _HOPELESS:
        raise JudgeSetupError(
            f"the judge {verdict.model} cannot be used: {verdict.reasoning}",
            hint="put that right and start again; every answer and verdict so far is kept",
        )
    return verdict


def check_of(pending: PendingCheck, verdict: Verdict) -> CheckResult:
    """The check that a verdict decides; without one it is unscored, and the reason names the cause."""
    outcomes = {True: Outcome.PASSED, False: Outcome.FAILED, None: Outcome.UNSCORED}
    reason = verdict.reasoning if verdict.passed is not None else f"no verdict ({verdict.cause}): {verdict.reasoning}"
    return CheckResult(pending.name, outcomes[verdict.passed], reason, pending.turn, CheckKind.JUDGED, verdict)
