"""How far judge and reviewers agree on the answers of a run, from what the store has of it.

Of the reviews that one person gave one text, the newest counts, in whatever run it was given. It is a review of every
trial with that text; the interval of kappa takes the trials of one text for one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from proctor.brainbench.judging.rubric import verdict_of
from proctor.category_scores import ReviewAgreement
from proctor.checks.brainbench import RUBRIC
from proctor.results import RunResults, TrialRef, Verdict
from proctor.stages.reviews.graded_texts import graded_texts
from proctor.stages.run import Run
from proctor.statistics.weighted_kappa import Pair, weighted_kappa_interval
from proctor.store import Review

if TYPE_CHECKING:
    from proctor.store import Store


def reviews_of(run: Run) -> tuple[ReviewAgreement, ...]:
    """Note which texts a run grades, and give the agreement on them with the reviews that there are.

    Raises:
        SourceChanged: a file is not what it was at validation.
    """
    run.store.save_graded_texts(run.id, graded_texts(run.cases))
    return review_agreements(run.store, run.id)


def review_agreements(store: Store, run_id: str) -> tuple[ReviewAgreement, ...]:
    """The agreement of every reviewer of a finished run, by name, computed anew: reviews come later than runs."""
    reviews = [review for review in store.reviews() if review.check == RUBRIC]
    if not reviews:
        return ()
    texts, verdicts = store.graded_texts(run_id), judge_verdicts(store, run_id)
    given: defaultdict[str, list[Review]] = defaultdict(list)
    for review in reviews:
        given[review.reviewer].append(review)
    found = (_agreement(reviewer, given[reviewer], texts, verdicts) for reviewer in sorted(given))
    return tuple(agreement for agreement in found if agreement is not None)


def with_reviews(results: RunResults, store: Store) -> RunResults:
    """The results of a run with the reviews that there are now. What is stored of the run stays as it is."""
    summary = results.summary
    if summary.transcripts is None:
        return results
    transcripts = replace(summary.transcripts, reviews=review_agreements(store, summary.run_id))
    return replace(results, summary=replace(summary, transcripts=transcripts))


def judge_verdicts(store: Store, run_id: str) -> dict[TrialRef, Verdict]:
    """What a judge said of each answer of a run, where it gave points."""
    lines = store.check_lines(run_id, [RUBRIC])
    return {line.ref: line.verdict for line in lines if line.verdict is not None and line.verdict.score is not None}


def newest_reviews(store: Store) -> dict[tuple[str, str], Review]:
    """The reviews that count, by reviewer and text."""
    return {(review.reviewer, review.content): review for review in store.reviews()}


def _agreement(
    reviewer: str, given: Sequence[Review], texts: Mapping[TrialRef, str], verdicts: Mapping[TrialRef, Verdict]
) -> ReviewAgreement | None:
    """None for a reviewer of other runs' answers only."""
    current, places = {review.content: review for review in given}, {review.ref for review in given}
    reviewed = {ref: current[content] for ref, content in texts.items() if content in current}
    stale = sum(ref in places and ref not in reviewed for ref in texts)
    if not reviewed and not stale:
        return None
    judged = [(review, verdicts[ref]) for ref, review in reviewed.items() if ref in verdicts]
    by_text: defaultdict[str, list[Pair]] = defaultdict(list)
    for review, verdict in judged:
        by_text[review.content] += _pairs(review, verdict)
    pairs = [pair for text in by_text.values() for pair in text]
    kappa, low, high = weighted_kappa_interval(by_text.values()) or (None, None, None)
    return ReviewAgreement(
        reviewer=reviewer,
        criteria=len(pairs),
        exact=sum(judge == person for judge, person in pairs),
        trials=len(judged),
        verdicts_alike=sum(verdict_of(verdict.score or 0.0) is review.conclusion for review, verdict in judged),
        kappa=kappa,
        low=low,
        high=high,
        stale=stale,
    )


def _pairs(review: Review, verdict: Verdict) -> Iterator[Pair]:
    """What judge and reviewer gave each criterion that both have. A judge's second score of one counts nothing."""
    first = {score.id: score.score for score in reversed(verdict.criteria)}
    return ((first[each.id], each.points) for each in review.criteria if each.id in first)
