"""The self-test judge on recorded transcripts: it counts words of criteria and claims."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proctor.judges import SELF_TEST, JudgePool
from proctor.judges.self_test import ask_self_test
from proctor.plan import CriterionSpec, Evidence, JudgeRequest, JudgeSettings
from proctor.results import CriterionScore, Verdict

words = st.lists(st.sampled_from(["boat", "lake", "pier", "rope", "sail"]), max_size=8).map(" ".join)


def request_for(answer: str, *criteria: str) -> JudgeRequest:
    rubric = tuple(CriterionSpec(f"c{number}", text, number) for number, text in enumerate(criteria, start=1))
    evidence = (Evidence("Question", "boat lake pier rope sail"), Evidence("Answer", answer))
    return JudgeRequest("rubric_scores", "r", evidence, passing_score=3.5, criteria=rubric)


def label(claim: str, *pages: str) -> Verdict:
    sources = (Evidence(f"Source page {number} of {len(pages)}", page) for number, page in enumerate(pages, start=1))
    evidence = (Evidence("Claim", claim), Evidence("Source pages", claim), *sources)
    return ask_self_test(JudgeRequest("claim_label", "r", evidence, expects="supported"))


class TestCriteria:
    @pytest.mark.parametrize(
        ("criterion", "answer", "score"),
        [
            ("Boat, LAKE!", "the lake has a boat", 5),
            ("boat lake", "boat", 2.5),
            ("boat lake pier", "boat", 1.7),
            ("boat", "boats", 0),
            ("names the boat and the lake", "boat", 1.7),
            ("Озеро глубокое", "это озеро", 2.5),
            ("boat", "", 0),
        ],
    )
    def test_get_the_share_of_their_words_that_the_answer_has(self, criterion: str, answer: str, score: float) -> None:
        verdict = ask_self_test(request_for(answer, criterion))
        assert (verdict.score, verdict.passed) == (score, score >= 3.5)

    def test_are_scored_each_by_itself(self) -> None:
        verdict = ask_self_test(request_for("boat lake", "boat lake", "pier lake"))
        assert verdict.criteria == (
            CriterionScore("c1", 5.0, "2 of 2 words of the criterion are in the answer"),
            CriterionScore("c2", 2.5, "1 of 2 words of the criterion are in the answer"),
        )
        assert verdict.score == pytest.approx((5 + 2 * 2.5) / 3)

    def test_without_a_word_leave_no_verdict(self) -> None:
        verdict = ask_self_test(request_for("boat", "boat", "is it so?"))
        assert verdict.reasoning == (
            "judge self-test gave no verdict (setup, it was not asked): criterion c2 has no word to look for"
        )

    @given(words, words, words.filter(bool))
    def test_never_lose_by_a_longer_answer(self, answer: str, more: str, criterion: str) -> None:
        short, long = (ask_self_test(request_for(text, criterion)).score for text in (answer, f"{answer} {more}"))
        assert short is not None
        assert long is not None
        assert 0 <= short <= long <= 5


class TestClaims:
    @pytest.mark.parametrize(
        ("claim", "pages", "given"),
        [
            ("boat lake pier rope sail", ("boat lake", "pier ROPE"), "supported"),
            ("boat lake pier rope sail", ("boat lake pier",), "over-generalized"),
            ("boat lake pier rope sail", ("boat lake",), "over-generalized"),
            ("boat lake pier rope sail", ("boat",), "unsupported"),
            ("boat", (), "unsupported"),
        ],
    )
    def test_are_labelled_by_the_share_of_their_words_that_the_sources_have(
        self, claim: str, pages: tuple[str, ...], given: str
    ) -> None:
        verdict = label(claim, *pages)
        assert (verdict.label, verdict.passed) == (given, given == "supported")

    def test_without_a_word_leave_no_verdict(self) -> None:
        assert label("It is so.", "boat").reasoning.endswith("the claim has no word to look for")


class TestEveryVerdict:
    @pytest.mark.parametrize("verdict", [ask_self_test(request_for("boat", "boat")), label("boat", "boat")])
    def test_says_that_no_model_was_asked(self, verdict: Verdict) -> None:
        assert (verdict.self_test, verdict.model) == (True, "self-test")
        assert verdict.reasoning.startswith("self-test judge, not a model: ")

    def test_says_so_behind_what_it_came_to(self) -> None:
        pool = JudgePool(JudgeSettings(model=SELF_TEST), root=Path.cwd())
        assert asyncio.run(pool.ask(request_for("boat", "boat lake"))).reasoning == (
            "partial, 2.5 of 5, and 3.5 passes (c1 2.5): self-test judge, not a model: "
            "each criterion has the share of its words that are in the answer"
        )
