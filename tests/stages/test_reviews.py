"""The agreement of judge and reviewers, from what the store has of a run and of all reviews."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from proctor.brainbench.judging.rubric import RubricVerdict
from proctor.category_scores import ReviewAgreement, TranscriptFindings
from proctor.results import (
    CheckKind,
    CheckResult,
    Counts,
    CriterionScore,
    Decision,
    Outcome,
    RunResults,
    Summary,
    TrialRef,
    Verdict,
)
from proctor.stages.reviews.agreement import review_agreements, with_reviews
from proctor.statistics.weighted_kappa import weighted_kappa_interval
from proctor.store import CriterionReview, NewTrial, Review, Store, open_store
from proctor.trajectory import Ending, Trajectory, TurnRecord

FIRST, SECOND, THIRD = (TrialRef("archivist", f"q-000{number}", 0) for number in (1, 2, 3))
TEXTS = {FIRST: "t1", SECOND: "t2", THIRD: "t3"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(None, tmp_path) as opened:
        yield opened


def judged(store: Store, points: Mapping[TrialRef, tuple[float, float] | None], texts: Mapping[TrialRef, str]) -> None:
    """A run whose judge gave each trial these points for ``lamp`` (weight 2) and ``rail``, or no verdict."""
    answered = Trajectory(Ending.COMPLETED, (TurnRecord("q", "a", ()),))
    store.save_trials("r1", [NewTrial(ref, answered) for ref in points])
    store.save_scores("r1", [(ref, Outcome.FAILED, [check(given)]) for ref, given in points.items()])
    store.save_graded_texts("r1", texts)


def check(points: tuple[float, float] | None) -> CheckResult:
    if points is None:
        verdict = Verdict(None, "no answer", "m", cause="timeout")
        return CheckResult("rubric", Outcome.UNSCORED, "no verdict", kind=CheckKind.JUDGED, verdict=verdict)
    lamp, rail = points
    scores = (CriterionScore("rail", rail, ""), CriterionScore("lamp", lamp, ""), CriterionScore("lamp", 0, "again"))
    verdict = Verdict(True, "fine", "m", score=(2 * lamp + rail) / 3, criteria=scores)
    return CheckResult("rubric", Outcome.PASSED, "fine", kind=CheckKind.JUDGED, verdict=verdict)


def review(
    content: str, points: tuple[float, float], ref: TrialRef = FIRST, reviewer: str = "Ann", **more: object
) -> Review:
    criteria = (CriterionReview("lamp", points[0], 2), CriterionReview("rail", points[1]))
    members = {"run_id": "r0", "check": "rubric", "verdict": None, "reviewed_at": "2031-01-01T00:00:00.000Z"} | more
    return Review(reviewer=reviewer, content=content, ref=ref, criteria=criteria, **members)  # type: ignore[arg-type]


def only(store: Store) -> ReviewAgreement:
    [found] = review_agreements(store, "r1")
    return found


class TestTheAgreement:
    def test_pairs_the_points_of_each_criterion(self, store: Store) -> None:
        judged(store, {FIRST: (5, 4), SECOND: (2.5, 0), THIRD: (1, 3)}, TEXTS)
        store.save_reviews([review("t1", (5, 3)), review("t2", (2.5, 0)), review("t3", (3, 3))])
        found = only(store)
        wanted = weighted_kappa_interval([[(5, 5), (4, 3)], [(2.5, 2.5), (0, 0)], [(1, 3), (3, 3)]])
        assert (found.reviewer, found.criteria, found.exact, found.stale) == ("Ann", 6, 4, 0)
        assert (found.kappa, found.low, found.high) == wanted

    def test_compares_the_verdict_that_points_mean_or_the_one_that_was_given(self, store: Store) -> None:
        judged(store, {FIRST: (5, 4), SECOND: (3, 2), THIRD: (1, 1)}, TEXTS)
        store.save_reviews(
            [
                review("t1", (4, 2.5)),
                review("t2", (3.5, 3.5)),
                review("t3", (5, 5), verdict=RubricVerdict.FAIL),
            ]
        )
        assert (only(store).trials, only(store).verdicts_alike) == (3, 2)

    def test_is_that_of_each_reviewer_by_name(self, store: Store) -> None:
        judged(store, {FIRST: (5, 4)}, TEXTS)
        store.save_reviews([review("t1", (5, 4), reviewer="Cy"), review("t1", (0, 4))])
        assert [(found.reviewer, found.exact) for found in review_agreements(store, "r1")] == [("Ann", 1), ("Cy", 2)]

    def test_takes_the_newest_review_of_a_text_whatever_the_order_of_storing(self, store: Store) -> None:
        judged(store, {FIRST: (5, 4)}, TEXTS)
        store.save_reviews([review("t1", (5, 4), reviewed_at="2031-01-02T00:00:00.000Z"), review("t1", (0, 0))])
        assert only(store).exact == 2

    def test_has_undefined_kappa_where_all_points_are_one(self, store: Store) -> None:
        judged(store, {FIRST: (5, 5)}, TEXTS)
        store.save_reviews([review("t1", (5, 5))])
        assert (only(store).criteria, only(store).kappa, only(store).low, only(store).high) == (2, None, None, None)

    def test_leaves_out_what_has_no_verdict_of_a_judge(self, store: Store) -> None:
        judged(store, {FIRST: None, SECOND: (1, 1)}, TEXTS)
        store.save_reviews([review("t1", (5, 4)), review("t3", (5, 5), THIRD)])
        found = only(store)
        assert (found.criteria, found.trials, found.kappa, found.stale) == (0, 0, None, 0)

    def test_leaves_out_criteria_that_the_judge_did_not_score(self, store: Store) -> None:
        judged(store, {FIRST: (5, 4)}, TEXTS)
        other = review("t1", (5, 4))
        store.save_reviews([Review(other.reviewer, "t1", "r0", FIRST, "rubric", (
            CriterionReview("lamp", 5, 2), CriterionReview("colour", 1)), None, other.reviewed_at)])  # fmt: skip
        assert (only(store).criteria, only(store).exact) == (1, 1)

    def test_leaves_out_reviews_of_another_check_and_of_other_runs(self, store: Store) -> None:
        judged(store, {FIRST: (5, 4)}, TEXTS)
        store.save_reviews([review("t1", (5, 4), check="claim"), review("t9", (1, 1), TrialRef("archivist", "q-9", 0))])
        assert review_agreements(store, "r1") == ()

    def test_of_nothing_is_nothing(self, store: Store) -> None:
        judged(store, {FIRST: (5, 4)}, TEXTS)
        assert review_agreements(store, "r1") == ()
        store.save_reviews([review("t1", (5, 4))])
        assert review_agreements(store, "r2") == ()


class TestATextInSeveralTrials:
    def test_is_reviewed_in_all_of_them_and_counts_once_for_the_interval(self, store: Store) -> None:
        again = TrialRef("archivist", "q-0001", 1)
        judged(store, {FIRST: (5, 4), again: (4, 4), SECOND: (1, 2)}, TEXTS | {again: "t1"})
        store.save_reviews([review("t1", (5, 3)), review("t2", (1, 2), SECOND)])
        found = only(store)
        wanted = weighted_kappa_interval([[(5, 5), (4, 3), (4, 5), (4, 3)], [(1, 1), (2, 2)]])
        assert (found.criteria, found.trials) == (6, 3)
        assert (found.kappa, found.low, found.high) == wanted


class TestAStaleReview:
    def test_is_counted_and_left_out(self, store: Store) -> None:
        judged(store, {FIRST: (5, 4), SECOND: (1, 1)}, TEXTS)
        store.save_reviews([review("t0", (0, 0)), review("t2", (1, 1), SECOND)])
        assert (only(store).criteria, only(store).exact, only(store).stale) == (2, 2, 1)

    def test_stands_even_if_it_is_all_that_there_is(self, store: Store) -> None:
        judged(store, {FIRST: (5, 4)}, TEXTS)
        store.save_reviews([review("t0", (0, 0)), review("t-1", (0, 0))])
        assert only(store) == ReviewAgreement("Ann", 0, 0, 0, 0, None, None, None, stale=1)

    def test_is_none_where_the_text_that_is_there_now_was_reviewed_too(self, store: Store) -> None:
        judged(store, {FIRST: (5, 4)}, TEXTS)
        store.save_reviews([review("t0", (0, 0)), review("t1", (5, 4), TrialRef("someone else", "q-0001", 3))])
        assert (only(store).exact, only(store).stale) == (2, 0)


class TestResultsWithReviews:
    @staticmethod
    def results(findings: TranscriptFindings | None) -> RunResults:
        told = ("r1", "s", "S", "s.yaml", "release", Decision.PASSED, "fine", Counts(1), Counts(1))
        return RunResults(Summary(*told, transcripts=findings), lambda: iter(()))

    def test_have_the_reviews_that_there_are_now(self, store: Store) -> None:
        judged(store, {FIRST: (5, 4)}, TEXTS)
        store.save_reviews([review("t1", (5, 4))])
        found = with_reviews(self.results(TranscriptFindings("post-audit")), store).summary
        assert found.transcripts == TranscriptFindings("post-audit", reviews=review_agreements(store, "r1"))
        assert found.decision is Decision.PASSED

    def test_of_a_run_without_transcripts_are_as_they_were(self, store: Store) -> None:
        results = self.results(None)
        assert with_reviews(results, store) is results
