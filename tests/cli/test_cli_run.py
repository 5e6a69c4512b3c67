"""``proctor run``: exit codes, selections and what is said about them."""

from __future__ import annotations

import pytest
from user_project import Ended, UserProject

from proctor.statistics.wilson import wilson


@pytest.fixture
def four(project: UserProject) -> UserProject:
    """Four cases: two that pass, one that fails, one whose agent fails."""
    project.agent('if said == "raise":\n        raise ValueError("no")\n    return said, []')
    project.case("good", "  expect: {reply_contains_any: [fine]}\ntags: [smoke, quick]\n", user="fine")
    project.case("well", "  expect: {reply_contains_any: [fine]}\ntags: [smoke]\n", user="fine")
    project.case("bad", "  expect: {reply_contains_any: [fine]}\ntags: [slow]\n", user="sorry")
    project.case("broken", "tags: [outage]\n", user="raise")
    project.suite()
    return project


def run(project: UserProject, *flags: str) -> Ended:
    return project.run("evals/shop.suite.yaml", *flags)


def seen(project: UserProject) -> list[str]:
    """The cases of the newest report."""
    return sorted(case["case"] for case in project.results()["cases"])


class TestTheExitCode:
    def test_is_0_when_every_case_passes(self, four: UserProject) -> None:
        ended = run(four, "--tag", "smoke")
        assert ended.code == 0
        assert "Passed: shop" in ended.out
        assert ended.err == ""

    def test_is_1_when_a_case_fails(self, four: UserProject) -> None:
        ended = run(four, "--tag", "smoke or slow")
        assert ended.code == 1
        assert "1 of 3 cases did not pass: bad" in ended.out

    def test_is_1_when_a_gate_is_not_met(self, four: UserProject) -> None:
        four.suite("gates: {all: {tags: [smoke, slow], threshold: 0.9}}\n")
        ended = run(four, "--tag", "smoke or slow")
        assert ended.code == 1
        assert "Gate all is not met: 2 of 3 cases passed, needs 3" in ended.out

    def test_is_0_when_the_failure_is_within_a_gate(self, four: UserProject) -> None:
        four.suite("gates: {all: {tags: [smoke, slow], threshold: 0.6}}\n")
        ended = run(four, "--tag", "smoke or slow")
        assert ended.code == 0
        assert "Gate all is met: 2 of 3 cases passed, needs 2" in ended.out

    def test_is_2_when_a_spec_is_invalid(self, four: UserProject) -> None:
        four.write("evals/more.yaml", "id: more\n")
        ended = run(four)
        assert ended.code == 2
        assert ended.err.splitlines() == [
            "evals/more.yaml:1:1: error [missing_field] turns: the field 'turns' is required",
            "1 error in 1 file",
        ]
        assert four.calls == []

    def test_is_3_when_a_trial_errored_although_another_failed(self, four: UserProject) -> None:
        ended = run(four)
        assert ended.code == 3
        assert "Could not evaluate: shop" in ended.out
        assert "1 errored of 4 trials; allowed: none" in ended.out
        assert "ValueError: no" in ended.out

    def test_is_3_when_nothing_is_selected(self, four: UserProject) -> None:
        ended = run(four, "--tag", "nobody")
        assert ended.code == 3
        assert "Nothing ran: no case was selected" in ended.out

    @pytest.mark.parametrize(("tag", "code"), [("smoke", 0), ("slow", 0), ("outage", 3), ("nobody", 3)])
    def test_is_0_instead_of_1_with_no_gate(self, four: UserProject, tag: str, code: int) -> None:
        ended = run(four, "--tag", tag, "--no-gate")
        assert ended.code == code
        assert ("Failed: shop" in ended.out) == (tag == "slow")

    def test_stands_in_the_json_output_and_the_store(self, four: UserProject) -> None:
        for tag, code in (("smoke", 0), ("slow", 1), ("outage", 3)):
            ended = run(four, "--tag", tag, "--format", "json")
            assert ended.json()["exit_code"] == ended.code == code
            [newest, *_] = four.proctor("runs", "--format", "json").json()
            assert newest["exit_code"] == code


