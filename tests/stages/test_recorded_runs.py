"""Recorded rows through the six stages: purposes, configuration, checks of the user's, judges, and odd files."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from recorded_rows import answered, grades, grounded, leaking, lines, scores, timed
from user_project import Ended, UserProject

import proctor
from proctor.config import load_project
from proctor.judges.scripted import ScriptedJudge

GRADES = "judge: {model: 'python:grades:judge'}\nconcurrency: 1\n"
CHECKS = """\
from proctor.plan import Evidence, JudgeRequest
from proctor.results import CheckResult, Outcome


class Short:
    name = "short"

    def __init__(self, limit=20):
        self.limit = limit

    def evaluate(self, context):
        outcome = Outcome.PASSED if len(context.reply) <= self.limit else Outcome.FAILED
        return CheckResult(self.name, outcome, f"{len(context.reply)} characters")


class Polite:
    name = "polite"

    def evaluate(self, context):
        return JudgeRequest("reply", "Is polite.", (Evidence("Reply", context.reply),))
"""


def write(project: UserProject, *rows: dict[str, Any], name: str = "rows") -> None:
    project.write(f"evals/{name}.jsonl", lines(rows))


def suite(project: UserProject, more: str = "", specs: str = "rows.jsonl") -> None:
    project.write("evals/shop.suite.yaml", f"specs: [{specs}]\n{more}")


def run(project: UserProject, *flags: str) -> Ended:
    return project.run("evals/shop.suite.yaml", *flags)


def summary(project: UserProject, slug: str = "shop") -> dict[str, Any]:
    found: dict[str, Any] = project.results(slug)["summary"]
    return found


def trials(project: UserProject, slug: str = "shop") -> dict[str, list[tuple[str, str, str]]]:
    """The checks of every row that is a trial, by the row's id."""
    return {
        case["case"]: [(check["name"], check["outcome"], check["reason"]) for check in case["trials"][0]["checks"]]
        for case in project.results(slug)["cases"]
    }


class TestPurposes:
    UNLABELED = {"id": "u", "dimension": "task_completion", "agent_output": "blue"}  # noqa: RUF012

    def test_a_release_refuses_rows_that_cannot_be_scored(self, project: UserProject) -> None:
        write(project, answered("a"), self.UNLABELED)
        suite(project)
        ended = run(project)
        assert ended.code == 2
        assert ended.err == (
            "evals/rows.jsonl:2:1: error [missing_answer_key] the row has nothing to verify the answer against\n"
            "1 error in 1 file\n"
        )

    def test_a_triage_leaves_them_without_a_result(self, project: UserProject) -> None:
        write(project, answered("a"), self.UNLABELED)
        suite(project, "purpose: triage\n")
        ended = run(project)
        assert ended.code == 3
        assert "evals/rows.jsonl:2:1: warning [missing_answer_key]" in ended.err
        assert trials(project) == {"u": [("task_completion", "unscored", "the row has nothing to verify it against")]}
        assert summary(project)["reason"] == "1 unscored of 2 trials; allowed: none"

    def test_a_triage_may_allow_a_share_of_them(self, project: UserProject) -> None:
        write(project, *(answered(f"r{number}") for number in range(9)), self.UNLABELED)
        suite(project, "purpose: triage\nallow: {unscored: 0.1}\n")
        assert run(project).code == 0
        assert summary(project)["reason"] == (
            "gate task_completion is met: 9 of 10 rows passed, needs 9; 1 unscored; "
            "1 unscored of 10 trials, which is allowed"
        )

    def test_may_be_named_by_the_configuration_of_the_data_set(self, project: UserProject) -> None:
        write(project, answered("a"), self.UNLABELED)
        project.write("evals/.assevra.yml", "gate: {purpose: scan}\n")
        assert project.run("evals/rows.jsonl").code == 3
        assert summary(project, "rows")["purpose"] == "triage"
        project.write("evals/.assevra.yml", "gate: {purpose: scan}\nvalidate: {strict: true}\n")
        assert project.run("evals/rows.jsonl").code == 2

    def test_a_suite_stands_above_the_configuration(self, project: UserProject) -> None:
        write(project, answered("a"))
        project.write("evals/.assevra.yml", "gate: {purpose: scan}\n")
        suite(project)
        assert run(project).code == 0
        assert summary(project)["purpose"] == "release"


