"""Recorded rows told apart from played cases: how many of a run's results are rows, and what to call them."""

from __future__ import annotations

from proctor.results import Changes, Counts, Summary


def recorded(summary: Summary) -> Counts:
    """Count the recorded rows by outcome, controls too."""
    return sum((score.rows + score.controls for score in summary.dimensions), Counts())


def controls(summary: Summary) -> int:
    """Count the rows that only show whether a detector sees what it must see."""
    return sum(score.controls.total for score in summary.dimensions)


def played(every: Counts, rows: Counts) -> Counts:
    """Take the recorded rows out of the cases, or trials, of a run."""
    return Counts(*(getattr(every, name) - getattr(rows, name) for name in Counts.__slots__))


def has_played(summary: Summary) -> bool:
    """Whether an agent was under test; a run without any result is taken for one of that kind."""
    rows = recorded(summary)
    return not rows.total or played(summary.trials, rows).total > 0


def noun(summary: Summary) -> str:
    """Give the word for one result: ``row`` where there is nothing but recorded rows."""
    return "case" if has_played(summary) else "row"


def shown_changes(summary: Summary) -> Changes | None:
    """Give what changed since the baseline.

    Recorded rows without a comparison, or without a difference in it, say nothing here: that is said by dimension.
    """
    changes = summary.changes
    if changes is None or has_played(summary):
        return changes
    is_quiet = summary.regression is None or changes == Changes(changes.baseline)
    return None if is_quiet else changes
