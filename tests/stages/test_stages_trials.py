"""One trial is played, scored and judged: what is caught, and what each end means."""

from __future__ import annotations

import asyncio
import importlib
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from user_project import UserProject

import proctor
import proctor.overrides
from proctor.agents import wrap_object
from proctor.checks.judged import ReplyJudged
from proctor.checks.reply import ReplyContains
from proctor.errors import AgentRefused, AgentSetupError, AgentUnavailable
from proctor.judges.scripted import ScriptedJudge
from proctor.plan import Case, CheckContext, Limits, Outline, Turn
from proctor.results import CheckResult, Outcome
from proctor.stages.progress import Progress, Stage, Step
from proctor.stages.trial import play
from proctor.stages.trial_checks import score_trial, trial_outcome
from proctor.store import Pending
from proctor.trajectory import Ending, Trajectory, TurnRecord

QUICK = Limits(turn_timeout_s=0.05, trial_timeout_s=5)


def played(agent: Callable[..., Any], *users: str, limits: Limits = QUICK) -> Trajectory:
    case = Case(Outline("c", "c", 1, 1.0), tuple(Turn(user) for user in users or ("hi",)))
    return asyncio.run(play(wrap_object(agent), case, limits))


class TestATrial:
    def test_is_played_turn_by_turn_with_what_was_said_before(self) -> None:
        heard: list[list[dict[str, str]]] = []

        async def agent(messages: list[dict[str, str]]) -> tuple[str, list[str]]:
            heard.append(messages)
            return f"reply {len(messages)}", ["tool"]

        trajectory = played(agent, "one", "two")
        assert trajectory.ending is Ending.COMPLETED
        assert heard[1] == [
            {"role": "user", "content": "one"},
            {"role": "assistant", "content": "reply 1"},
            {"role": "user", "content": "two"},
        ]
        assert [turn.reply for turn in trajectory.turns] == ["reply 1", "reply 3"]

    @pytest.mark.parametrize(
        ("error", "ending", "kind", "message"),
        [
            (ValueError("no"), "errored", "exception", "no"),
            (ConnectionError("lost"), "errored", "unavailable", "ConnectionError: lost"),
            (AgentUnavailable("down"), "errored", "unavailable", "down"),
            (AgentRefused("filtered"), "refused", "refused", "filtered"),
            (SystemExit(3), "errored", "exception", "SystemExit: 3"),
            (GeneratorExit(), "errored", "exception", "GeneratorExit"),
            (asyncio.CancelledError(), "errored", "exception", "CancelledError"),
            (KeyError("x" * 5_000), "errored", "exception", "xxx"),
        ],
        ids=lambda value: type(value).__name__,
    )
    def test_ends_with_what_its_agent_raised(self, error: BaseException, ending: str, kind: str, message: str) -> None:
        async def agent(messages: list[dict[str, str]]) -> tuple[str, list[str]]:
            if len(messages) > 1:
                raise error
            return "fine", []

        trajectory = played(agent, "one", "two")
        assert trajectory.ending == ending
        assert trajectory.failure is not None
        assert (trajectory.failure.kind, trajectory.failure.turn) == (kind, 1)
        assert message in trajectory.failure.message
        assert len(trajectory.failure.message) < 2_100
        assert [turn.reply for turn in trajectory.turns] == ["fine"]

    def test_ends_although_its_error_cannot_be_shown(self) -> None:
        class Dumb(Exception):
            def __str__(self) -> str:
                raise RuntimeError

        async def agent(messages: list[dict[str, str]]) -> tuple[str, list[str]]:
            raise Dumb

        failure = played(agent).failure
        assert failure is not None
        assert failure.message == "(the exception cannot be shown)"

    def test_ends_when_a_turn_takes_too_long(self) -> None:
        async def agent(messages: list[dict[str, str]]) -> tuple[str, list[str]]:
            await asyncio.sleep(60)
            return "", []

        failure = played(agent).failure
        assert failure is not None
        assert failure.kind == "timeout"
        assert failure.message == "turn 1 took longer than 0.05 s; raise timeouts in the suite"

    def test_ends_when_the_whole_of_it_takes_too_long(self) -> None:
        async def agent(messages: list[dict[str, str]]) -> tuple[str, list[str]]:
            await asyncio.sleep(0.03)
            return "", []

        failure = played(agent, *"abcdef", limits=Limits(turn_timeout_s=5, trial_timeout_s=0.1)).failure
        assert failure is not None
        assert failure.kind == "timeout"
        assert failure.message == "the trial took longer than 0.1 s; raise timeouts in the suite"

    def test_leaves_a_blocking_agent_behind(self) -> None:
        import threading

        stop = threading.Event()

        def agent(messages: list[dict[str, str]]) -> tuple[str, list[str]]:
            stop.wait(30)
            return "", []

        failure = played(agent).failure
        stop.set()
        assert failure is not None
        assert failure.kind == "timeout"

    @pytest.mark.parametrize("answer", ["text", ("reply", "tool"), ("reply",), None, 5, ("reply", [5])])
    def test_ends_with_an_answer_outside_the_contract(self, answer: Any) -> None:
        async def agent(messages: list[dict[str, str]]) -> Any:
            return answer

        failure = played(agent).failure
        assert failure is not None
        assert failure.kind == "malformed_reply"

    def test_stops_with_the_run(self) -> None:
        async def agent(messages: list[dict[str, str]]) -> tuple[str, list[str]]:
            await asyncio.sleep(60)
            return "", []

        async def stopped() -> None:
            case = Case(Outline("c", "c", 1, 1.0), (Turn("hi"),))
            task = asyncio.create_task(play(wrap_object(agent), case, Limits()))
            await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        asyncio.run(stopped())

    def test_raises_that_an_agent_cannot_be_built(self) -> None:
        def factory() -> object:
            return 5

        with pytest.raises(AgentSetupError, match="gave an object of type int, not an agent"):
            played(factory)

    def test_that_blocks_the_event_loop_past_its_limit_is_too_late(self) -> None:
        async def agent(messages: list[dict[str, str]]) -> tuple[str, list[str]]:
            time.sleep(0.06)  # noqa: ASYNC251 - the fault that is looked at
            return "fine", []

        failure = played(agent, "one", limits=QUICK).failure
        assert failure is not None
        assert failure.message == "turn 1 took longer than 0.05 s; raise timeouts in the suite"