class TestTheConfiguration:
    def test_none_reads_no_file(self, project: UserProject) -> None:
        write(project, answered("a", passes=False), answered("b"))
        project.write("evals/.assevra.yml", "thresholds: {task_completion: 0.5}\n")
        suite(project)
        assert run(project).code == 0
        suite(project, "dataset: {config: none}\n")
        assert run(project).code == 1

    def test_may_be_named(self, project: UserProject) -> None:
        write(project, answered("a", passes=False), answered("b"))
        project.write("settings/low.yml", "thresholds: {task_completion: 0.5}\n")
        suite(project, "dataset: {config: ../settings/low.yml}\n")
        assert run(project).code == 0
        suite(project, "dataset: {config: ../settings/gone.yml}\n")
        ended = run(project)
        assert ended.code == 2
        assert "settings/gone.yml: error [unreadable] cannot be read: No such file or directory" in ended.err

    def test_of_two_data_sets_must_be_one(self, project: UserProject) -> None:
        for name in ("one", "two"):
            project.write(f"evals/{name}/rows.jsonl", lines([answered(name)]))
            project.write(f"evals/{name}/.assevra.yml", "version: 1\n")
        suite(project, specs="one, two")
        ended = run(project)
        assert ended.code == 2
        assert ended.err == (
            "error: the data sets of this spec have different configuration files: "
            "evals/one/.assevra.yml, evals/two/.assevra.yml\n"
            "  hint: name one of them in the suite: dataset: {config: PATH}, or write none there\n"
        )
        suite(project, "dataset: {config: one/.assevra.yml}\n", "one, two")
        assert run(project).code == 0

    def test_of_unknown_dimensions_is_told_with_its_place(self, project: UserProject) -> None:
        write(project, answered("a"))
        suite(project, "dataset: {dimensions: {task_complete: 0.5}}\n")
        ended = run(project)
        assert ended.code == 2
        assert ended.err.startswith(
            "evals/shop.suite.yaml:2:24: error [unknown_dimension] dataset: there is no dimension 'task_complete'; "
        )


class TestFiles:
    def test_with_one_id_in_two_of_them_are_refused(self, project: UserProject) -> None:
        write(project, answered("first"), answered("dup"))
        write(project, answered("dup"), name="more")
        suite(project, specs="rows.jsonl, more.jsonl")
        ended = run(project)
        assert ended.code == 2
        assert ended.err.startswith(
            'evals/more.jsonl:1:8: error [duplicate_id] id: the id "dup" is used already in evals/rows.jsonl:2'
        )

    def test_of_a_folder_are_transcripts_and_data_sets(self, project: UserProject) -> None:
        project.case("talk")
        write(project, answered("a"), timed("t"))
        project.write("evals/notes.jsonl", '{"note": "no row"}\n')
        assert project.run("evals", "--agent", "shop:agent").code == 0
        found = summary(project, "evals")
        assert (found["trials"]["passed"], found["agents"]) == (3, ["agent"])
        assert [dimension["name"] for dimension in found["dimensions"]] == ["task_completion", "latency"]
        assert list(found["provenance"]["datasets"]) == ["evals/rows.jsonl"]

    def test_that_are_no_data_set_are_refused_where_they_are_named(self, project: UserProject) -> None:
        project.write("evals/notes.jsonl", '{"note": "no row"}\n')
        ended = project.run("evals/notes.jsonl")
        assert ended.code == 2
        assert "evals/notes.jsonl:1:1: error [missing_id]" in ended.err

    def test_need_no_agent(self, project: UserProject) -> None:
        write(project, answered("a"))
        assert project.run("evals/rows.jsonl").code == 0
        assert project.calls == []

    def test_cannot_be_run_several_times(self, project: UserProject) -> None:
        write(project, answered("a"))
        suite(project)
        ended = run(project, "--runs", "3")
        assert ended.code == 2
        assert ended.err == (
            "error: this spec has recorded rows only: they cannot be run again\n"
            "  hint: proctor capture records an agent's answers to the inputs of rows, any number of times\n"
        )

    def test_without_a_row_have_no_verdict(self, project: UserProject) -> None:
        project.write("evals/rows.jsonl", "\n   \n")
        suite(project)
        assert run(project).code == 3
        assert summary(project)["reason"] == "nothing ran: no case was selected"

    @pytest.mark.parametrize("place", ["evals/pipe.jsonl", "evals"])
    def test_that_are_pipes_are_not_waited_for(self, project: UserProject, place: str) -> None:
        write(project, answered("a"))
        os.mkfifo(project.root / "evals" / "pipe.jsonl")
        ended = project.run(place)
        if place == "evals":
            assert ended.code == 0, "what is no file is no data set that a folder could hold"
        else:
            assert ended.code == 2
            assert "evals/pipe.jsonl is not a spec file" in ended.err


