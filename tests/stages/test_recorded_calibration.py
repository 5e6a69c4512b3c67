"""Judge and people compared in the runs themselves: measured, kept for later runs, stale, missing, and as a gate."""

from __future__ import annotations

from typing import Any

import pytest
from recorded_rows import answered, grades, grounded, lines, scores
from user_project import Ended, UserProject

TRUSTED = "kappa 1.00 on 4 labelled rows (95 % interval 0.02 to 1.00), reaches the bar of 0.85"


def suite(project: UserProject, calibration: str = "", judge: str = "") -> None:
    project.write(
        "evals/shop.suite.yaml",
        "specs: [rows.jsonl]\nconcurrency: 1\nallow: {unscored: 0.9}\n"
        f"judge: {{model: 'python:grades:judge', retries: 0{judge}}}\n"
        f"dataset: {{dimensions: {{grounding: 0}}, calibration: {{{calibration}}}}}\n",
    )


def run(project: UserProject, labels: list[Any], answers: list[Any], *flags: str) -> Ended:
    """Run over rows with these labels (None: no label) and a judge that gives these scores; it is one and the same."""
    rows = [
        grounded(f"g{number}") | ({} if label is None else {"human_label": label})
        for number, label in enumerate(labels)
    ]
    project.write("evals/rows.jsonl", lines(rows))
    project.write("grades.py", grades(*(scores(each)[0] if isinstance(each, int) else each for each in answers)))
    return project.run("evals/shop.suite.yaml", "--refresh", *flags)


def calibration(project: UserProject) -> dict[str, Any]:
    [found] = project.results()["summary"]["calibration"]
    return dict(found)


def gate(project: UserProject) -> tuple[str, str]:
    [found] = [gate for gate in project.results()["summary"]["gates"] if gate["name"] == "calibrated judges"]
    return found["status"], found["reason"]


@pytest.fixture
def labelled(project: UserProject) -> UserProject:
    """A project whose first run has measured the judge on four rows."""
    suite(project)
    assert run(project, [True, True, False, False], [5, 5, 1, 1]).code == 0
    return project


class TestARunWithLabels:
    def test_measures_the_judge(self, labelled: UserProject) -> None:
        found = calibration(labelled)
        counts = {name: found[name] for name in ("rows", "true_pass", "false_pass", "true_fail", "false_fail")}
        assert counts == {"rows": 4, "true_pass": 2, "false_pass": 0, "true_fail": 2, "false_fail": 0}
        assert (found["kappa"], found["trusted"], found["status"]) == (1.0, True, TRUSTED)
        assert found["measured_at"] == ""

    def test_reads_labels_in_many_spellings_and_leaves_others_out(self, project: UserProject) -> None:
        suite(project)
        assert run(project, ["yes", " PASS ", 0, "unsafe", "perhaps", None], [5, 5, 1, 1, 1, 1]).code == 0
        assert (calibration(project)["rows"], calibration(project)["kappa"]) == (4, 1.0)

    def test_tells_how_far_it_is_from_the_bar(self, project: UserProject) -> None:
        suite(project, "bar: 0.5, bars: {safety: 0.99}")
        run(project, [True, True, True, False, False, False], [5, 5, 1, 1, 1, 5])
        assert calibration(project)["status"] == (
            "kappa 0.33 on 6 labelled rows (95 % interval -0.40 to 0.81), below the bar of 0.5"
        )
        suite(project, "bar: 0.5, bars: {grounding: 0.3}")
        run(project, [True, True, True, False, False, False], [5, 5, 1, 1, 1, 5])
        assert calibration(project)["trusted"] is True

    def test_asks_for_a_least_number_of_rows(self, project: UserProject) -> None:
        suite(project, "min_rows: 5")
        run(project, [True, True, False, False], [5, 5, 1, 1])
        assert calibration(project)["status"].endswith("; 5 rows are asked for")

    def test_of_one_class_says_nothing(self, project: UserProject) -> None:
        suite(project)
        run(project, [True] * 4, [5] * 4)
        assert calibration(project)["status"] == "kappa is undefined: labels or verdicts are all of one class"

    def test_may_have_them_in_another_field(self, project: UserProject) -> None:
        suite(project, "label_field: grade")
        run(project, [True], [5])
        assert calibration(project)["status"] == "not calibrated: no row has a human verdict in 'grade'"

    def test_without_a_verdict_on_one_trusts_nobody(self, project: UserProject) -> None:
        suite(project)
        run(project, [True, True, False, False, False], [5, 5, 1, 1, "I would rather not say."])
        found = calibration(project)
        assert (found["trusted"], found["status"]) == (False, f"{TRUSTED}; 1 labelled row without a verdict")

    def test_without_a_verdict_on_any_says_so(self, project: UserProject) -> None:
        suite(project)
        run(project, [True, None], ["I would rather not say.", 5])
        assert calibration(project)["status"] == "no labelled row has a verdict"