class Raises:
    """A check that raises."""

    name = "raises"

    def evaluate(self, context: CheckContext) -> CheckResult:
        raise ValueError("no\x1b")


class Wrong:
    """A check that returns something else."""

    name = "wrong"

    def evaluate(self, context: CheckContext) -> Any:
        return True


def checked(*checks: Any, own: tuple[Any, ...] = (), ending: Ending = Ending.COMPLETED, **options: Any) -> Any:
    case = Case(Outline("c", "c", 1, 1.0), (Turn("hi", None, checks),))
    return score_trial(case, Trajectory(ending, (TurnRecord("hi", "ok"),)), own, **options)


class TestScoring:
    YES, NO, ASK = ReplyContains(("ok",), any=True), ReplyContains(("no",), any=True), ReplyJudged("r")

    def test_of_a_trial_that_did_not_complete_checks_nothing(self) -> None:
        assert checked(self.NO, ending=Ending.ERRORED) == (Outcome.ERRORED, [])
        assert checked(self.NO, ending=Ending.REFUSED) == (Outcome.REFUSED, [])

    def test_leaves_questions_for_the_judge(self) -> None:
        outcome, checks = checked(self.YES, self.ASK, self.NO)
        assert outcome is None
        assert [type(check) for check in checks] == [CheckResult, Pending, CheckResult]

    def test_asks_nothing_about_a_trial_that_has_failed_if_told_so(self) -> None:
        outcome, checks = checked(self.ASK, self.NO, ask_failed=False)
        assert outcome is Outcome.FAILED
        assert (checks[0].outcome, checks[0].reason) == (
            Outcome.SKIPPED,
            "not asked: a rule has failed this trial already",
        )
        assert checked(self.ASK, self.YES, ask_failed=False)[0] is None

    def test_of_a_check_that_raises_is_unscored_and_never_failed(self) -> None:
        outcome, [check] = checked(Raises())
        assert (outcome, check.outcome) == (Outcome.UNSCORED, Outcome.UNSCORED)
        assert check.reason == "the check raised ValueError: no<1B>"

    def test_of_a_check_that_returns_something_else_is_unscored(self) -> None:
        _, [check] = checked(Wrong())
        assert check.reason == 'the check returned "True", not a CheckResult or a JudgeRequest'

    def test_puts_own_checks_last_and_on_the_whole_trial(self) -> None:
        _, checks = checked(self.YES, own=(self.YES,))
        assert [check.turn for check in checks] == [0, None]

    @given(st.lists(st.sampled_from([Outcome.PASSED, Outcome.FAILED, Outcome.UNSCORED, Outcome.SKIPPED])))
    def test_fails_for_one_failed_check_and_passes_for_no_unscored_one(self, found: list[Outcome]) -> None:
        outcome = trial_outcome(Ending.COMPLETED, found)
        assert (outcome is Outcome.FAILED) == (Outcome.FAILED in found)
        assert (outcome is Outcome.PASSED) == (not {Outcome.FAILED, Outcome.UNSCORED} & set(found))


