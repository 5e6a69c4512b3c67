"""Reviews in the store: kept whole and in order, found by every run that has their text."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from store_samples import any_text

from proctor.brainbench.judging.rubric import RubricVerdict
from proctor.results import TrialRef
from proctor.store import CriterionReview, Review, Store

EARLY, LATE = "2031-01-01T00:00:00.000Z", "2031-02-01T00:00:00.000Z"

criteria = st.builds(CriterionReview, any_text, st.floats(0, 5), st.integers(1, 2), any_text)
reviews = st.builds(
    Review,
    any_text,
    any_text,
    any_text,
    st.builds(TrialRef, any_text, any_text, st.integers(0, 99)),
    any_text,
    st.lists(criteria, max_size=4).map(tuple),
    st.none() | st.sampled_from([RubricVerdict.PASS, RubricVerdict.PARTIAL, RubricVerdict.FAIL]),
    st.just(EARLY),
)


def review(content: str = "c1", at: str = EARLY, points: float = 4, **more: object) -> Review:
    members = {
        "reviewer": "Ann",
        "run_id": "r1",
        "ref": TrialRef("bot", "q-0001", 0),
        "check": "rubric",
        "criteria": (CriterionReview("date", points), CriterionReview("names", 2, 2, "two are missing")),
        "verdict": None,
    } | more
    return Review(content=content, reviewed_at=at, **members)  # type: ignore[arg-type]


class TestReviews:
    def test_come_back_with_every_field(self, any_store: Store) -> None:
        given = [review(), review("c2", verdict=RubricVerdict.FAIL)]
        any_store.save_reviews(given)
        assert any_store.reviews() == given
        assert type(any_store.reviews()[1].verdict) is RubricVerdict

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
    @given(st.lists(reviews, max_size=4))
    def test_come_back_whatever_is_in_them(self, store: Store, given: list[Review]) -> None:
        before = store.reviews()
        store.save_reviews(given)
        assert store.reviews() == [*before, *given]

    def test_have_any_text_on_postgresql_too(self, any_store: Store) -> None:
        odd = "\x00\x10\ud83d é %_'\"\\ \x1b[31m"
        given = review(odd, reviewer=odd, ref=TrialRef(odd, odd, 3), criteria=(CriterionReview(odd, 0.5, 1, odd),))
        any_store.save_reviews([given])
        assert any_store.reviews() == [given]

    def test_are_all_kept_the_oldest_first(self, any_store: Store) -> None:
        any_store.save_reviews([review(at=LATE, points=1)])
        any_store.save_reviews([review(points=2), review(points=3)])
        assert [found.criteria[0].points for found in any_store.reviews()] == [2, 3, 1]

    def test_may_be_none(self, any_store: Store) -> None:
        any_store.save_reviews([])
        assert any_store.reviews() == []


class TestAReview:
    @pytest.mark.parametrize(
        ("points", "verdict"),
        [((3.5, 3.5), "pass"), ((5, 2.7), "partial"), ((5, 2.75), "pass"), ((3.5, 2), "partial"), ((3.4, 2), "fail")],
    )
    def test_concludes_what_its_weighted_points_mean(self, points: tuple[float, float], verdict: str) -> None:
        given = (CriterionReview("date", points[0]), CriterionReview("names", points[1], 2))
        assert review(criteria=given).conclusion == verdict

    def test_concludes_what_the_reviewer_said(self) -> None:
        assert review(verdict=RubricVerdict.FAIL, points=5).conclusion is RubricVerdict.FAIL

    def test_says_the_same_as_another_one_whenever_that_was_given(self) -> None:
        assert review().says_the_same(review(at=LATE, run_id="r2"))
        assert not review().says_the_same(review(points=3))
        assert not review().says_the_same(review(verdict=RubricVerdict.FAIL))


class TestTheTextsOfARun:
    def test_come_back_by_trial(self, any_store: Store) -> None:
        texts = {TrialRef("bot", "q-0001", 1): "c2", TrialRef("bot", "\x00\ud800", 0): "c1"}
        any_store.save_graded_texts("r1", texts)
        any_store.save_graded_texts("r2", {TrialRef("bot", "q-0001", 1): "c3"})
        assert any_store.graded_texts("r1") == texts
        assert any_store.graded_texts("r3") == {}

    def test_replace_those_of_an_earlier_end(self, any_store: Store) -> None:
        any_store.save_graded_texts("r1", {TrialRef("bot", "q-0001", 0): "c1", TrialRef("bot", "q-0001", 1): "c2"})
        any_store.save_graded_texts("r1", {TrialRef("bot", "q-0001", 0): "c3"})
        assert any_store.graded_texts("r1") == {TrialRef("bot", "q-0001", 0): "c3"}
