"""Reviews from a file, one JSON object a line. A file with a fault gives none, and each line tells its first fault."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from proctor.errors import Problem, SpecError
from proctor.formats.members import Fault
from proctor.formats.problem_list import ProblemList
from proctor.formats.strict_json.document import read_json_file
from proctor.stages.reviews.desk import ReviewDesk
from proctor.stages.reviews.line_reader import read_line
from proctor.store import Review, timestamp


@dataclass(slots=True)
class ReadReviews:
    """What a file says: the new ``reviews``, how many are ``known`` already, how many lines have no points yet."""

    reviews: list[Review] = field(default_factory=list)
    known: int = 0
    without_points: int = 0


def read_reviews(
    path: Path, data: bytes, desk: ReviewDesk, reviewer: str, newest: Mapping[tuple[str, str], Review]
) -> ReadReviews:
    """Read the reviews of a file; ``reviewer`` gave those that name nobody.

    ``newest`` has the review that counts now, by reviewer and text. One that says the same is known. One that says
    something else counts from now on: it is of now, unless its own time is later.

    Raises:
        SpecError: something in the file cannot be used.
    """
    documents, unread = read_json_file(path, data)
    problems = list(unread)
    found, counting, now = ReadReviews(), dict(newest), datetime.now(UTC)
    for document in documents:
        try:
            review = read_line(document.value, desk, reviewer, now)
        except Fault as fault:
            problems.append(document.problem(fault.pointer, fault.code, fault.message, fault.hint))
            continue
        if review is None:
            found.without_points += 1
        else:
            _take(review, counting, found, timestamp(now))
    if problems:
        raise SpecError(_first(path, problems))
    return found


def _take(review: Review, counting: dict[tuple[str, str], Review], found: ReadReviews, now: str) -> None:
    key = review.reviewer, review.content
    before = counting.get(key)
    if before is not None and before.says_the_same(review):
        found.known += 1
        return
    if before is not None and review.reviewed_at <= before.reviewed_at:
        review = replace(review, reviewed_at=now)
    counting[key] = review
    found.reviews.append(review)


def _first(path: Path, problems: list[Problem]) -> tuple[Problem, ...]:
    kept = ProblemList(path)
    for problem in problems:
        if kept.has_room(problem.severity):
            kept.add(problem)
    return kept.all()