class TestChecksOfTheUsers:
    @pytest.fixture
    def checked(self, project: UserProject) -> UserProject:
        project.write("own.py", CHECKS)
        return project

    def test_run_on_every_row(self, checked: UserProject) -> None:
        write(checked, answered("a"), answered("b", agent_output="blue " * 9), answered("c", passes=False))
        suite(checked, "checks: ['own:Short']\ndataset: {dimensions: {task_completion: 0.5}}\n")
        assert run(checked).code == 1
        complete = ("task_completion", "passed", "the answer contains everything that it must")
        assert trials(checked) == {
            "a": [complete, ("short", "passed", "4 characters")],
            "b": [complete, ("short", "failed", "45 characters")],
            "c": [
                ("task_completion", "failed", 'the answer does not contain "blue"'),
                ("short", "passed", "3 characters"),
            ],
        }
        assert summary(checked)["reason"] == "gate task_completion is not met: 1 of 3 rows passed, needs 2"

    def test_may_ask_a_judge(self, checked: UserProject) -> None:
        write(checked, answered("a"), answered("b"))
        suite(checked, GRADES + "checks: ['own:Polite']\n")
        checked.write("grades.py", grades(True, False))
        assert run(checked).code == 1
        assert [checks[1] for _, checks in sorted(trials(checked).items())] == [
            ("polite", "passed", "scripted"),
            ("polite", "failed", "scripted"),
        ]

    def test_that_fail_a_row_spare_the_judge_where_the_suite_says_so(self, checked: UserProject) -> None:
        write(checked, grounded("a"), grounded("b", agent_output="Deep."))
        more = "checks: ['own:Short']\ndataset: {dimensions: {grounding: 0.5}}\n"
        suite(checked, GRADES.replace("judge'}", "judge', ask: undecided}") + more)
        checked.write("grades.py", grades(*scores(5)))
        assert run(checked).code == 0
        skipped = ("grounding", "skipped", "not asked: a rule has failed this trial already")
        assert trials(checked)["a"] == [skipped, ("short", "failed", "28 characters")]
        assert trials(checked)["b"][0][:2] == ("grounding", "passed")
        suite(checked, GRADES + more)
        checked.write("grades.py", grades(*scores(4)))
        run(checked)
        assert trials(checked)["a"][0][:2] == ("grounding", "passed")

    def test_have_no_part_in_what_a_judge_is_worth(self, checked: UserProject) -> None:
        rows = [grounded(f"g{number}", human_label=number < 2) for number in range(4)]
        write(checked, *rows)
        suite(checked, GRADES + "checks: ['own:Short']\n")
        checked.write("grades.py", grades(*scores(5, 5, 1, 1)))
        assert run(checked).code == 1
        [found] = summary(checked)["calibration"]
        assert (found["rows"], found["kappa"], found["trusted"]) == (4, 1.0, True)


