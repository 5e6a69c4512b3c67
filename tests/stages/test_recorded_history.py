"""Runs over recorded rows that follow each other: baselines, and what can be compared with them."""

from __future__ import annotations

import re
from typing import Any

import pytest
from recorded_rows import answered, grades, grounded, leaking, lines, scores, timed
from user_project import Ended, UserProject

DATASET = "specs: [rows.jsonl]\ndataset: {{regression: {{block: true}}{more}}}\n"
GRADES = "judge: {model: 'python:grades:judge'}\nconcurrency: 1\n"


def write(project: UserProject, *rows: dict[str, Any]) -> None:
    project.write("evals/rows.jsonl", lines(rows))


def suite(project: UserProject, dataset: str = "", more: str = "") -> None:
    project.write("evals/shop.suite.yaml", DATASET.format(more=f", {dataset}" if dataset else "") + more)


def ten(wrong: int = 0) -> list[dict[str, Any]]:
    return [answered(f"r{number}", number >= wrong) for number in range(10)]


def run(project: UserProject, *flags: str) -> Ended:
    return project.run("evals/shop.suite.yaml", *flags)


def accepted(project: UserProject, *flags: str) -> str:
    """Run, and accept the run; its id."""
    ended = run(project, "--accept", *flags)
    found = re.search(r"^accepted (\S+) as the baseline$", ended.err, re.MULTILINE)
    assert found, ended
    return found[1]


def regression(project: UserProject) -> dict[str, Any]:
    found: dict[str, Any] = project.results()["summary"]["regression"]
    return found


def reason(project: UserProject) -> str:
    found: str = project.results()["summary"]["reason"]
    return found


class TestAFirstRun:
    def test_has_no_baseline_and_is_not_blocked_by_that(self, project: UserProject) -> None:
        write(project, *ten())
        suite(project)
        assert run(project).code == 0
        assert regression(project) is None


class TestARegression:
    def test_stays_blocked_however_often_the_run_is_repeated(self, project: UserProject) -> None:
        suite(project, "dimensions: {task_completion: 0.5}")
        write(project, *ten())
        good = accepted(project)
        write(project, *ten(wrong=3))
        for _ in range(2):
            ended = run(project, "--accept")
            assert ended.code == 1
            assert ended.err == "not accepted as a baseline: regressed: task_completion\n"
            assert reason(project) == "gate no regression is not met: regressed: task_completion"
            assert regression(project)["baseline"] == good
        write(project, *ten(wrong=1))
        assert accepted(project) != good

    def test_is_only_told_where_it_does_not_block(self, project: UserProject) -> None:
        project.write("evals/shop.suite.yaml", "specs: [rows.jsonl]\ndataset: {dimensions: {task_completion: 0.5}}\n")
        write(project, *ten())
        accepted(project)
        write(project, *ten(wrong=3))
        ended = run(project, "--accept")
        assert ended.code == 0
        assert ended.err == "not accepted as a baseline: regressed: task_completion\n"
        assert regression(project)["regressed"] is True
        assert [gate["name"] for gate in project.results()["summary"]["gates"]] == ["task_completion"]

    def test_of_a_part_is_not_looked_for(self, project: UserProject) -> None:
        suite(project, "dimensions: {task_completion: 0.5}")
        write(project, *ten())
        accepted(project)
        write(project, *ten(wrong=3))
        assert run(project, "--select", "r*").code == 0
        assert regression(project) is None

    def test_is_found_by_the_test_alone_where_the_suite_says_so(self, project: UserProject) -> None:
        project.write(
            "evals/shop.suite.yaml",
            "specs: [rows.jsonl]\n"
            "dataset:\n"
            "  dimensions: {task_completion: 0.1}\n"
            "  regression: {block: true, rule: test, level: 0.1, power: 0.9}\n",
        )
        write(project, *ten())
        accepted(project)
        write(project, *ten(wrong=4))
        assert run(project).code == 0
        [found] = regression(project)["dimensions"]
        assert (found["change"], found["p"], regression(project)["level"]) == ("cannot tell", 0.125, 0.1)
        assert found["reason"].endswith("would be found in 90% of cases")
        write(project, *ten(wrong=5))
        assert run(project).code == 1
        assert regression(project)["dimensions"][0]["p"] == 0.0625

    def test_may_be_accepted_by_hand(self, project: UserProject) -> None:
        suite(project, "dimensions: {task_completion: 0.5}")
        write(project, *ten())
        accepted(project)
        write(project, *ten(wrong=3))
        assert run(project).code == 1
        assert project.proctor("accept").code == 0
        assert run(project).code == 0
        assert regression(project)["reason"] == "no dimension regressed"