class TestJudging:
    def evaluated(self, project: UserProject, judge: ScriptedJudge, more: str = "", **options: Any) -> Any:
        project.case("one", "  expect: {judge: {rubric: Greets.}, reply_contains_any: [hello]}\n")
        project.suite(f"judge: {{model: 'x:y', retries: 0{more}}}\n")
        return proctor.evaluate(project.root / "evals/shop.suite.yaml", judge=judge, **options)

    def test_that_says_no_fails_the_case(self, project: UserProject) -> None:
        evaluation = self.evaluated(project, ScriptedJudge([{"passed": False, "reasoning": "rude"}]))
        assert not evaluation.passed
        [case] = evaluation.results.cases()
        assert [check.reason for check in case.trials[0].checks if check.name == "judge"] == ["rude"]

    def test_that_fails_leaves_the_case_unscored(self, project: UserProject) -> None:
        evaluation = self.evaluated(project, ScriptedJudge(["no verdict at all"]))
        assert evaluation.summary.exit_code == 3
        [case] = evaluation.results.cases()
        assert case.score.outcome is Outcome.UNSCORED
        [check] = [check for check in case.trials[0].checks if check.name == "judge"]
        assert check.outcome is Outcome.UNSCORED
        assert check.reason.startswith("no verdict (")

    def test_that_failed_is_asked_again_by_the_next_run(self, project: UserProject) -> None:
        class Same(ScriptedJudge):
            version = "same"

        assert self.evaluated(project, Same(["no verdict"])).summary.exit_code == 3
        judge = Same([True])
        assert self.evaluated(project, judge).passed
        assert len(judge.questions) == 1
        judge = Same([True])
        assert self.evaluated(project, judge).passed
        assert len(judge.questions) == 0

    def test_is_left_out_for_a_trial_that_a_rule_has_failed(self, project: UserProject) -> None:
        project.agent('return "bye", []')
        judge = ScriptedJudge([True])
        assert self.evaluated(project, judge, ", ask: undecided").summary.exit_code == 1
        assert len(judge.questions) == 0

    def test_asks_about_each_trial_by_itself(self, project: UserProject) -> None:
        judge = ScriptedJudge([True, True, {"passed": False, "reasoning": "rude"}])
        evaluation = self.evaluated(project, judge, overrides=proctor.overrides.Overrides(runs=3))
        assert evaluation.summary.trials.passed == 2
        assert len(judge.questions) == 3


class TestOwnChecks:
    CHECK = """
from dataclasses import dataclass

from proctor.plan import CheckContext, Evidence, JudgeRequest
from proctor.results import CheckResult, Outcome


@dataclass(frozen=True)
class Short:
    limit: int = 5
    name = "short"

    def evaluate(self, context: CheckContext) -> CheckResult:
        length = len(context.reply or "")
        outcome = Outcome.PASSED if length <= self.limit else Outcome.FAILED
        return CheckResult(self.name, outcome, f"{length} characters, at most {self.limit}")


class Asked:
    name = "asked"

    def evaluate(self, context):
        return JudgeRequest("reply", "Is fine.", (Evidence("Reply", context.reply or ""),))
"""

    def test_are_built_with_their_arguments_and_count_like_ours(self, project: UserProject) -> None:
        project.write("checks.py", self.CHECK)
        project.case("one")
        project.suite("checks: ['checks:Short', {use: 'checks:Short', with: {limit: 99}}]\n")
        assert project.run().code == 1
        [case] = project.results()["cases"]
        assert [(check["outcome"], check["reason"], check["turn"]) for check in case["trials"][0]["checks"]] == [
            ("failed", "14 characters, at most 5", None),
            ("passed", "14 characters, at most 99", None),
        ]

    def test_may_ask_a_judge(self, project: UserProject) -> None:
        project.write("checks.py", self.CHECK)
        project.case("one")
        project.suite("checks: ['checks:Asked']\njudge: 'x:y'\n")
        judge = ScriptedJudge([True])
        assert proctor.evaluate(project.root / "evals/shop.suite.yaml", judge=judge).passed
        assert len(judge.questions) == 1