class TestJudges:
    def test_decide_rows_one_by_one(self, project: UserProject) -> None:
        write(project, grounded("a"), answered("rule"), grounded("b"))
        suite(project, GRADES)
        project.write("grades.py", grades(*scores(4, 3)))
        assert run(project).code == 1
        assert trials(project) == {
            "a": [("grounding", "passed", "it is worth 4")],
            "b": [("grounding", "failed", "it is worth 3")],
        }
        found = summary(project)
        assert found["reason"] == "gate grounding is not met: 1 of 2 rows passed, needs 2"
        assert [dimension["mode"] for dimension in found["dimensions"]] == ["llm-judge", "deterministic"]

    def test_are_not_asked_twice(self, project: UserProject) -> None:
        write(project, grounded("a"), grounded("b"))
        suite(project, GRADES)
        project.write("grades.py", grades(*scores(5, 5)))
        assert run(project).code == 0
        project.write("grades.py", grades())
        assert run(project).code == 0
        assert summary(project)["cached_verdicts"] == 2
        project.write("grades.py", grades(*scores(1, 1)))
        assert run(project, "--refresh").code == 1

    def test_that_do_not_answer_leave_the_row_without_a_result(self, project: UserProject) -> None:
        write(project, *(grounded(f"g{number}") for number in range(3)))
        suite(project, GRADES.replace("judge'}", "judge', retries: 0}"))
        project.write("grades.py", grades(*scores(5), "I would rather not say.", *scores(1)))
        ended = run(project)
        assert ended.code == 3
        assert summary(project)["reason"] == "1 unscored of 3 trials; allowed: none"
        assert summary(project)["trials"]["failed"] == 1
        [found] = trials(project)["g1"]
        assert found[:2] == ("grounding", "unscored")
        assert found[2].startswith("no verdict (")
        project.write("grades.py", grades(*scores(5)))
        assert run(project).code == 1, "only the missing verdict is asked for"

    def test_are_never_asked_about_what_a_rule_decides(self, project: UserProject) -> None:
        write(project, grounded("silent", agent_output=""), grounded("a"))
        suite(project, GRADES)
        project.write("grades.py", grades(*scores(5)))
        assert run(project).code == 1
        assert trials(project)["silent"][0][:2] == ("grounding", "failed")

    def test_that_are_not_named_leave_rows_out(self, project: UserProject) -> None:
        write(project, grounded("a", human_label=True), answered("b"))
        suite(project)
        assert run(project).code == 3
        assert summary(project)["reason"] == ("gate grounding: no row has a result; 1 skipped: no judge is named")
        assert summary(project)["calibration"] == []

    def test_may_be_python_objects(self, project: UserProject) -> None:
        write(project, grounded("a"))
        judge = ScriptedJudge(scores(5))
        found = proctor.evaluate(project.root / "evals/rows.jsonl", judge=judge, project=load_project(project.root))
        assert found.passed, found.summary.reason
        assert len(judge.questions) == 1

    def test_that_are_a_rule_make_the_run_a_self_test(self, project: UserProject) -> None:
        write(project, answered("a"))
        suite(project, "judge: self-test\n")
        assert run(project).code == 0
        assert (summary(project)["purpose"], summary(project)["self_test"]) == ("self-test", True)


class TestNumbers:
    def test_beyond_all_bounds_are_reported(self, project: UserProject) -> None:
        rows = [timed("a"), timed("b", ms=1)]
        text = lines(rows) + json.dumps(timed("c")).replace('"latency_ms": 5', '"latency_ms": 1e999') + "\n"
        project.write("evals/rows.jsonl", text)
        suite(project)
        assert run(project).code == 1
        [dimension] = json.loads(project.report().read_text(), parse_constant=pytest.fail)["summary"]["dimensions"]
        assert dimension["measures"]["rows"] == 3
        assert dimension["measures"]["p50"] == 5.0

    def test_of_money_are_exact(self, project: UserProject) -> None:
        usage = {"input_tokens": 100_000, "output_tokens": 0}
        write(project, {"id": "a", "dimension": "cost", "input": "q", "usage": usage})
        prices = "{input_per_mtok: 3, output_per_mtok: 15}"
        suite(project, f"dataset: {{budgets: {{cost_usd: 0.3, price: {prices}}}}}\n")
        assert run(project).code == 0
        assert summary(project)["provenance"]["budgets"] == {"cost_usd": "0.3", "price": "3 in, 15 out"}


class TestHostileText:
    def test_of_a_row_reaches_no_terminal_raw(self, project: UserProject) -> None:
        bad = "a\x00b\x1b[31m\ud83d"
        write(project, leaking(bad, leaks=True, tags=[bad]), leaking("fine", leaks=False, language=bad))
        suite(project, "dataset: {slices: [language]}\n")
        ended = run(project)
        assert ended.code == 1
        assert "\x1b" not in ended.out
        [case] = project.results()["cases"]
        assert (case["case"], case["tags"]) == (bad, [bad])
        assert [part["name"] for part in summary(project)["slices"]] == ["all rows", bad, f"language: {bad}"]