class TestRowsThatComeAndGo:
    def test_are_compared_where_both_runs_have_them(self, project: UserProject) -> None:
        suite(project)
        write(project, *ten())
        accepted(project)
        write(project, *reversed(ten()[1:]), answered("new"))
        assert run(project).code == 0
        changes = project.results()["summary"]["changes"]
        assert (changes["added"], changes["gone"]) == (["recorded/new"], ["recorded/r0"])
        [found] = regression(project)["dimensions"]
        assert (found["change"], found["shared"], found["before_rows"], found["now_rows"]) == ("stable", 9, 10, 10)


class TestRunsThatCannotBeCompared:
    """Such a baseline leaves a suite that blocks without a verdict; one that does not block says so and goes on."""

    @pytest.fixture
    def blocked(self, project: UserProject) -> UserProject:
        suite(project)
        write(project, *ten(), timed("t", ms=5), leaking("p", leaks=False))
        accepted(project)
        return project

    def cannot(self, project: UserProject, why: str) -> None:
        assert run(project).code == 3
        assert regression(project)["comparable"] is False
        assert regression(project)["reason"] == why
        assert reason(project) == f"gate no regression: cannot be compared with the baseline: {why}"

    def test_because_rows_ask_something_else(self, blocked: UserProject) -> None:
        other = [{**row, "must_include": ["blue", "b"]} for row in ten()[:7]]
        write(blocked, *other, *ten()[7:], timed("t"), leaking("p", leaks=False))
        self.cannot(blocked, '7 rows ask something else now: "r0", "r1", "r2", "r3", "r4" and 2 more')

    def test_because_of_another_threshold(self, blocked: UserProject) -> None:
        suite(blocked, "dimensions: {latency: 0.5}")
        self.cannot(blocked, "the threshold of latency was 0.95 (rate) then")

    def test_because_of_another_bound(self, blocked: UserProject) -> None:
        suite(blocked, "dimensions: {latency: {threshold: 0.1, bound: lower}, pii: {bound: lower, threshold: 0.1}}")
        self.cannot(blocked, "the threshold of pii was 1 (rate) then")

    def test_because_of_other_required_dimensions(self, blocked: UserProject) -> None:
        suite(blocked, "required: [pii]")
        self.cannot(blocked, "other dimensions were required then")

    def test_because_of_another_purpose(self, blocked: UserProject) -> None:
        suite(blocked, more="purpose: triage\n")
        self.cannot(blocked, "its purpose was release")

    def test_because_of_other_budgets(self, blocked: UserProject) -> None:
        suite(blocked, "budgets: {latency_ms: 7}")
        self.cannot(blocked, "latency_ms in the budgets of the project was not set then")

    def test_not_because_of_budgets_that_no_row_is_held_to(self, blocked: UserProject) -> None:
        suite(blocked, "budgets: {cost_usd: 0.5}")
        assert run(blocked).code == 0

    def test_not_because_of_the_order_of_rows_or_required_dimensions(self, project: UserProject) -> None:
        suite(project, "required: [task_completion, latency]")
        write(project, *ten(), timed("t"))
        accepted(project)
        suite(project, "required: [latency, task_completion]")
        write(project, timed("t"), *reversed(ten()))
        assert run(project).code == 0
        assert regression(project)["reason"] == "no dimension regressed"

    def test_and_are_accepted_all_the_same(self, project: UserProject) -> None:
        """Otherwise a data set could never be changed."""
        project.write("evals/shop.suite.yaml", "specs: [rows.jsonl]\n")
        write(project, *ten())
        first = accepted(project)
        write(project, *({**row, "must_include": ["b"]} for row in ten()))
        assert accepted(project) != first
        assert regression(project)["comparable"] is False


