"""Which judges a plan names, and what a panel does in a run."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from pydantic_ai.models import Model
from user_project import UserProject

import proctor
from proctor.config import load_project
from proctor.errors import JudgeSetupError, SpecError
from proctor.judges.scripted import ScriptedAnswer, ScriptedJudge
from proctor.overrides import Overrides
from proctor.plan import JudgeSettings
from proctor.results import Outcome
from proctor.stages.validate import compile_plan

OWN = (
    "[tool.proctor.judge]\nmodel = 'openai-chat:own'\nbase_url = 'http://own/v1'\napi_key_env = 'OWN_KEY'\n"
    "max_tokens = 300\ntemperature = 0.5\nretries = 4\n"
)


def judge(project: UserProject, suite: str = "", own: str = "", flag: str | None = None) -> JudgeSettings:
    project.write("pyproject.toml", own)
    project.case("one")
    path = project.suite(f"judge: {{{suite}}}\n" if suite else "")
    return compile_plan(path, load_project(project.root), Overrides(judge=flag)).plan.judge


class TestTheJudgesOfAPlan:
    def test_are_the_suites_panel_in_place_of_the_projects_model(self, project: UserProject) -> None:
        found = judge(project, "panel: ['a:b', 'c:d']", OWN)
        assert (found.model, found.panel) == (None, ("a:b", "c:d"))
        assert (found.max_tokens, found.temperature, found.retries) == (300, 0.5, 4)

    def test_are_the_suites_model_in_place_of_the_projects_panel(self, project: UserProject) -> None:
        found = judge(project, "model: 'a:b'", "[tool.proctor.judge]\npanel = ['c:d', 'e:f']\n")
        assert (found.model, found.panel) == ("a:b", ())

    def test_are_the_projects_where_the_suite_names_none(self, project: UserProject) -> None:
        found = judge(project, "max_tokens: 99, temperature: 0.0", OWN)
        assert (found.model, found.base_url, found.api_key_env) == ("openai-chat:own", "http://own/v1", "OWN_KEY")
        assert (found.max_tokens, found.temperature) == (99, 0.0)

    def test_are_asked_where_the_block_says_that_names_them(self, project: UserProject) -> None:
        found = judge(project, "model: 'openai-chat:hosted'", OWN)
        assert (found.model, found.base_url, found.api_key_env) == ("openai-chat:hosted", None, None)

    def test_give_way_to_a_flag(self, project: UserProject) -> None:
        found = judge(project, "panel: ['a:b', 'c:d']", "[tool.agent_eval]\njudge_model = 'p:foreign'\n", "self-test")
        assert (found.model, found.panel) == ("self-test", ())

    def test_are_a_panel_before_those_of_pytest_agent_eval(self, project: UserProject) -> None:
        found = judge(project, "panel: ['a:b', 'c:d']", "[tool.agent_eval]\njudge_model = 'p:foreign'\n")
        assert (found.model, found.panel) == (None, ("a:b", "c:d"))

    def test_are_refused_with_the_place_where_they_do_not_fit_together(self, project: UserProject) -> None:
        with pytest.raises(SpecError, match=r"shop\.suite\.yaml:3:\d+: error \[bad_value\] judge: name a 'model'"):
            judge(project, "model: 'a:b', panel: ['a:b', 'c:d']")


class Jurors:
    """A provider with a script for each juror."""

    def __init__(self, scripts: Mapping[str, ScriptedAnswer]) -> None:
        self._judges = {name: ScriptedJudge([script]) for name, script in scripts.items()}

    def __call__(self, model_id: str) -> Model:
        return self._judges[model_id](model_id)


class TestARunWithAPanel:
    SUITE = "judge: {panel: ['lab:a', 'lab:b', 'lab:c'], retries: 0}\n"

    def evaluated(self, project: UserProject, **answers: ScriptedAnswer) -> proctor.Evaluation:
        project.case("one", "  expect: {judge: {rubric: Greets.}}\n")
        jurors = Jurors({f"lab:{name}": answer for name, answer in answers.items()})
        return proctor.evaluate(project.suite(self.SUITE), judge=jurors)

    def test_passes_by_the_majority_and_keeps_the_votes(self, project: UserProject) -> None:
        evaluation = self.evaluated(project, a=False, b={"passed": True, "reasoning": "greets"}, c=True)
        assert evaluation.passed
        [case] = evaluation.results.cases()
        [check] = case.trials[0].checks
        assert (check.reason, check.verdict and check.verdict.model) == ("greets", "panel[lab:a,lab:b,lab:c]")
        assert check.verdict is not None
        assert [vote.passed for vote in check.verdict.votes] == [False, True, True]

    def test_is_unscored_when_one_juror_gives_no_verdict(self, project: UserProject) -> None:
        evaluation = self.evaluated(project, a=True, b="well", c=True)
        [case] = evaluation.results.cases()
        assert (case.score.outcome, evaluation.summary.exit_code) == (Outcome.UNSCORED, 3)
        assert "1 of 3 jurors gave none: judge lab:b gave no verdict" in case.trials[0].checks[0].reason

    def test_with_a_self_test_among_its_jurors_may_never_ship(self, project: UserProject) -> None:
        project.case("one", "  expect: {judge: {rubric: 'Says \"hello\".'}}\n")
        suite = project.suite("judge: {panel: [self-test, self-test, self-test]}\n")
        summary = proctor.evaluate(suite).summary
        assert (summary.decision, summary.self_test, summary.may_ship) == ("passed", True, False)

    def test_counts_a_call_for_each_juror_in_the_forecast(self, project: UserProject) -> None:
        project.case("one", "  expect: {judge: {rubric: Greets.}}\nruns: 2\n")
        project.suite(self.SUITE)
        forecast = project.proctor("plan", "evals/shop.suite.yaml", "--format", "json").json()
        assert forecast["judge_calls"] == {"lab:a": 2, "lab:b": 2, "lab:c": 2}

    def test_names_every_juror_that_cannot_be_built_before_the_agent_is_called(self, project: UserProject) -> None:
        project.case("one", "  expect: {judge: {rubric: Greets.}}\n")
        with pytest.raises(JudgeSetupError, match="2 judges cannot be used"):
            proctor.evaluate(project.suite("judge: {panel: ['nope:a', self-test, 'nope:b']}\n"))
        assert project.calls == []