class TestALaterRunWithoutLabels:
    def test_shows_what_was_measured_of_the_same_judge(self, labelled: UserProject) -> None:
        run(labelled, [None, None], [5, 5])
        found = calibration(labelled)
        assert (found["trusted"], found["rows"]) == (True, 4)
        assert found["status"] == f"{TRUSTED}; measured {found['measured_at']}"
        assert found["measured_at"]

    def test_is_held_to_its_own_bar(self, labelled: UserProject) -> None:
        suite(labelled, "min_rows: 50")
        run(labelled, [None], [5])
        found = calibration(labelled)
        assert found["trusted"] is False
        assert "; 50 rows are asked for; measured " in found["status"]

    def test_says_that_it_is_stale_for_another_judge(self, labelled: UserProject) -> None:
        suite(labelled, judge=", temperature: 0.7")
        run(labelled, [None], [5])
        found = calibration(labelled)
        assert found["trusted"] is False
        assert found["status"] == (
            f"stale: the newest calibration, of {found['measured_at']}, is of another judge, rubric or settings"
        )

    def test_is_not_fooled_by_a_part_of_the_rows(self, project: UserProject) -> None:
        """Whoever selects the rows on which judge and people agree has measured nothing."""
        suite(project)
        labels, answers = [True, True, False, False, True, False], [5, 5, 1, 1, 1, 5]
        chosen = [flag for number in range(4) for flag in ("--select", f"g{number}")]
        run(project, labels, answers[:4], *chosen)
        assert calibration(project)["trusted"] is True
        run(project, [None], [5])
        assert calibration(project)["status"] == "not calibrated: no row has a human verdict in 'human_label'"

    def test_does_not_use_a_measurement_that_lacks_verdicts(self, project: UserProject) -> None:
        suite(project)
        run(project, [True, True, False, False, False], [5, 5, 1, 1, "I would rather not say."])
        run(project, [None], [5])
        assert calibration(project)["status"] == "not calibrated: no row has a human verdict in 'human_label'"

    def test_uses_what_the_command_has_measured(self, project: UserProject) -> None:
        suite(project)
        rows = [grounded(f"g{number}", human_label=number < 2) for number in range(4)]
        project.write("evals/rows.jsonl", lines([*rows, answered("rule")]))
        project.write("grades.py", grades(*scores(5, 5, 1, 1)))
        assert project.proctor("calibrate", "evals/shop.suite.yaml").code == 0
        run(project, [None], [5])
        assert calibration(project)["status"].startswith(f"{TRUSTED}; measured ")


class TestTheGate:
    def test_is_not_met_by_a_judge_that_nobody_measured(self, project: UserProject) -> None:
        suite(project, "block: true")
        assert run(project, [None], [5]).code == 1
        assert gate(project) == (
            "not met", "grounding: not calibrated: no row has a human verdict in 'human_label'",
        )  # fmt: skip

    def test_is_met_by_one_that_is_trusted(self, project: UserProject) -> None:
        suite(project, "block: true")
        assert run(project, [True, True, False, False], [5, 5, 1, 1]).code == 0
        assert gate(project) == ("met", "every judge is trusted")
        assert run(project, [None], [5]).code == 0

    def test_is_not_met_by_one_that_is_stale(self, labelled: UserProject) -> None:
        suite(labelled, "block: true", ", temperature: 0.7")
        assert run(labelled, [None], [5]).code == 1
        assert gate(labelled)[1].startswith("grounding: stale: ")

    def test_is_not_there_where_no_judge_had_a_part(self, project: UserProject) -> None:
        suite(project, "block: true")
        project.write("evals/rows.jsonl", lines([answered("a")]))
        project.write("grades.py", grades())
        assert project.run().code == 0
        assert [each["name"] for each in project.results()["summary"]["gates"]] == ["task_completion"]
