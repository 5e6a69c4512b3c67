"""The example of recorded traces: one replay is as recorded, the other one leaves its recording."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from user_project import Ended, UserProject

from proctor.replay.drift import prompt_sha256

PI = Path(__file__).parents[2] / "specs" / "pi"

Run = Callable[..., Ended]


@pytest.fixture
def run(project: UserProject) -> Run:
    """Run a suite of a copy of the example."""
    shutil.copytree(PI, project.root / "specs" / "pi")
    return lambda suite, *options: project.run(f"specs/pi/{suite}.suite.yaml", *options)


def checks(project: UserProject, slug: str = "parcels") -> dict[str, dict[str, str]]:
    return {
        case["case"]: {check["name"]: check["outcome"] for check in case["trials"][0]["checks"]}
        for case in project.results(slug)["cases"]
    }


class TestSuites:
    def test_one_replay_leaves_its_recording_and_the_assertions_of_both_hold(
        self, run: Run, project: UserProject
    ) -> None:
        ended = run("parcels")
        assert (ended.code, ended.err) == (0, "")
        found = checks(project)
        assert found["find-a-parcel"]["replay shape"] == "passed"
        assert found["deliver-it-later"]["replay shape"] == "skipped"
        assert {case["system prompt"] for case in found.values()} == {"passed"}

    def test_the_strict_suite_fails_on_the_same_answers(self, run: Run) -> None:
        run("parcels")
        ended = run("parcels-strict")
        assert ended.code == 1
        assert "2 of 2 trials came from the cache" in ended.out
        assert '"day": string' in ended.out

    @pytest.mark.parametrize("mode", ["recorded", "harness"])
    def test_the_other_modes_pass_too(self, mode: str, run: Run) -> None:
        assert run("parcels", "--replay", mode).code == 0

    def test_a_changed_prompt_is_told(self, run: Run, project: UserProject) -> None:
        (project.root / "specs/pi/prompt.txt").write_text("Be rude.\n", encoding="utf-8")
        assert run("parcels").code == 0
        assert run("parcels-strict").code == 1
        assert checks(project, "parcels-strict")["find-a-parcel"]["system prompt"] == "failed"


class TestTraces:
    @pytest.mark.parametrize("path", sorted((PI / "traces").glob("*.jsonl")), ids=lambda path: path.stem)
    def test_are_valid_without_a_warning_and_have_the_prompt_of_the_agent(
        self, path: Path, project: UserProject
    ) -> None:
        ended = project.proctor("validate", path)
        assert (ended.code, ended.err) == (0, "")
        meta: dict[str, Any] = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
        assert meta["systemPromptHash"] == prompt_sha256((PI / "prompt.txt").read_text(encoding="utf-8"))
