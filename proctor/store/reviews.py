"""Reviews by people, all of them kept, and the texts of each run that they can be about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import delete, select

from proctor.brainbench.judging.rubric import RubricVerdict
from proctor.results import TrialRef
from proctor.store.base import BATCH, Part, batches, execute_many
from proctor.store.review_records import CriterionReview, Review
from proctor.store.tables import GRADED_TEXT, REVIEW


class Reviews(Part):
    """The reviews of all runs: one of a text is found by every run that has this text."""

    def save_reviews(self, reviews: Iterable[Review]) -> None:
        """Store reviews. Earlier ones of the same texts stay: which of them counts is up to who reads them."""
        rows = [_row(review) for review in reviews]
        with self._database.writing() as connection:
            execute_many(connection, REVIEW.insert(), rows)

    def reviews(self) -> list[Review]:
        """List all reviews, the oldest first; of the same moment, as they were stored."""
        query = select(REVIEW).order_by(REVIEW.c.reviewed_at, REVIEW.c.id)
        with self._database.reading() as connection:
            return [_review(row) for row in connection.execute(query).mappings()]

    def save_graded_texts(self, run_id: str, texts: Mapping[TrialRef, str]) -> None:
        """Store the digest of the text that is graded in each of these trials, in place of what the run had before."""
        rows = [
            {"run_id": run_id, "agent": ref.agent, "case_key": ref.case, "trial": ref.trial, "content": content}
            for ref, content in texts.items()
        ]
        with self._database.writing() as connection:
            connection.execute(delete(GRADED_TEXT).where(GRADED_TEXT.c.run_id == run_id))
            for batch in batches(rows, BATCH):
                execute_many(connection, GRADED_TEXT.insert(), batch)

    def graded_texts(self, run_id: str) -> dict[TrialRef, str]:
        """The digests of the texts of a run, by agent, case and trial."""
        columns = (GRADED_TEXT.c.agent, GRADED_TEXT.c.case_key, GRADED_TEXT.c.trial, GRADED_TEXT.c.content)
        query = select(*columns).where(GRADED_TEXT.c.run_id == run_id).order_by(*GRADED_TEXT.primary_key)
        with self._database.reading() as connection:
            return {TrialRef(row[0], row[1], row[2]): row[3] for row in connection.execute(query)}


def _row(review: Review) -> dict[str, Any]:
    return {
        "content": review.content,
        "reviewer": review.reviewer,
        "reviewed_at": review.reviewed_at,
        "run_id": review.run_id,
        "agent": review.ref.agent,
        "case_key": review.ref.case,
        "trial": review.ref.trial,
        "name": review.check,
        "criteria": [
            {"id": each.id, "points": each.points, "weight": each.weight, "note": each.note} for each in review.criteria
        ],
        "verdict": review.verdict,
    }


def _review(row: Mapping[Any, Any]) -> Review:
    return Review(
        reviewer=row["reviewer"],
        content=row["content"],
        run_id=row["run_id"],
        ref=TrialRef(row["agent"], row["case_key"], row["trial"]),
        check=row["name"],
        criteria=tuple(CriterionReview(**each) for each in row["criteria"]),
        verdict=None if row["verdict"] is None else RubricVerdict(row["verdict"]),
        reviewed_at=row["reviewed_at"],
    )