class TestASelection:
    @pytest.mark.parametrize(
        ("flags", "cases"),
        [
            (["--select", "good"], ["good"]),
            (["--select", "go"], ["good"]),
            (["--select", "g*", "--select", "evals/bad.yaml"], ["bad", "good"]),
            (["--select", "evals/*.yaml::b?d"], ["bad"]),
            (["--select", "*d", "--tag", "smoke"], ["good"]),
            (["--tag", "smoke and not quick"], ["well"]),
            (["--tag", "not (smoke or outage)"], ["bad"]),
        ],
    )
    def test_runs_these_cases_only(self, four: UserProject, flags: list[str], cases: list[str]) -> None:
        run(four, *flags)
        assert seen(four) == cases

    def test_is_said_and_cannot_ship(self, four: UserProject) -> None:
        ended = run(four, "--select", "good")
        assert "--select good" in ended.out
        assert "May ship." not in ended.out
        summary = four.results()["summary"]
        assert summary["partial"] == "--select good"
        assert summary["may_ship"] is False

    def test_leaves_out_and_names_gates_without_a_selected_case(self, four: UserProject) -> None:
        four.suite("gates: {quick: {tags: [smoke]}, late: {tags: [slow]}}\n")
        ended = run(four, "--tag", "smoke")
        assert ended.code == 0
        assert "Gate quick is met: 2 of 2 cases passed, needs 2" in ended.out
        summary = four.results()["summary"]
        assert summary["partial"] == "--tag 'smoke'; without gates that have no selected case: late"
        assert [gate["name"] for gate in summary["gates"]] == ["quick"]

    def test_does_not_hide_a_gate_that_matches_nothing_at_all(self, four: UserProject) -> None:
        four.suite("gates: {misspelt: {tags: [smok]}}\n")
        ended = run(four, "--tag", "smoke")
        assert ended.code == 1
        assert "Gate misspelt is not met" in ended.out

    def test_is_never_a_baseline(self, four: UserProject) -> None:
        run(four, "--tag", "smoke")
        ended = four.proctor("accept", "latest")
        assert ended.code == 2
        assert "ran a part of the spec only (--tag 'smoke'), so it cannot be a baseline" in ended.err
        assert "hint: run the whole spec, then accept that run" in ended.err

    def test_of_trials_counts_for_every_case(self, four: UserProject) -> None:
        run(four, "--select", "good", "--runs", "4")
        assert four.results()["summary"]["trials"]["passed"] == 4


class TestFailed:
    def test_runs_what_did_not_pass_the_last_time(self, four: UserProject) -> None:
        run(four)
        run(four, "--failed")
        assert seen(four) == ["bad", "broken"]

    def test_looks_at_the_newest_result_of_each_case(self, four: UserProject) -> None:
        run(four)
        four.case("bad", "  expect: {reply_contains_any: [fine]}\ntags: [slow]\n", user="fine")
        assert run(four, "--select", "bad").code == 0
        run(four, "--failed")
        assert seen(four) == ["broken"]

    def test_with_nothing_to_do_could_not_evaluate(self, four: UserProject) -> None:
        run(four, "--tag", "smoke")
        ended = run(four, "--failed")
        assert ended.code == 3
        assert "Nothing ran: no case was selected" in ended.out


class TestABaseline:
    def test_shows_what_has_changed(self, four: UserProject) -> None:
        (four.root / "evals/broken.yaml").unlink()
        assert run(four).code == 1
        accepted = four.proctor("accept", "latest")
        assert accepted.code == 0
        assert accepted.out.endswith(" as the baseline of shop\n")
        four.case("good", "  expect: {reply_contains_any: [fine]}\n", user="sorry")
        four.case("bad", "  expect: {reply_contains_any: [fine]}\n", user="fine")
        (four.root / "evals/well.yaml").unlink()
        four.case("new")
        run(four)
        changes = four.results()["summary"]["changes"]
        assert changes["newly_failing"] == ["shop/good"]
        assert changes["newly_passing"] == ["shop/bad"]
        assert changes["added"] == ["shop/new"]
        assert changes["gone"] == ["shop/well"]

    def test_needs_a_verdict(self, four: UserProject) -> None:
        run(four)
        ended = four.proctor("accept", "latest")
        assert ended.code == 2
        assert "reached no verdict, so it cannot be a baseline" in ended.err

    def test_does_not_miss_what_a_selection_left_out(self, four: UserProject) -> None:
        (four.root / "evals/broken.yaml").unlink()
        run(four)
        four.proctor("accept")
        run(four, "--tag", "smoke")
        assert four.results()["summary"]["changes"]["gone"] == []


