"""Gates of a suite over recorded rows, alone and beside transcripts; and what a partial run is held to."""

from __future__ import annotations

from typing import Any

import pytest
from recorded_rows import answered, leaking, lines, timed
from user_project import Ended, UserProject

SUITE = "specs: [{specs}]\nagents: {{shop: 'shop:agent'}}\n{more}\n"


def write(project: UserProject, *rows: dict[str, Any], name: str = "rows") -> None:
    project.write(f"evals/{name}.jsonl", lines(rows))


def suite(project: UserProject, more: str = "", specs: str = "'*.jsonl', '*.yaml'") -> None:
    project.write("evals/shop.suite.yaml", SUITE.format(specs=specs, more=more))


def rows_only(project: UserProject, more: str = "") -> None:
    suite(project, more, "'*.jsonl'")


def summary(project: UserProject) -> dict[str, Any]:
    found: dict[str, Any] = project.results()["summary"]
    return found


def gates(project: UserProject) -> dict[tuple[str, str], tuple[str, str]]:
    return {(gate["name"], gate["agent"]): (gate["status"], gate["reason"]) for gate in summary(project)["gates"]}


class TestRowsAlone:
    def test_are_held_to_their_dimensions(self, project: UserProject) -> None:
        write(project, *(answered(f"r{number}", number > 0) for number in range(10)), timed("t"))
        rows_only(project)
        ended = project.run()
        assert ended.code == 0
        assert summary(project)["reason"] == "both gates are met"
        assert gates(project) == {
            ("task_completion", "recorded"): ("met", "9 of 10 rows passed, needs 9"),
            ("latency", "recorded"): ("met", "1 of 1 row passed, needs 1"),
        }

    def test_fail_with_the_gate_and_its_numbers(self, project: UserProject) -> None:
        write(project, leaking("a", leaks=False), leaking("b", leaks=True))
        rows_only(project)
        assert project.run().code == 1
        assert summary(project)["reason"] == "gate pii is not met: 1 of 2 rows passed, needs 2"
        assert summary(project)["trials"]["failed"] == 1

    def test_that_are_none_at_all_could_not_be_evaluated(self, project: UserProject) -> None:
        write(project)
        suite(project, specs="rows.jsonl")
        ended = project.run()
        assert ended.code == 3
        assert summary(project)["reason"] == "nothing ran: no case was selected"

    def test_lack_a_required_dimension(self, project: UserProject) -> None:
        write(project, answered("a"), timed("t"))
        rows_only(project, "dataset: {required: [task_completion, pii]}")
        assert project.run().code == 3
        assert summary(project)["reason"] == (
            "gate required dimensions: no row has the dimension pii, which is required"
        )
        assert project.run("evals/shop.suite.yaml", "--select", "a").code == 0, "a part need not have every dimension"

    @pytest.mark.parametrize(
        ("gate", "status", "reason"),
        [
            ("{tags: [fast]}", "met", "1 of 1 row passed, needs 1"),
            ("{tags: [fast, slow]}", "not met", "1 of 2 rows passed, needs 2"),
            ("{tags: [fast, slow], threshold: 0.5}", "met", "1 of 2 rows passed, needs 1"),
            ("{must_pass: [good]}", "met", "every must-pass case passed"),
            ("{must_pass: [good, bad]}", "not met", "must pass and did not: bad"),
            ("{tags: [fast], must_pass: [gone]}", "not met", "must pass and did not run: gone"),
            ("{tags: [fats]}", "not met", "no row of this run has one of its tags (fats)"),
        ],
    )
    def test_may_have_gates_of_the_suite(self, project: UserProject, gate: str, status: str, reason: str) -> None:
        write(project, answered("good", tags=["fast"]), answered("bad", passes=False, tags=["slow"]))
        rows_only(project, f"gates: {{own: {gate}}}\ndataset: {{dimensions: {{task_completion: 0.5}}}}")
        assert project.run().code == (0 if status == "met" else 1)
        assert gates(project)["own", "recorded"] == (status, reason)

    def test_a_control_is_a_member_too_and_passes_when_it_is_caught(self, project: UserProject) -> None:
        write(project, leaking("planted", leaks=True, tags=["negative-example"]), leaking("clean", leaks=False))
        rows_only(project, "gates: {controls: {tags: [negative-example]}}")
        assert project.run().code == 0
        assert gates(project)["controls", "recorded"] == ("met", "1 of 1 row passed, needs 1")


