"""A review at a terminal: answers are shown one by one, points are asked for, and each review is stored at once."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from proctor.brainbench.judging.rubric import HIGHEST_POINTS, LOWEST_POINTS, RubricVerdict, shown_id, verdict_of
from proctor.checks.brainbench import RUBRIC
from proctor.cli.output import say
from proctor.cli.review_page import KEYS, criterion_name, page_lines
from proctor.cli.reviewing import Reviewing
from proctor.errors import UsageError
from proctor.judges.findings import shown_points
from proctor.plan import CriterionSpec
from proctor.results import TrialRef, Verdict
from proctor.stages.reviews.desk import Reviewable
from proctor.stages.reviews.line_reader import VERDICTS
from proctor.store import CriterionReview, Review, timestamp
from proctor.store.review_records import overall_points
from proctor.wording import listed

_POINTS: Final = re.compile(r"(?P<points>[0-9](?:\.[0-9]+)?)(?:\s+(?P<note>.*))?", re.DOTALL)
_BACK, _AGAIN, _SKIP, _END = "b", "?", "s", "q"


class _Ended(Exception):
    """The reviewer has had enough."""


class _Skipped(Exception):
    """The reviewer leaves an answer out."""


@dataclass(slots=True)
class Session:
    """The work of one reviewer. ``verdicts`` of the judge are shown behind each review, if at all."""

    work: Reviewing
    verdicts: Mapping[TrialRef, Verdict] = field(default_factory=dict)
    stored: int = 0

    def review(self, refs: Sequence[TrialRef]) -> None:
        """Go through answers until the last one, or until the reviewer ends it.

        Raises:
            UsageError: none of them can be reviewed.
        """
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")  # whatever a terminal sends is no reason to lose the session
        left_out: list[UsageError] = []
        for number, ref in enumerate(refs, start=1):
            try:
                self._review(self.work.desk.take(ref), f"answer {number} of {len(refs)}, case {shown_id(ref.case)}")
            except UsageError as error:
                say(f"left out: {error.message}", err=True)
                left_out.append(error)
            except _Skipped:
                continue
            except (_Ended, KeyboardInterrupt):
                say("")
                return
        if left_out and len(left_out) == len(refs):
            raise UsageError("none of these answers can be reviewed", hint=left_out[0].hint)

    def _review(self, answer: Reviewable, title: str) -> None:
        criteria, verdict = _Form(answer, title).fill()
        run_id, reviewer = self.work.desk.run_id, self.work.reviewer
        review = Review(reviewer, answer.content, run_id, answer.ref, RUBRIC, criteria, verdict, timestamp())
        self.work.store.save_reviews([review])
        self.stored += 1
        say(f"stored: {review.conclusion}, {shown_points(overall_points(criteria))} of {HIGHEST_POINTS}")
        for line in _judged(self.verdicts.get(answer.ref)):
            say(line)
        say("")


class _Form:
    """Asks for the points of one answer, then for the verdict."""

    def __init__(self, answer: Reviewable, title: str) -> None:
        self._answer, self._title = answer, title
        self._criteria = answer.question.criteria
        self._given: list[CriterionReview] = []

    def fill(self) -> tuple[tuple[CriterionReview, ...], RubricVerdict | None]:
        """The points of every criterion, and the verdict if it is another than the one that they mean."""
        self._show()
        while True:
            while len(self._given) < len(self._criteria):
                self._ask_points(self._criteria[len(self._given)])
            said = self._ask_verdict()
            if said != _BACK:
                return tuple(self._given), RubricVerdict(said) if said else None
            self._given.pop()

    def _show(self) -> None:
        say(f"=== {self._title} ===")
        for line in page_lines(self._answer):
            say(line)

    def _ask_points(self, criterion: CriterionSpec) -> None:
        said = self._ask(f"{len(self._given) + 1}. {criterion_name(criterion)}: ")
        if said == _BACK:
            del self._given[-1:]
        elif (found := _POINTS.fullmatch(said)) and float(found["points"]) <= HIGHEST_POINTS:
            note = (found["note"] or "").strip()
            self._given.append(CriterionReview(criterion.id, float(found["points"]), criterion.weight, note))
        else:
            say(f"write a number from {LOWEST_POINTS} to {HIGHEST_POINTS}, then a note if you like; {KEYS}")

    def _ask_verdict(self) -> str:
        """A verdict, an empty text for the one that the points mean, or the wish to go back."""
        overall = overall_points(self._given)
        meant = f"{verdict_of(overall)}, which {shown_points(overall)} of {HIGHEST_POINTS} means"
        while True:
            said = self._ask(f"verdict ({', '.join(VERDICTS)}; Enter for {meant}): ").lower()
            if said in ("", _BACK, *VERDICTS):
                return said
            say(f"write {', '.join(VERDICTS)}, or nothing; {KEYS}")

    def _ask(self, prompt: str) -> str:
        """One line of the reviewer's that is no wish to end, to skip or to see the answer again."""
        while True:
            say(prompt, end="")
            sys.stdout.flush()
            line = sys.stdin.readline()
            said = line.strip()
            if not line or said == _END:
                raise _Ended
            if said == _SKIP:
                raise _Skipped
            if said != _AGAIN:
                return said
            self._show()


def _judged(verdict: Verdict | None) -> Iterator[str]:
    if verdict is None or verdict.score is None:
        return
    points = [f"{shown_id(score.id)} {shown_points(score.score)}" for score in verdict.criteria]
    yield f"the judge: {verdict_of(verdict.score)}, {listed(points, len(points))}"
    for score in verdict.criteria:
        yield f"  {shown_id(score.id)}: {score.rationale}"
