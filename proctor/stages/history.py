"""What earlier runs of a spec found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from proctor.dataset import RECORDED
from proctor.errors import UsageError
from proctor.plan import Plan
from proctor.results import Outcome, Summary
from proctor.store import RunStatus
from proctor.wording import listed

if TYPE_CHECKING:
    from proctor.store import RunRecord, Store

LATEST: Final = "latest"
"""What names the newest run."""

_NAMED: Final = 5
_LOOKED_AT: Final = 100


def accept_unless_worse(store: Store, summary: Summary) -> str | None:
    """Make a run the baseline of its spec; or leave it, and say why: a regression never becomes the next baseline."""
    regression = summary.regression
    if regression is not None and regression.regressed:
        return regression.reason
    failing = summary.changes.newly_failing if summary.changes else ()
    cases = [name for name in failing if not name.startswith(f"{RECORDED}/")]  # rows have a test of their own
    if cases:
        return f"newly failing: {listed(cases, _NAMED)}"
    try:
        store.accept(summary.run_id)
    except UsageError as error:
        return error.message
    return None


def find_baseline(store: Store, plan: Plan, run_id: str) -> RunRecord | None:
    """The run that a run is compared with: the one that was asked for, or the one of its spec that was accepted last.

    ``latest`` is the newest finished run of the spec before this one.

    Raises:
        UsageError: the run that was asked for is not there.
    """
    if plan.baseline is None:
        return store.accepted(plan.slug, before=run_id)
    if plan.baseline.strip().lower() != LATEST:
        return store.find_run(plan.baseline)
    earlier = (record for record in store.runs(slug=plan.slug, limit=_LOOKED_AT) if record.id < run_id)
    newest = next((record for record in earlier if record.status is RunStatus.FINISHED), None)
    if newest is None:
        raise UsageError(f"no earlier run of {plan.slug} is finished, so there is no latest one")
    return newest


def not_passed(store: Store, slug: str) -> set[str]:
    """The keys of the cases that did not pass when they were run last.

    Looks from the newest finished run back to the newest one that ran the whole spec.
    """
    newest: dict[tuple[str, str], Outcome] = {}
    for record in store.runs(slug=slug, limit=_LOOKED_AT):
        if record.status is not RunStatus.FINISHED:
            continue
        for score in store.case_scores(record.id):
            newest.setdefault((score.agent, score.case), score.outcome)
        for line in store.passed_rows(record.id):
            newest.setdefault((RECORDED, line.key), line.outcome)
        if record.selection is None:
            break
    return {case for (_, case), outcome in newest.items() if outcome not in (Outcome.PASSED, Outcome.SKIPPED)}
