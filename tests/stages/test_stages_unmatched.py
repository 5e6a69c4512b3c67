"""Gates of a suite that no case can meet are told before the run."""

from __future__ import annotations

import pytest
from user_project import UserProject


@pytest.fixture
def tagged(project: UserProject) -> UserProject:
    """A suite of two cases, one with a tag."""
    project.case("one", "tags: [edge]\n")
    project.case("two")
    return project


class TestAGate:
    @pytest.mark.parametrize(
        ("gates", "place", "message"),
        [
            (
                "  g: {tags: [smokee]}",
                "4:6: warning [unmatched_gate] gates.g: ",
                "no case has one of the tags of gate 'g' (smokee) (the gate would not be met; known tags: edge)",
            ),
            (
                "  g: {must_pass: [one, too]}",
                "4:24: warning [unmatched_gate] gates.g.must_pass[1]: ",
                "there is no case 'too', which must pass for gate 'g' (the gate would not be met)",
            ),
        ],
    )
    def test_that_no_case_can_meet_is_a_warning_with_its_place(
        self, tagged: UserProject, gates: str, place: str, message: str
    ) -> None:
        tagged.suite(f"gates:\n{gates}\n")
        for command in ("validate", "plan"):
            ended = tagged.proctor(command, "evals/shop.suite.yaml")
            assert ended.code == 0
            assert ended.err.splitlines() == [f"evals/shop.suite.yaml:{place}{message}", "1 warning in 1 file"]

    @pytest.mark.parametrize(
        "more",
        [
            "gates: {g: {tags: [edge, other], must_pass: [two]}}",
            "gates: {g: {pytest_markers: [agent_eval]}}",
            "gates: {g: {tags: [other]}}\ncompat: upstream",
        ],
    )
    def test_that_can_be_met_is_none(self, tagged: UserProject, more: str) -> None:
        tagged.suite(f"{more}\n")
        assert tagged.proctor("plan", "evals/shop.suite.yaml").err == ""

    def test_is_looked_at_in_the_whole_suite_not_in_the_selection(self, tagged: UserProject) -> None:
        tagged.suite("gates: {g: {tags: [edge]}}\n")
        assert tagged.proctor("plan", "evals/shop.suite.yaml", "--select", "two").err == ""