class TestProgress:
    def test_tells_every_step(self) -> None:
        seen: list[Step] = []
        progress = Progress(seen.append)
        progress.expect(Stage.EXECUTE, 3)
        progress.advance(Stage.EXECUTE, 2)
        progress.advance(Stage.EXECUTE, note="errored")
        assert [(step.done, step.total, step.note) for step in seen] == [(0, 3, ""), (2, 3, ""), (3, 3, "1 errored")]


class TestTheApi:
    def test_takes_a_callable_and_gives_results_and_reports(self, project: UserProject) -> None:
        path = project.case("one", "  expect: {reply_contains_any: [hello]}\n")
        evaluation = proctor.evaluate(path, lambda messages: ("hello", []))
        assert evaluation.passed
        assert evaluation.summary.cases.passed == 1
        assert sorted(evaluation.reports) == ["html", "json", "junit", "markdown"]
        [case] = evaluation.results.cases()
        assert case.trials[0].trajectory.turns[0].reply == "hello"
        assert list(evaluation.results.cases()) == [case]

    def test_takes_an_import_string(self, project: UserProject) -> None:
        assert proctor.evaluate(str(project.case("one")), "shop:agent").passed
        assert project.calls == ["hello"]

    def test_leaves_no_answer_of_an_object_to_the_import_string_that_it_is_named_like(
        self, project: UserProject, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.syspath_prepend(project.root)
        path = project.case("one")
        assert proctor.evaluate(path, importlib.import_module("shop").agent).passed
        assert proctor.evaluate(path, "shop:agent").passed
        assert project.calls == ["hello", "hello"]

    def test_takes_the_name_of_a_declared_agent(self, project: UserProject) -> None:
        project.case("one")
        assert proctor.evaluate(project.suite(), "shop").passed
        with pytest.raises(proctor.errors.UsageError, match="no agent 'other' is declared"):
            proctor.evaluate(project.suite(), "other")

    def test_takes_a_judges_model_string(self, project: UserProject) -> None:
        path = project.case("one", "  expect: {judge: {rubric: Greets.}}\n")
        summary = proctor.evaluate(path, "shop:agent", judge="self-test").summary
        assert (summary.self_test, summary.purpose, summary.may_ship) == (True, "self-test", False)

    def test_has_not_passed_when_it_could_not_evaluate(self, project: UserProject) -> None:
        project.agent('raise ValueError("no")')
        evaluation = proctor.evaluate(project.case("one"), "shop:agent")
        assert (evaluation.passed, evaluation.summary.exit_code) == (False, 3)

    def test_plays_an_object_anew_unless_it_has_a_version(self, project: UserProject) -> None:
        class Agent:
            def __init__(self, version: str | None) -> None:
                self.version = version
                self.calls = 0

            async def __call__(self, messages: list[dict[str, str]]) -> tuple[str, list[str]]:
                self.calls += 1
                return "ok", []

        path = project.case("one")
        for version, calls in ((None, 1), (None, 1), ("1", 1), ("1", 0), ("2", 1)):
            agent = Agent(version)
            assert proctor.evaluate(path, agent).passed
            assert agent.calls == calls, version

    def test_runs_in_the_callers_loop(self, project: UserProject) -> None:
        path = project.case("one")
        loops = []

        async def agent(messages: list[dict[str, str]]) -> tuple[str, list[str]]:
            loops.append(asyncio.get_running_loop())
            return "ok", []

        async def caller() -> None:
            assert (await proctor.evaluate_async(path, agent)).passed
            assert loops == [asyncio.get_running_loop()]

        asyncio.run(caller())

    def test_raises_what_is_wrong_with_the_spec(self, project: UserProject) -> None:
        path = project.write("evals/one.yaml", "id: one\n")
        with pytest.raises(proctor.errors.SpecError) as found:
            proctor.evaluate(path, "shop:agent")
        assert [problem.code for problem in found.value.problems] == ["missing_field"]

    def test_raises_for_a_path_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(proctor.errors.UsageError, match="does not exist"):
            proctor.evaluate(tmp_path / "nowhere.yaml", "shop:agent")
