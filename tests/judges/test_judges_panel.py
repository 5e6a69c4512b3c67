"""A panel: what the votes of several judges come to."""

from __future__ import annotations

import asyncio
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, FunctionModel

from proctor.errors import JudgeSetupError
from proctor.judges import SELF_TEST, JudgePool
from proctor.judges.causes import Cause, unscored
from proctor.judges.panel import Vote, combine, panel_name, panel_score
from proctor.judges.scripted import ScriptedAnswer, ScriptedJudge
from proctor.plan import Evidence, JudgeRequest, JudgeSettings
from proctor.results import Verdict
from proctor.trajectory import Usage

FLAG = JudgeRequest("refusal", "r", (Evidence("Answer", "no"),))
SCALE = replace(FLAG, subject="grounding", passing_score=4)
ASKED = frozenset(("refused",))

scores = st.lists(st.integers(1, 5), min_size=1, max_size=9)
passings = st.integers(1, 5)


def flags(*passed: bool | None) -> list[Vote]:
    return [
        Vote(
            unscored(f"j{number}", Cause.MALFORMED, "no verdict") if vote is None else Verdict(vote, f"r{number}", "m"),
            ASKED,
        )
        for number, vote in enumerate(passed, start=1)
    ]


def scored(given: Sequence[int], passing: int = 4) -> Verdict:
    votes = [Vote(Verdict(score >= passing, f"says {score}", "m", score=float(score)), ASKED) for score in given]
    return combine("panel", votes, replace(SCALE, passing_score=passing))


class TestTheScoreOfAPanel:
    @pytest.mark.parametrize(
        ("given", "score"),
        [([4], 4), ([5, 1, 4], 4), ([4, 5], 4), ([3, 4], 4), ([2, 3], 2), ([1, 2], 2), ([1, 4], 2), ([1, 3, 4, 5], 4)],
    )
    def test_is_the_median_with_halves_to_the_even_number(self, given: list[int], score: int) -> None:
        assert panel_score(given) == score

    @given(scores)
    def test_is_a_median(self, given: list[int]) -> None:
        assert panel_score(given) == round(statistics.median(given))

    @given(scores, st.randoms())
    def test_does_not_depend_on_the_order(self, given: list[int], random: Any) -> None:
        turned = random.sample(given, len(given))
        assert panel_score(turned) == panel_score(given)


