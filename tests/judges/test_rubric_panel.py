"""A panel that scores a rubric: each criterion by its median, and no verdict that no majority of the jurors gave."""

from __future__ import annotations

import asyncio
import math
import statistics
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic_ai.models import Model
from rubric_questions import REQUEST, RUBRIC, answer

from proctor.judges import JudgePool
from proctor.judges.causes import Cause, unscored
from proctor.judges.findings import rubric_finding
from proctor.judges.panel import Vote, combine
from proctor.judges.scripted import ScriptedJudge
from proctor.plan import CriterionSpec, JudgeRequest, JudgeSettings
from proctor.results import CriterionScore, Verdict

ASKED = frozenset(("scores",))
tenths = st.integers(0, 50).map(lambda tenth: tenth / 10)
jurors = st.lists(st.tuples(tenths, tenths, tenths), min_size=2, max_size=5)


def vote(juror: str, scores: Sequence[float], request: JudgeRequest = REQUEST) -> Vote:
    names = [criterion.id for criterion in request.criteria]
    criteria = [CriterionScore(*pair, f"{juror} on {pair[0]}") for pair in zip(names, scores, strict=True)]
    finding = rubric_finding(criteria, request)
    verdict = Verdict(finding.passed, f"says {juror}", juror, score=finding.score, criteria=finding.criteria)
    return Vote(verdict, ASKED)


def panel(*scores: Sequence[float], request: JudgeRequest = REQUEST) -> Verdict:
    return combine("panel", [vote(f"j{number}", each, request) for number, each in enumerate(scores, 1)], request)


class TestScores:
    def test_are_the_medians_of_the_criteria_with_the_rationale_of_the_juror_who_gave_it(self) -> None:
        verdict = panel((5, 4, 3), (4, 5, 5), (0, 0, 4))
        assert verdict.criteria == (
            CriterionScore("a", 4, "j2 on a"),
            CriterionScore("b", 4, "j1 on b"),
            CriterionScore("c", 4, "j3 on c"),
        )
        assert (verdict.passed, verdict.score, verdict.reasoning) == (True, 4.0, "says j1")

    def test_of_an_even_number_are_the_mean_of_the_middle_two(self) -> None:
        verdict = panel((5, 5, 5), (4, 4, 4))
        assert [score.score for score in verdict.criteria] == [4.5, 4.5, 4.5]
        assert (verdict.passed, verdict.score) == (True, 4.5)

    @given(jurors)
    def test_decide_where_a_majority_agrees_and_are_no_verdict_elsewhere(
        self, given: list[tuple[float, float, float]]
    ) -> None:
        verdict = panel(*given)
        medians = [statistics.median(scores) for scores in zip(*given, strict=True)]
        overall = (medians[0] + 2 * medians[1] + 2 * medians[2]) / 5
        passing = sum(bool(each.passed) for each in verdict.votes)
        if verdict.passed is None:
            assert (verdict.cause, verdict.score, verdict.criteria) == ("tie", None, ())
            assert min(passing, len(given) - passing) > 0, "jurors of one mind are never overruled, unless by medians"
        else:
            assert verdict.score is not None
            assert math.isclose(verdict.score, overall, abs_tol=1e-9)
            assert verdict.passed is (verdict.score >= 3.5)
            assert 2 * (passing if verdict.passed else len(given) - passing) > len(given)

    def test_split_evenly_are_no_verdict(self) -> None:
        assert panel((5, 5, 5), (3, 3, 3)).reasoning == (
            "judge panel gave no verdict (tie, 2 attempts): "
            "a tie: the median scores come to 4, which passes, and 1 of 2 jurors would pass it"
        )

    def test_never_pass_what_no_juror_passes(self) -> None:
        rubric = tuple(CriterionSpec(name, "t") for name in "abc")
        request = replace(REQUEST, criteria=rubric)
        verdict = panel((5, 5, 0), (5, 0, 5), (0, 5, 5), request=request)
        assert (verdict.passed, verdict.cause) == (None, "tie")
        assert verdict.reasoning.endswith("come to 5, which passes, and 0 of 3 jurors would pass it")

    def test_of_the_seed_era_are_medians_over_the_jurors_that_gave_one(self) -> None:
        request = replace(REQUEST, full_coverage=False)
        some = Verdict(True, "r", "j1", score=5.0, criteria=(CriterionScore("a", 5, "r"),))
        verdict = combine("panel", [Vote(some, ASKED), *(vote(f"j{n}", (3, 4, 4), request) for n in (2, 3))], request)
        assert [(score.id, score.score) for score in verdict.criteria] == [("a", 3), ("b", 4), ("c", 4)]
        assert (verdict.passed, verdict.score) == (True, 3.8)

    def test_that_are_missing_from_one_juror_leave_no_verdict(self) -> None:
        silent = Vote(unscored("j2", Cause.INCOMPLETE, "criterion b has no score", attempts=2), frozenset())
        verdict = combine("panel", [vote("j1", (5, 5, 5)), silent, vote("j3", (5, 5, 5))], REQUEST)
        assert (verdict.passed, verdict.cause) == (None, "incomplete")
        assert "1 of 3 jurors gave none: judge j2 gave no verdict (incomplete, 2 attempts)" in verdict.reasoning

    @given(jurors)
    def test_survive_json_with_the_votes(self, given: list[tuple[float, float, float]]) -> None:
        verdict = panel(*given)
        assert Verdict.from_json(verdict.to_json()) == verdict


class TestAPool:
    @pytest.mark.parametrize(
        ("third", "reasoning"),
        [
            (answer(a=0, b=0, c=0), "pass, 4 of 5, and 3.5 passes (a 4, b 4, c 4): all seen"),
            (answer(a=0, b=0), "1 of 3 jurors gave none: judge j3 gave no verdict (incomplete, 2 attempts)"),
        ],
    )
    def test_asks_each_juror_and_corrects_each_alone(self, third: dict[str, object], reasoning: str) -> None:
        scripts = {
            "j1": ScriptedJudge([answer(a=5, b=4, c=5)]),
            "j2": ScriptedJudge([answer(a=4, b=5, c=4)]),
            "j3": ScriptedJudge([third]),
        }

        def provider(model_id: str) -> Model:
            return scripts[model_id](model_id)

        pool = JudgePool(JudgeSettings(panel=("j1", "j2", "j3"), backoff_s=0.0), provider=provider, root=Path.cwd())
        verdict = asyncio.run(pool.ask(REQUEST))
        assert reasoning in verdict.reasoning
        assert [len(RUBRIC) == len(each.criteria) for each in verdict.votes] == [True, True, verdict.passed is True]
        assert [judge.questions[0].attempts for judge in scripts.values()] == [1, 1, 1 if verdict.passed else 2]
