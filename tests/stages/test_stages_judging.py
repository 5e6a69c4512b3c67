"""What is left when judges, or the checks that ask them, cannot be relied on."""

from __future__ import annotations

import pytest
from user_project import UserProject

JUDGE = """\
from proctor.judges.scripted import ScriptedJudge
from pydantic_ai.exceptions import ModelAuthenticationError, ModelQuotaExceededError


class Judge(ScriptedJudge):
    version = "1"


judge = Judge([{answers}])
"""
TURNS = """\
id: two
turns:
- user: hello
  expect: {judge: {rubric: Greets.}}
- user: bye
  expect: {judge: {rubric: Takes leave.}}
"""


MOODY = """\
from proctor.plan import Evidence, JudgeRequest

ASKED = []


class Moody:
    name = "moody"

    def evaluate(self, context):
        ASKED.append(context)
        if len(ASKED) > 1:
            raise ValueError("not again")
        return JudgeRequest("reply", "Greets.", (Evidence("Reply", context.reply),))
"""


class TestACheckOfTheUsers:
    def test_that_asks_no_more_is_unscored(self, project: UserProject) -> None:
        project.case("one")
        project.write("moody.py", MOODY)
        project.suite("judge: self-test\nchecks: ['moody:Moody']\n")
        assert project.run().code == 3
        [case] = project.results()["cases"]
        [check] = case["trials"][0]["checks"]
        assert (check["outcome"], check["reason"]) == ("unscored", "the check raised ValueError: not again")


class TestAVerdict:
    @pytest.mark.parametrize(
        "refused", ["ModelAuthenticationError(401, 'grades')", "ModelQuotaExceededError(429, 'grades')"]
    )
    def test_is_kept_when_the_next_one_of_its_trial_ends_the_run(self, project: UserProject, refused: str) -> None:
        project.write("evals/two.yaml", TURNS)
        project.suite("judge: {model: 'python:grades:judge'}\n")
        project.write("grades.py", JUDGE.format(answers=f"True, {refused}"))
        stopped = project.run()
        assert stopped.code == 3
        assert stopped.err.startswith("error: the judge python:grades:judge cannot be used: ")
        project.write("grades.py", JUDGE.format(answers="True"))  # a second question would be one too many
        assert project.run().code == 0
        [case] = project.results()["cases"]
        assert [check["verdict"]["cached"] is not None for check in case["trials"][0]["checks"]] == [True, False]

    def test_of_each_trial_is_a_vote_of_its_own_in_the_cache_too(self, project: UserProject) -> None:
        project.case("one", "  expect: {judge: {rubric: Greets.}}\nruns: 3\nthreshold: 0.5\n")
        project.suite("judge: {model: 'python:grades:judge'}\nconcurrency: 1\n")
        project.write("grades.py", JUDGE.format(answers="True, False, True"))
        assert project.run().code == 0
        assert votes(project) == ["passed", "failed", "passed"]
        project.write("grades.py", JUDGE.format(answers=""))  # any question would be one too many
        assert project.run().code == 0
        assert votes(project) == ["passed", "failed", "passed"]

    def test_is_asked_for_anew_under_refresh(self, project: UserProject) -> None:
        project.case("one", "  expect: {judge: {rubric: Greets.}}\n")
        project.suite("judge: {model: 'python:grades:judge'}\n")
        project.write("grades.py", JUDGE.format(answers="True"))
        assert project.run().code == 0
        project.write("grades.py", JUDGE.format(answers="False"))
        assert project.run().code == 0
        assert project.run("evals/shop.suite.yaml", "--refresh").code == 1


def votes(project: UserProject) -> list[str]:
    """How the trials of the one case ended in the newest report."""
    [case] = project.results()["cases"]
    return [trial["outcome"] for trial in case["trials"]]
