"""The checks of one trial: what each of them says, and what follows for the trial.

Pure: no network, no clock. A check of the user's that raises has no result: the check is unscored, never failed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from proctor.excerpt import quote, said
from proctor.plan import Case, Check, CheckContext, JudgeRequest
from proctor.results import CheckKind, CheckResult, Outcome
from proctor.store import Pending
from proctor.trajectory import Ending, Trajectory

Scored = tuple[Outcome | None, list[CheckResult | Pending]]


def score_trial(case: Case, trajectory: Trajectory, own: Sequence[Check] = (), *, ask_failed: bool = True) -> Scored:
    """All checks of one trial in order, and its outcome; None while a judge has to be asked.

    A trial that did not complete is not checked. With ``ask_failed`` False, judges are left out (skipped) once a rule
    has failed the trial.
    """
    if trajectory.ending is not Ending.COMPLETED:
        return trial_outcome(trajectory.ending, ()), []
    checks = [_score(check, context) for check, context in placed_checks(case, trajectory, own)]
    if not ask_failed:
        checks = without_idle_questions(checks)
    if any(isinstance(check, Pending) for check in checks):
        return None, checks
    return trial_outcome(
        trajectory.ending, (check.outcome for check in checks if isinstance(check, CheckResult))
    ), checks


def without_idle_questions(checks: Sequence[CheckResult | Pending]) -> list[CheckResult | Pending]:
    """The checks of a trial, with questions that no longer matter skipped: those of a trial that a rule has failed."""
    if not any(isinstance(check, CheckResult) and check.outcome is Outcome.FAILED for check in checks):
        return list(checks)
    return [_skipped(check) if isinstance(check, Pending) else check for check in checks]


def trial_outcome(ending: Ending, checks: Iterable[Outcome]) -> Outcome:
    """The outcome of a trial: a failed check decides it; else a check without a result leaves it unscored."""
    if ending is not Ending.COMPLETED:
        return Outcome.ERRORED if ending is Ending.ERRORED else Outcome.REFUSED
    outcomes = set(checks)
    for decisive in (Outcome.FAILED, Outcome.UNSCORED):
        if decisive in outcomes:
            return decisive
    return Outcome.PASSED


def placed_checks(case: Case, trajectory: Trajectory, own: Sequence[Check]) -> Iterator[tuple[Check, CheckContext]]:
    """Every check of a trial with what it looks at, in the order of the positions in the store."""
    for number, turn in enumerate(case.turns):
        context = CheckContext(case, trajectory, number)
        yield from ((check, context) for check in turn.checks)
    whole = CheckContext(case, trajectory)
    yield from ((check, whole) for check in (*case.checks, *own))


def evaluate_check(check: Check, context: CheckContext) -> CheckResult | JudgeRequest:
    """What a check says. One that raises, or says something else, is unscored: a user's own may do either."""
    try:
        found: object = check.evaluate(context)
    except (Exception, SystemExit) as error:
        reason = f"the check raised {said(error)}"
        return CheckResult(check.name, Outcome.UNSCORED, reason, context.turn)
    if isinstance(found, JudgeRequest):
        return found
    if not isinstance(found, CheckResult):
        reason = f"the check returned {quote(repr(found), 80)}, not a CheckResult or a JudgeRequest"
        return CheckResult(check.name, Outcome.UNSCORED, reason, context.turn)
    return found if found.turn == context.turn else replace(found, turn=context.turn)


def _score(check: Check, context: CheckContext) -> CheckResult | Pending:
    found = evaluate_check(check, context)
    return Pending(check.name, context.turn) if isinstance(found, JudgeRequest) else found


def _skipped(check: Pending) -> CheckResult:
    reason = "not asked: a rule has failed this trial already"
    return CheckResult(check.name, Outcome.SKIPPED, reason, check.turn, CheckKind.JUDGED)
