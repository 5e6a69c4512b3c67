"""How far judge and reviewers agree, for a person and for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from proctor.cli.output import say
from proctor.stages.reviews.agreement import review_agreements
from proctor_reports.adapter_text import review_line

if TYPE_CHECKING:
    from proctor.store import Store


def tell_agreement(run_id: str, store: Store) -> None:
    """Print a line for each reviewer of a run, as its report has it, and the next step."""
    for agreement in review_agreements(store, run_id):
        say(f"{agreement.reviewer}: {review_line(agreement)}")
    say(f"next: proctor report {run_id}")


def agreement_json(run_id: str, store: Store) -> list[dict[str, Any]]:
    """The agreement with each reviewer of a run, as data."""
    return [asdict(agreement) for agreement in review_agreements(store, run_id)]