class TestRowsBesideTranscripts:
    """Each gate is held against those that it means: rows, cases, both; or everybody, when it means nobody."""

    @pytest.fixture
    def mixed(self, project: UserProject) -> UserProject:
        project.case("talk", "tags: [live, both]\n")
        write(project, answered("row", tags=["recorded-only", "both"]), answered("other"))
        return project

    @pytest.mark.parametrize(
        ("gate", "agents"),
        [
            ("{tags: [live]}", {"shop"}),
            ("{tags: [recorded-only]}", {"recorded"}),
            ("{tags: [both]}", {"shop", "recorded"}),
            ("{must_pass: [talk]}", {"shop"}),
            ("{must_pass: [row]}", {"recorded"}),
            ("{must_pass: [talk, row]}", {"shop", "recorded"}),
            ("{tags: [live], must_pass: [row]}", {"shop", "recorded"}),
        ],
    )
    def test_a_gate_says_nothing_of_those_that_it_does_not_mean(
        self, mixed: UserProject, gate: str, agents: set[str]
    ) -> None:
        suite(mixed, f"gates: {{own: {gate}}}")
        ended = mixed.run()
        assert ended.code == 0, ended.out
        assert {agent for name, agent in gates(mixed) if name == "own"} == agents

    def test_a_gate_that_means_nobody_is_not_met(self, mixed: UserProject) -> None:
        suite(mixed, "gates: {own: {tags: [misspelt]}}")
        assert mixed.run().code == 1
        assert gates(mixed)["own", "shop"] == ("not met", "no case of this run has one of its tags (misspelt)")

    def test_a_pin_that_is_nowhere_is_missed_by_everybody_the_gate_means(self, mixed: UserProject) -> None:
        suite(mixed, "gates: {own: {tags: [both], must_pass: [row, nowhere]}}")
        assert mixed.run().code == 1
        expected = ("not met", "must pass and did not run: nowhere")
        assert {gates(mixed)["own", agent] for agent in ("shop", "recorded")} == {expected}

    def test_a_row_that_fails_is_no_failure_of_the_agent(self, mixed: UserProject) -> None:
        write(mixed, answered("row", passes=False, tags=["both"]))
        suite(mixed, "gates: {own: {tags: [both]}}")
        assert mixed.run().code == 1
        assert gates(mixed)["own", "shop"][0] == "met"
        assert summary(mixed)["reason"] == (
            "gate own (recorded) is not met: 0 of 1 row passed, needs 1; "
            "gate task_completion (recorded) is not met: 0 of 1 row passed, needs 1"
        )

    def test_a_case_outside_every_gate_has_to_pass(self, mixed: UserProject) -> None:
        mixed.case("talk", "  expect: {reply_contains_any: [nothing]}\n")
        suite(mixed)
        assert mixed.run().code == 1
        assert summary(mixed)["reason"] == "1 of 1 case outside every gate did not pass: talk"

    def test_all_of_it_in_one_sentence(self, mixed: UserProject) -> None:
        suite(mixed)
        assert mixed.run().code == 0
        assert summary(mixed)["reason"] == (
            "gate task_completion is met: 2 of 2 rows passed, needs 2; outside the gates the one case passed"
        )
        assert [part["name"] for part in summary(mixed)["slices"]] == [
            "all cases", "live", "both", "all rows", "recorded-only", "both",
        ]  # fmt: skip


class TestAPart:
    """A partial run is held to the gates that mean something in it, and says which ones it leaves out."""

    @pytest.fixture
    def mixed(self, project: UserProject) -> UserProject:
        project.case("talk", "tags: [live]\n")
        write(project, answered("good", tags=["core"]), answered("bad", passes=False, tags=["edge"]))
        suite(
            project,
            "gates:\n  live: {tags: [live]}\n  core: {tags: [core], must_pass: [good, bad]}\n  edge: {tags: [edge]}\n",
        )
        return project

    def run(self, project: UserProject, *flags: str) -> Ended:
        return project.run("evals/shop.suite.yaml", *flags)

    def test_of_one_row(self, mixed: UserProject) -> None:
        ended = self.run(mixed, "--select", "good")
        assert ended.code == 0, ended.out
        assert gates(mixed) == {
            ("core", "recorded"): ("met", "1 of 1 row passed, needs 1"),
            ("task_completion", "recorded"): ("met", "1 of 1 row passed, needs 1"),
        }
        expected = "--select good; without gates that have no selected case: live, edge"
        assert summary(mixed)["partial"] == expected

    def test_of_a_transcript(self, mixed: UserProject) -> None:
        assert self.run(mixed, "--select", "talk").code == 0
        assert gates(mixed) == {("live", "shop"): ("met", "1 of 1 case passed, needs 1")}
        assert summary(mixed)["partial"].endswith("; without gates that have no selected case: core, edge")

    def test_of_both_by_tag(self, mixed: UserProject) -> None:
        assert self.run(mixed, "--tag", "live or edge").code == 1
        assert gates(mixed)["edge", "recorded"] == ("not met", "0 of 1 row passed, needs 1")
        assert gates(mixed)["live", "shop"][0] == "met"

    def test_of_a_pin_that_is_selected_and_failed(self, mixed: UserProject) -> None:
        assert self.run(mixed, "--select", "bad").code == 1
        assert gates(mixed)["core", "recorded"] == ("not met", "must pass and did not: bad")

    def test_of_nothing_at_all(self, mixed: UserProject) -> None:
        ended = self.run(mixed, "--select", "nobody")
        assert ended.code == 3
        assert summary(mixed)["reason"] == "nothing ran: no case was selected"

    def test_is_never_a_baseline(self, mixed: UserProject) -> None:
        ended = self.run(mixed, "--select", "good", "--accept")
        assert ended.code == 0
        assert "not accepted as a baseline: run " in ended.err
        assert "ran a part of the spec only (--select good), so it cannot be a baseline" in ended.err