class TestSeveralAgents:
    @pytest.fixture
    def both(self, four: UserProject) -> UserProject:
        four.write(
            "evals/shop.suite.yaml",
            "specs: [good.yaml, bad.yaml]\nagents: {old: 'shop:agent', new: 'kind:agent'}\n"
            "gates: {all: {tags: [smoke, slow]}}\n",
        )
        four.write("kind.py", "async def agent(messages):\n    return 'fine', []\n")
        return four

    def test_stand_side_by_side_and_each_has_to_meet_the_gates(self, both: UserProject) -> None:
        ended = run(both)
        assert ended.code == 1
        gates = {gate["agent"]: gate["status"] for gate in both.results()["summary"]["gates"]}
        assert gates == {"old": "not met", "new": "met"}
        assert [case["case"] for case in both.results()["cases"] if case["agent"] == "new"] == ["bad", "good"]

    def test_are_chosen_by_name(self, both: UserProject) -> None:
        assert run(both, "--agent", "new").code == 0
        assert both.results()["summary"]["agents"] == ["new"]


class TestAWarning:
    def test_is_shown_and_stops_nothing(self, project: UserProject) -> None:
        project.case("one", "threshold: 0.67\nruns: 3\n")
        project.suite()
        ended = run(project)
        assert ended.code == 0
        assert "warning [threshold_means_all]" in ended.err
        assert project.results()["summary"]["warnings"] == [
            (
                "evals/one.yaml:4:12: warning [threshold_means_all] threshold: 0.67 of 3 runs means 3 of 3: "
                "every run must "
                "pass (for 2 of 3 write 0.66)"
            )
        ]


class TestTheSelfTestJudge:
    def test_makes_a_run_a_self_test_that_cannot_ship(self, project: UserProject) -> None:
        project.case("one", "  expect: {judge: {rubric: 'Says \"hello\".'}}\n")
        project.suite("judge: self-test\n")
        ended = run(project)
        assert ended.code == 0
        assert "May ship." not in ended.out
        summary = project.results()["summary"]
        assert (summary["self_test"], summary["purpose"], summary["may_ship"]) == (True, "self-test", False)


class TestTheProjectsOwnFolders:
    def test_are_run_without_a_path(self, project: UserProject) -> None:
        project.write(
            "pyproject.toml",
            "[tool.proctor]\nengine = 'inline'\nagent = 'shop:agent'\n"
            "[tool.agent_eval]\nyaml_dirs = ['cases']\nruns = 2\n"
            "[tool.agent_eval.groups.core]\ntags = ['core']\nthreshold = 0.5\n",
        )
        project.write("cases/deep/one.yaml", "id: one\ntags: [core]\nturns: [{user: hi}]\n")
        ended = project.proctor("run")
        assert ended.code == 0, ended.err
        assert "Gate core is met: 1 of 1 case passed, needs 1" in ended.out
        assert project.calls == ["hi", "hi"]


class TestASlice:
    def test_has_the_interval_of_the_cases_with_a_result(self, four: UserProject) -> None:
        run(four)
        slices = {each["name"]: (each["low"], each["high"]) for each in four.results()["summary"]["slices"]}
        assert slices["all cases"] == pytest.approx(wilson(2, 3))  # the errored case is in no denominator
        assert slices["outage"] == (0, 1)


class TestTheJudgeFlag:
    def test_takes_the_place_of_the_suites_judge(self, project: UserProject) -> None:
        project.case("one", "  expect: {judge: {rubric: Greets.}}\n")
        project.suite("judge: 'no-such-provider:model'\n")
        run(project, "--judge", "self-test")
        assert project.results()["summary"]["self_test"] is True

    def test_takes_no_python_object(self, project: UserProject) -> None:
        project.case("one")
        project.suite()
        ended = run(project, "--judge", "python:shop:judge")
        assert (ended.code, project.calls) == (2, [])
        assert ended.err.startswith("error: --judge takes a model string\n")


class TestTheReports:
    def test_are_those_that_the_suite_asks_for(self, project: UserProject) -> None:
        project.case("one")
        project.suite("report: {formats: [json, junit]}\n")
        assert run(project).code == 0
        assert sorted(path.name for path in project.report("json").parent.iterdir()) == ["junit.xml", "report.json"]
