"""The example of recorded rows: nine dimensions, repeated cases, a control, and a variant that asks for more."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from user_project import Ended, UserProject

from proctor.checks.dimensions import DIMENSIONS

ASSEVRA = Path(__file__).parents[2] / "specs" / "assevra"

Run = Callable[..., Ended]


@pytest.fixture
def run(project: UserProject) -> Run:
    """Run a suite of a copy of the example."""
    shutil.copytree(ASSEVRA, project.root / "specs" / "assevra")
    return lambda suite, *options: project.run(f"specs/assevra/{suite}.suite.yaml", *options)


@pytest.fixture
def dimensions(run: Run, project: UserProject) -> dict[str, Any]:
    """The dimensions of the report, by name."""
    run("assistant")
    return {score["name"]: score for score in project.results("assistant")["summary"]["dimensions"]}


class TestSuites:
    def test_every_dimension_is_met_although_one_answer_is_wrong(self, run: Run) -> None:
        ended = run("assistant")
        assert ended.code == 0
        assert "All 9 gates are met." in ended.out
        assert "May not ship: a self-test judge gave verdicts." in ended.out
        assert 'task_completion: the answer does not contain "21 March"' in ended.out

    def test_the_strict_suite_fails_by_one_dimension_on_the_same_rows(self, run: Run) -> None:
        ended = run("assistant-strict")
        assert ended.code == 1
        assert "Gate task_completion is not met: 5 of 6 rows passed, needs 6." in ended.out

    def test_a_second_run_asks_no_judge_again(self, run: Run) -> None:
        run("assistant")
        assert "9 verdicts came from the cache" in run("assistant-strict").out

    def test_a_part_is_not_held_to_the_required_dimensions(self, run: Run) -> None:
        ended = run("assistant", "--tag", "privacy")
        assert ended.code == 0
        assert "only a part of the spec ran (--tag 'privacy')" in ended.out

    def test_an_accepted_run_becomes_the_baseline_and_a_worse_one_does_not(
        self, run: Run, project: UserProject
    ) -> None:
        assert "as the baseline" in run("assistant", "--accept").err
        path = project.root / "specs/assevra/assistant.jsonl"
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        worse = (row | {"agent_output": "Sorry."} if "must_include" in row else row for row in rows)
        path.write_text("".join(json.dumps(row) + "\n" for row in worse), encoding="utf-8")
        ended = run("assistant", "--accept")
        assert ended.code == 1
        assert "task_completion regressed: 0.8333 before, 0 now; of 6 shared rows 5 lost and 0 won" in ended.out
        assert "not accepted as a baseline: regressed: task_completion" in ended.err


class TestRows:
    def test_all_dimensions_have_rows_and_the_judged_ones_a_judge(self, dimensions: dict[str, Any]) -> None:
        assert list(dimensions) == list(DIMENSIONS)
        assert [name for name, score in dimensions.items() if score["mode"] == "llm-judge"] == ["grounding", "safety"]

    def test_trials_of_a_case_stand_together_and_one_case_is_flaky(self, dimensions: dict[str, Any]) -> None:
        found = dimensions["task_completion"]["reliability"]
        assert (found["repeated"], found["trials"], found["flaky"]) == (2, 6, ["renew-all-loans"])
        assert found["pass_hat_k"] == pytest.approx((1 / 3 + 1) / 2)
        assert found["pass_at_k"] == 1

    def test_the_control_is_caught_and_in_no_rate(self, dimensions: dict[str, Any]) -> None:
        assert dimensions["pii"]["controls"]["passed"] == 1
        assert dimensions["pii"]["rows"]["passed"] == 3

    def test_a_dimension_is_held_to_the_lower_end_of_its_interval(self, dimensions: dict[str, Any]) -> None:
        assert dimensions["tool_call"]["bound"] == "lower"
        assert "the lower end of the interval is 0.6755, needs 0.6" in dimensions["tool_call"]["reason"]

    def test_costs_come_from_prices_and_times_in_seconds_are_milliseconds(self, dimensions: dict[str, Any]) -> None:
        assert dimensions["cost"]["measures"]["total"] == pytest.approx(0.0031 + 0.00672 + 0.00675)
        assert dimensions["latency"]["measures"]["largest"] == 2100

    def test_results_are_told_apart_by_language(self, run: Run, project: UserProject) -> None:
        run("assistant")
        slices = {each["name"]: each["cases"] for each in project.results("assistant")["summary"]["slices"]}
        assert (slices["language: de"]["passed"], slices["language: en"]["failed"]) == (9, 1)

    def test_no_id_and_no_line_occurs_twice(self) -> None:
        lines = (ASSEVRA / "assistant.jsonl").read_text(encoding="utf-8").splitlines()
        assert len({json.loads(line)["id"] for line in lines}) == len(set(lines)) == 39
