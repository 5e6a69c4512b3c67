"""An answer is taken from the cache only while nothing has changed that the agent can see or be."""

from __future__ import annotations

import pytest
from user_project import Ended, UserProject

ANSWER = 'import helper\n    return helper.polish(Path(__file__).with_name("prompt.txt").read_text() + said), []'


@pytest.fixture
def answered(project: UserProject, monkeypatch: pytest.MonkeyPatch) -> UserProject:
    """A project whose two answers are in the cache."""
    monkeypatch.setenv("SHOP_MOOD", "fine")
    project.write("prompt.txt", "Be brief. ")
    project.write("helper.py", "def polish(text):\n    return text.strip()\n")
    project.write("shop_tests/test_shop.py", "")
    project.write("tests/test_shop.py", "")
    project.write("docs/index.md", "# Shop\n")
    project.write("README.md", "# Shop\n")
    project.agent(ANSWER)
    project.case("one", user="one")
    project.case("two", user="two")
    project.suite("environment: [SHOP_MOOD]\n")
    assert project.run().code == 0
    assert sorted(project.calls) == ["one", "two"]
    project.forget_calls()
    return project


def calls(project: UserProject) -> list[str]:
    """Run, and give the calls of the agent."""
    project.forget_calls()
    assert project.run().code == 0
    return sorted(project.calls)


class TestAMiss:
    def test_is_an_edited_prompt_file(self, answered: UserProject) -> None:
        answered.write("prompt.txt", "Be long. ")
        assert calls(answered) == ["one", "two"]
        assert answered.results()["cases"][0]["trials"][0]["trajectory"]["turns"][0]["reply"].startswith("Be long.")

    def test_is_an_edited_helper_that_is_imported_late(self, answered: UserProject) -> None:
        answered.write("helper.py", "def polish(text):\n    return text.upper()\n")
        assert calls(answered) == ["one", "two"]
        assert answered.results()["cases"][0]["trials"][0]["trajectory"]["turns"][0]["reply"].startswith("BE BRIEF.")

    def test_is_a_new_file(self, answered: UserProject) -> None:
        answered.write("more.py", "")
        assert calls(answered) == ["one", "two"]

    def test_is_a_lost_file(self, answered: UserProject) -> None:
        (answered.root / "shop_tests/test_shop.py").unlink()
        assert calls(answered) == ["one", "two"]

    @pytest.mark.parametrize("value", ["sad", None, ""])
    def test_is_a_declared_environment_variable(
        self, answered: UserProject, monkeypatch: pytest.MonkeyPatch, value: str | None
    ) -> None:
        if value is None:
            monkeypatch.delenv("SHOP_MOOD")
        else:
            monkeypatch.setenv("SHOP_MOOD", value)
        assert calls(answered) == ["one", "two"]

    def test_is_another_input_of_that_case_alone(self, answered: UserProject) -> None:
        answered.case("one", user="uno")
        assert calls(answered) == ["uno"]

    def test_is_another_id_with_the_same_input(self, answered: UserProject) -> None:
        answered.case("three", user="one")
        assert calls(answered) == ["one"]

    def test_is_one_more_trial(self, answered: UserProject) -> None:
        answered.case("one", "runs: 3\n", user="one")
        assert calls(answered) == ["one", "one"]

    def test_is_an_edited_recording(self, answered: UserProject) -> None:
        answered.write("evals/hi.wav", b"hello")
        for content, expected in ((b"hello", ["one"]), (b"hello", []), (b"bye", ["one"])):
            answered.write("evals/hi.wav", content)
            answered.write("evals/one.yaml", "id: one\nturns: [{user: one, audio: hi.wav}]\n")
            # The recording is a file of the project too: without a declared version it would count for both cases.
            answered.write(
                "evals/shop.suite.yaml",
                "specs: ['one.yaml']\nagents: {shop: {python: 'shop:agent', version: '1'}}\n",
            )
            assert calls(answered) == expected

    def test_is_whatever_is_refreshed(self, answered: UserProject) -> None:
        assert answered.run("evals/shop.suite.yaml", "--refresh").code == 0
        assert sorted(answered.calls) == ["one", "two"]

    def test_is_an_answer_that_was_an_error(self, answered: UserProject) -> None:
        answered.agent('raise ValueError("no")')
        assert answered.run().code == 3
        answered.forget_calls()
        assert answered.run("evals/shop.suite.yaml", "--new").code == 3
        assert sorted(answered.calls) == ["one", "two"]


class TestAHit:
    def test_is_a_start_of_the_same_work(self, answered: UserProject) -> None:
        ended: Ended = answered.run()
        assert answered.calls == []
        assert "Cache: 2 of 2 trials came from the cache, the oldest from 20" in ended.out

    @pytest.mark.parametrize(
        "name", ["tests/test_shop.py", "tests/test_new.py", "docs/index.md", "docs/new.md", "README.md", "CHANGELOG.md"]
    )
    def test_is_an_edit_of_tests_and_docs(self, answered: UserProject, name: str) -> None:
        answered.write(name, "changed")
        assert calls(answered) == []

    def test_is_a_comment_in_a_spec(self, answered: UserProject) -> None:
        answered.write("evals/one.yaml", "# why\nturns:\n  - {user: 'one'}  # same\nid: one\n")
        assert calls(answered) == []

    def test_is_another_check_or_threshold(self, answered: UserProject) -> None:
        answered.case("one", "  expect: {reply_contains_any: [brief]}\nthreshold: 0.5\ntags: [x]\n", user="one")
        answered.suite("environment: [SHOP_MOOD]\ngates: {x: {tags: [x]}}\n")
        assert calls(answered) == []

    def test_is_a_case_beside_others(self, answered: UserProject) -> None:
        answered.case("three", user="three")
        assert calls(answered) == ["three"]
        (answered.root / "evals/two.yaml").unlink()
        assert calls(answered) == []

    def test_is_an_environment_variable_that_nobody_declared(
        self, answered: UserProject, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SHOP_OTHER", "new")
        assert calls(answered) == []

    def test_is_shown_by_plan_before_anything_runs(self, answered: UserProject) -> None:
        answered.case("three", user="three")
        ended = answered.proctor("plan", "evals/shop.suite.yaml")
        assert ended.code == 0
        assert "3 trials, 2 of them in the cache, the oldest from 20" in ended.out
        assert answered.calls == []
