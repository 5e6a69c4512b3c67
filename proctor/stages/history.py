"""What earlier runs of a spec found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proctor.results import Outcome
from proctor.store import RunStatus

if TYPE_CHECKING:
    from proctor.store import Store


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
        if record.selection is None:
            break
    return {case for (_, case), outcome in newest.items() if outcome not in (Outcome.PASSED, Outcome.SKIPPED)}