class TestTheFailedOnes:
    def test_are_those_rows_that_did_not_pass_when_they_ran_last(self, project: UserProject) -> None:
        write(project, answered("a"), answered("b", passes=False), answered("c", passes=False))
        rows_only(project)
        assert project.run().code == 1
        # One of them is mended and passes in a later partial run; the other one is still open.
        write(project, answered("a"), answered("b"), answered("c", passes=False))
        assert project.run("evals/shop.suite.yaml", "--select", "b").code == 0
        assert project.run("evals/shop.suite.yaml", "--failed").code == 1
        assert [case["case"] for case in project.results()["cases"]] == ["c"]
        assert summary(project)["trials"]["failed"] == 1
        assert summary(project)["cases"]["passed"] == 0

    def test_are_rows_and_cases_alike(self, project: UserProject) -> None:
        project.case("talk", "  expect: {reply_contains_any: [nothing]}\n")
        project.case("chat")
        write(project, answered("a"), answered("b", passes=False))
        suite(project)
        project.run()
        project.forget_calls()
        project.run("evals/shop.suite.yaml", "--failed", "--refresh")
        assert project.calls == ["hello"]
        assert {case["case"] for case in project.results()["cases"]} == {"talk", "b"}


class TestSlices:
    def test_are_of_tags_and_of_named_fields(self, project: UserProject) -> None:
        write(
            project,
            answered("a", tags=["x"], language="en", size=1),
            answered("b", passes=False, tags=["x", "y"], language="de", size=1.0),
            answered("c", language=None),
        )
        rows_only(project, "dataset: {slices: [language, size], dimensions: {task_completion: 0.5}}")
        assert project.run().code == 0
        found = {part["name"]: part["cases"] for part in summary(project)["slices"]}
        counts = {name: (cases["passed"], cases["failed"]) for name, cases in found.items()}
        assert counts == {
            "all rows": (2, 1), "x": (1, 1), "language: en": (1, 0), "size: 1": (1, 0), "y": (0, 1),
            "language: de": (0, 1), "size: 1.0": (0, 1),
        }  # fmt: skip

    def test_beyond_two_hundred_are_told_and_not_shown(self, project: UserProject) -> None:
        write(project, *(answered(f"r{number}", session=f"s{number}") for number in range(203)))
        rows_only(project, "dataset: {slices: [session]}")
        assert project.run().code == 0
        assert len(summary(project)["slices"]) == 201
        assert summary(project)["warnings"] == ["3 more tags and field values are not told apart"]


class TestRepeatedCases:
    def test_with_too_few_trials_for_pass_k_are_told(self, project: UserProject) -> None:
        three = [answered(f"a{number}", case_id="a") for number in range(3)]
        two = [answered(f"b{number}", number > 0, case_id="b") for number in range(2)]
        write(project, *three, *two, answered("alone"))
        rows_only(project, "dataset: {pass_k: 3, dimensions: {task_completion: 0.5}}")
        assert project.run().code == 0
        assert summary(project)["warnings"] == [
            "task_completion: pass^3 covers 1 of 2 repeated cases; the others have fewer trials"
        ]
        [dimension] = summary(project)["dimensions"]
        found = dimension["reliability"]
        assert (found["cases"], found["repeated"], found["trials"], found["consistency"]) == (3, 2, 6, 0.5)
        assert (found["pass_hat_k"], found["covered"], found["flaky"]) == (1.0, 1, ["b"])
