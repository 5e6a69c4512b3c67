"""``proctor run`` over recorded rows: what a person sees, and the exit codes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from recorded_rows import answered, control, grades, grounded, leaking, lines, scores, timed
from user_project import Ended, UserProject


def write(project: UserProject, *rows: dict[str, Any]) -> None:
    project.write("evals/rows.jsonl", lines(rows))


def folded(text: str) -> str:
    return " ".join(text.split())


def run(project: UserProject, *flags: str) -> Ended:
    return project.run("evals/rows.jsonl", *flags)


class TestADataSetByItself:
    def test_passes(self, project: UserProject) -> None:
        write(project, answered("a"), timed("t"))
        ended = run(project)
        assert (ended.code, ended.err) == (0, "")
        assert ended.out.startswith("✓ Passed: rows\n")
        assert "Rows: 2 (2 passed)" in ended.out

    def test_fails_with_the_row_and_its_reason(self, project: UserProject) -> None:
        write(project, answered("good"), answered("bad one", passes=False))
        ended = run(project)
        assert ended.code == 1
        assert "Gate task_completion is not met: 1 of 2 rows passed, needs 2." in ended.out
        assert "bad one" in ended.out
        assert 'the answer does not contain "blue"' in folded(ended.out)
        assert run(project, "--no-gate").code == 0

    def test_could_not_be_evaluated_without_a_judge(self, project: UserProject) -> None:
        write(project, grounded("g"), answered("a"))
        ended = run(project)
        assert ended.code == 3
        assert "gate grounding: no row has a result; 1 skipped: no judge is named" in folded(ended.out).casefold()
        assert run(project, "--no-gate").code == 3, "a run without a verdict is no gate that could be ignored"

    def test_asks_the_judge_that_is_named_on_the_command_line(self, project: UserProject) -> None:
        write(project, grounded("g"))
        ended = run(project, "--judge", "self-test", "--format", "json")
        assert ended.code == 0
        found = ended.json()
        assert (found["decision"], found["purpose"], found["self_test"]) == ("passed", "self-test", True)

    def test_misses_a_control(self, project: UserProject) -> None:
        write(project, leaking("a", leaks=False), control("planted"), control("missed", leaks=False))
        ended = run(project)
        assert ended.code == 1
        assert "1 control of 2 missed: the detector does not see what it must see" in folded(ended.out)

    def test_says_what_a_partial_run_left_out(self, project: UserProject) -> None:
        write(project, answered("a", tags=["x"]), answered("b", passes=False))
        ended = run(project, "--tag", "x")
        assert ended.code == 0
        assert "--tag 'x'" in ended.out
        assert "may not ship" in folded(ended.out).casefold()

    def test_takes_no_number_of_runs(self, project: UserProject) -> None:
        write(project, answered("a"))
        ended = run(project, "--runs", "2")
        assert ended.code == 2
        assert ended.err.startswith("error: this spec has recorded rows only: they cannot be run again\n")

    def test_is_validated_line_by_line(self, project: UserProject) -> None:
        write(project, answered("a"), {"id": "b", "dimension": "cost"}, {"id": "a", "dimension": "pii"})
        for command in (("validate", "evals/rows.jsonl", "--strict"), ("run", "evals/rows.jsonl")):
            ended = project.proctor(*command)
            assert ended.code == 2
            places = [line.split(": ", 1)[0] for line in ended.err.splitlines()[:-1]]
            assert places[0] == "evals/rows.jsonl:2:1"
            assert "[duplicate_id]" in ended.err


class TestAccept:
    """A regression stays blocked: what was not accepted does not become the next baseline."""

    SUITE = "specs: [rows.jsonl]\ndataset: {dimensions: {task_completion: 0.5}, regression: {block: true}}\n"

    def ten(self, project: UserProject, wrong: int) -> Ended:
        write(project, *(answered(f"r{number}", number >= wrong) for number in range(10)))
        return project.run("evals/shop.suite.yaml", "--accept")

    def test_of_three_runs(self, project: UserProject) -> None:
        project.write("evals/shop.suite.yaml", self.SUITE)
        good = self.ten(project, wrong=0)
        assert good.code == 0
        assert good.err.startswith("accepted ")
        assert good.err.endswith(" as the baseline\n")
        for _ in range(2):
            bad = self.ten(project, wrong=4)
            assert bad.code == 1
            assert "Gate no regression is not met: regressed: task_completion." in bad.out
            assert bad.err == "not accepted as a baseline: regressed: task_completion\n"
        listed = project.proctor("runs", "--format", "json").json()
        assert [record["accepted_at"] is not None for record in listed] == [False, False, True]
        assert [record["exit_code"] for record in listed] == [1, 1, 0]

    def test_of_a_run_without_a_verdict(self, project: UserProject) -> None:
        project.write("evals/shop.suite.yaml", "specs: [rows.jsonl]\n")
        write(project, grounded("g"))
        ended = project.run("evals/shop.suite.yaml", "--accept")
        assert ended.code == 3
        assert "reached no verdict, so it cannot be a baseline" in ended.err


class TestReportsOfAnEarlierRun:
    def test_are_written_again(self, project: UserProject) -> None:
        write(project, answered("a"), answered("b", passes=False))
        run(project)
        before = project.report("json", "rows").read_text()
        project.report("json", "rows").unlink()
        assert project.proctor("report").code == 0
        assert json.loads(project.report("json", "rows").read_text()) == json.loads(before)


@pytest.mark.parametrize("answer", ["I would rather not say.", {"reasoning": "r", "score": 9}, {"score": "5"}])
def test_a_judge_that_makes_no_sense_is_never_a_fail(project: UserProject, answer: Any) -> None:
    write(project, grounded("a"), grounded("b"))
    project.write("grades.py", grades(*scores(5), answer))
    project.write(
        "evals/shop.suite.yaml",
        "specs: [rows.jsonl]\njudge: {model: 'python:grades:judge', retries: 0}\nconcurrency: 1\n",
    )
    ended = project.run()
    assert ended.code == 3
    trials = project.results()["summary"]["trials"]
    assert (trials["passed"], trials["failed"], trials["unscored"]) == (1, 0, 1)
