"""What earlier runs of a spec found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proctor.dataset import RECORDED
from proctor.errors import UsageError
from proctor.results import Outcome, Summary
from proctor.store import RunStatus
from proctor.wording import listed

if TYPE_CHECKING:
    from proctor.store import Store

_NAMED = 5


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


def not_passed(store: Store, slug: str) -> set[str]:
    """The keys of the cases that did not pass when they were run last.

    Looks from the newest finished run back to the newest one that ran the whole spec.
    """
    newest: dict[tuple[str, str], Outcome] = {}
    for record in store.runs(slug=slug, limit=100):
        if record.status is not RunStatus.FINISHED:
            continue
        for score in store.case_scores(record.id):
            newest.setdefault((score.agent, score.case), score.outcome)
        for line in store.passed_rows(record.id):
            newest.setdefault((RECORDED, line.key), line.outcome)
        if record.selection is None:
            break
    return {case for (_, case), outcome in newest.items() if outcome not in (Outcome.PASSED, Outcome.SKIPPED)}