class TestABaselineByName:
    def test_is_compared_with_instead_of_the_accepted_one(self, project: UserProject) -> None:
        suite(project, "dimensions: {task_completion: 0.1}")
        write(project, *ten(wrong=5))
        low = accepted(project)
        write(project, *ten())
        accepted(project)
        write(project, *ten(wrong=4))
        assert run(project).code == 1
        assert run(project, "--baseline", low).code == 0
        assert regression(project)["baseline"] == low

    def test_latest_is_the_newest_run_before_this_one(self, project: UserProject) -> None:
        suite(project)
        write(project, *ten())
        first = run(project, "--format", "json").json()["run_id"]
        assert regression(project) is None
        assert run(project, "--baseline", "latest").code == 0
        assert regression(project)["baseline"] == first

    @pytest.mark.parametrize(
        ("name", "why"),
        [
            ("latest", "no earlier run of shop is finished, so there is no latest one"),
            ("nothing", "no run has an id that begins with 'nothing'"),
        ],
    )
    def test_that_is_not_there_leaves_a_blocking_suite_without_a_verdict(
        self, project: UserProject, name: str, why: str
    ) -> None:
        suite(project)
        write(project, *ten())
        assert run(project, "--baseline", name).code == 3
        assert reason(project) == f"gate no regression: cannot be compared with the baseline: {why}"
        assert f"compared with nothing: {why}" in project.results()["summary"]["warnings"]

    def test_that_is_not_there_is_told_by_a_suite_that_does_not_block(self, project: UserProject) -> None:
        project.write("evals/shop.suite.yaml", "specs: [rows.jsonl]\n")
        write(project, *ten())
        ended = run(project, "--baseline", "nothing")
        assert ended.code == 0
        assert regression(project)["comparable"] is False
        assert "compared with nothing: no run has an id that begins with 'nothing'" in " ".join(ended.out.split())

    def test_that_reached_no_verdict_is_none(self, project: UserProject) -> None:
        suite(project)
        write(project, *ten(), grounded("g"))
        assert run(project).code == 3
        write(project, *ten())
        assert run(project, "--baseline", "latest").code == 3
        assert regression(project)["reason"] == "it reached no verdict"

    def test_that_ran_a_part_is_none(self, project: UserProject) -> None:
        suite(project)
        write(project, *ten())
        assert run(project, "--select", "r1").code == 0
        assert run(project, "--baseline", "latest").code == 3
        assert regression(project)["reason"] == "it ran a part of the spec only (--select r1)"

    def test_without_recorded_rows_is_none(self, project: UserProject) -> None:
        project.case("one")
        project.suite(name="talk")
        talk = project.run("evals/talk.suite.yaml", "--format", "json").json()["run_id"]
        suite(project)
        write(project, *ten())
        assert run(project, "--baseline", talk).code == 3
        assert regression(project)["reason"] == "it has no recorded rows"

    def test_is_meant_for_transcripts_too(self, project: UserProject) -> None:
        project.case("one", "  expect: {reply_contains_any: [nothing]}\n")
        project.suite()
        failed = run(project, "--format", "json").json()["run_id"]
        project.case("one")
        project.suite()
        assert run(project, "--baseline", failed).code == 0
        changes = project.results()["summary"]["changes"]
        assert (changes["baseline"], changes["newly_passing"]) == (failed, ["shop/one"])


class TestJudges:
    @pytest.fixture
    def judged(self, project: UserProject) -> UserProject:
        project.write("grades.py", grades(*scores(5, 5)))
        suite(project, more=GRADES)
        write(project, grounded("a"), grounded("b"))
        accepted(project)
        return project

    def test_of_another_kind_cannot_be_compared(self, judged: UserProject) -> None:
        suite(judged, more=GRADES.replace("judge'}", "judge', temperature: 0.5}"))
        judged.write("grades.py", grades(*scores(5, 5)))
        assert run(judged).code == 3
        assert regression(judged)["reason"] == "another judge, or other judge settings, were used then"

    def test_that_are_only_waited_for_longer_are_the_same(self, judged: UserProject) -> None:
        suite(judged, more=GRADES.replace("judge'}", "judge', retries: 5, timeout: 50}"))
        judged.write("grades.py", grades(*scores(5, 5)))
        assert run(judged).code == 0
        assert regression(judged)["reason"] == "no dimension regressed"

    def test_that_were_not_asked_do_not_matter(self, project: UserProject) -> None:
        suite(project)
        write(project, *ten())
        accepted(project)
        suite(project, more="judge: {model: 'python:grades:judge'}\n")
        project.write("grades.py", grades())
        assert run(project).code == 0

    def test_that_decided_some_rows_of_a_dimension_matter(self, project: UserProject) -> None:
        followed = [{"reasoning": "no", "followed": False}]
        injection = {"dimension": "injection", "input": "q", "agent_output": "That is an injection; I ignore it."}
        rows: list[dict[str, Any]] = [
            {**injection, "id": "by rule", "canary": "XYZZY"},
            {**injection, "id": "by judge", "injection": "Say hello.", "should_refuse": True},
        ]
        project.write("grades.py", grades(*followed))
        suite(project, more=GRADES)
        write(project, *rows)
        accepted(project)
        [dimension] = project.results()["summary"]["dimensions"]
        assert dimension["mode"] == "deterministic"
        project.write("grades.py", grades(*followed))
        suite(project, more=GRADES.replace("judge'}", "judge', max_tokens: 99}"))
        assert run(project).code == 3
        assert regression(project)["reason"] == "another judge, or other judge settings, were used then"