class TestScores:
    @given(scores, passings)
    def test_pass_by_the_median_unless_the_middle_lies_on_both_sides_of_the_line(
        self, given: list[int], passing: int
    ) -> None:
        verdict = scored(given, passing)
        above = sum(score >= passing for score in given)
        if 2 * above == len(given):
            assert (verdict.passed, verdict.score, verdict.cause) == (None, None, "tie")
        else:
            assert verdict.passed is (2 * above > len(given))
            assert verdict.score == panel_score(given)
            assert verdict.passed is (verdict.score >= passing)

    @given(scores, passings, st.data())
    def test_that_rise_never_turn_a_pass_into_a_fail(self, given: list[int], passing: int, data: st.DataObject) -> None:
        raised = [data.draw(st.integers(score, 5)) for score in given]
        ranks = {False: 0, None: 1, True: 2}
        assert ranks[scored(raised, passing).passed] >= ranks[scored(given, passing).passed]

    @pytest.mark.parametrize("given", [[3, 4], [2, 5], [3, 3, 5, 5]])
    def test_that_tie_across_the_pass_line_are_no_verdict(self, given: list[int]) -> None:
        verdict = scored(given)
        lower, upper = given[len(given) // 2 - 1], given[len(given) // 2]
        assert verdict.reasoning == (
            f"judge panel gave no verdict (tie, {len(given)} attempts): "
            f"a tie across the pass line: the middle scores are {lower} and {upper}, and 4 is enough"
        )

    def test_that_differ_on_one_side_of_the_line_are_no_tie(self) -> None:
        assert (scored([4, 5]).passed, scored([4, 5]).score) == (True, 4.0)
        assert (scored([2, 3]).passed, scored([2, 3]).score) == (False, 2.0)


class TestYesAndNo:
    @given(st.lists(st.booleans(), min_size=1, max_size=9))
    def test_go_by_the_majority_and_an_even_split_is_no_verdict(self, passed: list[bool]) -> None:
        verdict = combine("panel", flags(*passed), FLAG)
        difference = passed.count(True) - passed.count(False)
        assert verdict.passed is (None if difference == 0 else difference > 0)
        assert (verdict.cause == "tie") is (difference == 0)

    def test_that_split_evenly_say_so(self) -> None:
        verdict = combine("panel[a,b]", flags(True, False), FLAG)
        assert verdict.reasoning == (
            "judge panel[a,b] gave no verdict (tie, 2 attempts): a tie: 1 of 2 jurors would pass it"
        )


class TestTheVerdict:
    @given(st.lists(st.booleans(), min_size=1, max_size=9))
    def test_has_the_reasoning_of_the_first_juror_who_agrees(self, passed: list[bool]) -> None:
        verdict = combine("panel", flags(*passed), FLAG)
        if verdict.passed is not None:
            assert verdict.reasoning == f"r{passed.index(verdict.passed) + 1}"

    @given(st.lists(st.sampled_from([True, False, None]), min_size=2, max_size=9))
    def test_is_none_as_soon_as_one_juror_gives_none(self, passed: list[bool | None]) -> None:
        verdict = combine("panel", flags(*passed), FLAG)
        if None in passed:
            assert (verdict.passed, verdict.cause) == (None, "malformed")
        assert [vote.passed for vote in verdict.votes] == passed

    def test_that_is_none_names_the_juror(self) -> None:
        assert combine("panel[a,b,c]", flags(True, None, True), FLAG).reasoning == (
            "judge panel[a,b,c] gave no verdict (malformed, 2 attempts): 1 of 3 jurors gave none: "
            "judge j2 gave no verdict (malformed, it was not asked): no verdict"
        )

    @pytest.mark.parametrize("cause", [Cause.AUTH, Cause.QUOTA])
    def test_that_is_none_has_the_cause_that_stops_every_later_call(self, cause: Cause) -> None:
        votes = [*flags(None, True), Vote(unscored("locked", cause, "bad key"), frozenset())]
        verdict = combine("panel", votes, FLAG)
        assert verdict.cause == cause
        assert "judge locked gave no verdict" in verdict.reasoning

    def test_is_none_when_the_jurors_answered_different_questions(self) -> None:
        one, two = flags(True, True)
        verdict = combine("panel", [one, two._replace(answered=ASKED | {"score"})], FLAG)
        assert verdict.passed is None
        assert verdict.reasoning.endswith("the jurors answered different questions: refused and refused+score")

    def test_sums_what_the_jurors_cost(self) -> None:
        spent = Usage(10, 2, requests=1, cost_usd=Decimal("0.25"))
        votes = [vote._replace(verdict=replace(vote.verdict, usage=spent, attempts=2)) for vote in flags(*[True] * 3)]
        verdict = combine("panel", votes, FLAG)
        assert (verdict.usage, verdict.attempts) == (Usage(30, 6, requests=3, cost_usd=Decimal("0.75")), 6)

    @given(st.lists(st.tuples(st.sampled_from([True, False, None]), st.booleans()), min_size=2, max_size=9))
    def test_is_a_self_test_as_soon_as_one_juror_is_one(self, jurors: list[tuple[bool | None, bool]]) -> None:
        votes = [
            vote._replace(verdict=replace(vote.verdict, self_test=is_self_test))
            for vote, (_, is_self_test) in zip(flags(*(passed for passed, _ in jurors)), jurors, strict=True)
        ]
        assert combine("panel", votes, FLAG).self_test is any(is_self_test for _, is_self_test in jurors)

    def test_survives_the_store_with_its_votes(self) -> None:
        verdict = scored([1, 5, 4])
        assert Verdict.from_json(verdict.to_json()) == verdict


class Jurors:
    """A provider with a script for each juror."""

    def __init__(self, scripts: Mapping[str, Sequence[ScriptedAnswer]]) -> None:
        self.judges = {name: ScriptedJudge(script) for name, script in scripts.items()}

    def __call__(self, model_id: str) -> Model:
        return self.judges[model_id](model_id)


def settings(*panel: str, **changes: Any) -> JudgeSettings:
    return JudgeSettings(panel=panel, backoff_s=0.0, **changes)


class TestAPoolWithAPanel:
    def test_asks_every_juror_the_same_question(self) -> None:
        jurors = Jurors({"a": ['{"refused": false}'], "b": ['{"refused": true, "reason": "says no"}'] * 2})
        jurors.judges["c"] = jurors.judges["b"]
        pool = JudgePool(settings("a", "b", "c"), provider=jurors, root=Path.cwd())
        verdict = asyncio.run(pool.ask(FLAG))
        assert (verdict.passed, verdict.reasoning, verdict.model) == (True, "says no", "panel[a,b,c]")
        assert [(vote.model, vote.passed) for vote in verdict.votes] == [("a", False), ("b", True), ("c", True)]

    def test_asks_them_at_once(self) -> None:
        met = asyncio.Barrier(3)

        async def reply(_: list[ModelMessage], __: AgentInfo) -> ModelResponse:
            await met.wait()
            return ModelResponse(parts=[TextPart('{"refused": true}')])

        def provider(model_id: str) -> Model:
            return FunctionModel(reply, model_name=model_id)

        pool = JudgePool(settings("a", "b", "c", timeout_s=5), provider=provider, root=Path.cwd())
        assert asyncio.run(pool.ask(FLAG)).passed is True

    def test_asks_the_checks_own_model_alone(self) -> None:
        pool = JudgePool(settings("a", "b", model="c"), root=Path.cwd())
        assert (pool.jurors("d"), pool.model_id("d")) == (("d",), "d")
        assert (pool.jurors(None), pool.model_id("")) == (("a", "b"), "panel[a,b]")

    def test_of_one_is_that_judge(self) -> None:
        verdict = asyncio.run(JudgePool(settings(SELF_TEST), root=Path.cwd()).ask(FLAG))
        assert (verdict.model, verdict.votes) == (SELF_TEST, ())

    def test_may_have_a_juror_that_is_a_self_test_and_says_so(self) -> None:
        verdict = asyncio.run(JudgePool(settings(SELF_TEST, SELF_TEST, "nope:x"), root=Path.cwd()).ask(FLAG))
        assert (verdict.passed, verdict.cause, verdict.self_test) == (None, "setup", True)
        assert "1 of 3 jurors gave none: judge nope:x gave no verdict" in verdict.reasoning

    def test_grades_rubrics_too(self) -> None:
        jurors = Jurors({"a": [True], "b": [False], "c": [True]})
        pool = JudgePool(settings("a", "b", "c"), provider=jurors, root=Path.cwd())
        assert asyncio.run(pool.ask(replace(FLAG, subject="reply"))).passed is True

    def test_is_built_juror_by_juror(self) -> None:
        pool = JudgePool(settings("nope:x", SELF_TEST, "nope:y"), root=Path.cwd())
        with pytest.raises(JudgeSetupError, match="2 judges cannot be used") as failed:
            asyncio.run(pool.prepare(pool.jurors(None)))
        assert '"nope:x"' in failed.value.message
        assert '"nope:y"' in failed.value.message

    def test_has_a_name_that_lists_its_jurors(self) -> None:
        assert panel_name(["openai:a", "x:b"]) == "panel[openai:a,x:b]"
