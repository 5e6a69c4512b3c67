"""A run that was stopped goes on, runs what is missing once, and ends like one that was not."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import pytest
from user_project import UserProject

from proctor.config import load_project
from proctor.overrides import Overrides
from proctor.stages.run import open_run
from proctor.stages.validate import compile_plan
from proctor.store import open_store

CASES = [f"ask {number:02}" for number in range(12)]
# The agent stops for good at the sixth call, until the file GO is there.
ANSWER = """if CALLS.read_text().count("\\n") > 5 and not GO.exists():
        import asyncio
        await asyncio.sleep(60)
    return {"reply": said, "tool_calls": [], "usage": {"input_tokens": 5}}"""


@pytest.fixture
def go(tmp_path: Path) -> Path:
    return tmp_path / "go"


@pytest.fixture
def twelve(project: UserProject, go: Path) -> UserProject:
    project.agent(ANSWER, before=f"from pathlib import Path\nGO = Path({str(go)!r})\n")
    for number, user in enumerate(CASES):
        wanted = "nothing" if number == 3 else "ask"
        project.case(f"case-{number:02}", f"  expect: {{reply_contains_any: [{wanted}]}}\n", user=user)
    project.suite("concurrency: 1\n")
    return project


def stop_at_the_sixth_call(project: UserProject, number: int) -> None:
    """Start the run, and stop it by a signal when its agent does not answer any more."""
    process = project.start("run", "evals/shop.suite.yaml")
    deadline = time.monotonic() + 30
    while len(project.calls) < 6 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(number)
    out, err = process.communicate(timeout=20)
    assert b"Traceback" not in err
    assert out == b""
    if number == signal.SIGINT:
        assert process.returncode == 130
        assert err == b"interrupted; what is done is kept: start again to go on\n"


def runs(project: UserProject) -> list[dict[str, object]]:
    listed: list[dict[str, object]] = project.proctor("runs", "--format", "json").json()
    return listed


class TestARunThatWasStopped:
    @pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
    def test_goes_on_with_what_is_missing(self, twelve: UserProject, go: Path, number: int) -> None:
        stop_at_the_sixth_call(twelve, number)
        [before] = runs(twelve)
        assert before["status"] != "finished"
        assert twelve.calls == CASES[:6]
        go.touch()
        twelve.forget_calls()
        ended = twelve.run()
        assert ended.code == 1
        assert f"went on with run {before['id']}\n" in ended.err
        assert twelve.calls == CASES[5:]
        [after] = runs(twelve)
        assert (after["id"], after["status"], after["decision"]) == (before["id"], "finished", "failed")

    def test_ends_with_the_totals_of_an_unbroken_one(self, twelve: UserProject, go: Path) -> None:
        stop_at_the_sixth_call(twelve, signal.SIGKILL)
        go.touch()
        twelve.run()
        resumed = twelve.results()
        twelve.run("evals/shop.suite.yaml", "--new", "--refresh")
        unbroken = twelve.results()
        for name in ("decision", "reason", "cases", "trials", "usage", "gates", "cached_trials"):
            assert resumed["summary"][name] == unbroken["summary"][name]
        assert resumed["summary"]["usage"] == {"input_tokens": 60}
        replies = [
            [(case["case"], case["outcome"], [trial["trajectory"]["turns"][0]["reply"] for trial in case["trials"]])
             for case in results["cases"]]
            for results in (resumed, unbroken)
        ]  # fmt: skip
        assert replies[0] == replies[1]

    def test_is_left_alone_by_new(self, twelve: UserProject, go: Path) -> None:
        stop_at_the_sixth_call(twelve, signal.SIGKILL)
        go.touch()
        ended = twelve.run("evals/shop.suite.yaml", "--new")
        assert "went on" not in ended.err
        newest, oldest = runs(twelve)
        assert (newest["status"], oldest["status"]) == ("finished", "running")

    def test_is_left_alone_when_the_spec_has_changed(self, twelve: UserProject, go: Path) -> None:
        stop_at_the_sixth_call(twelve, signal.SIGKILL)
        go.touch()
        twelve.case("case-12", user="ask 12")
        assert "went on" not in twelve.run().err
        assert len(runs(twelve)) == 2

    def test_keeps_its_own_answers_under_refresh(self, twelve: UserProject, go: Path) -> None:
        """``--refresh`` skips the cache of earlier runs, not what the run itself has stored."""
        process = twelve.start("run", "evals/shop.suite.yaml", "--refresh")
        while len(twelve.calls) < 6 and process.poll() is None:
            time.sleep(0.02)
        process.kill()
        process.communicate()
        go.touch()
        twelve.forget_calls()
        ended = twelve.run("evals/shop.suite.yaml", "--refresh")
        assert "went on with run" in ended.err
        assert twelve.calls == CASES[5:]

    def test_is_told_in_json_too(self, twelve: UserProject, go: Path) -> None:
        stop_at_the_sixth_call(twelve, signal.SIGKILL)
        go.touch()
        assert twelve.run("evals/shop.suite.yaml", "--format", "json").json()["resumed"] is True
        assert twelve.run("evals/shop.suite.yaml", "--format", "json").json()["resumed"] is False


class TestAnUnfinishedRun:
    """It is gone on with by a start of the same work; a change that can move a verdict or an answer is other work."""

    @staticmethod
    def goes_on(project: UserProject, overrides: Overrides) -> bool:
        """Open the run, and leave it unfinished."""
        settings = load_project(project.root)
        compiled = compile_plan(project.root / "evals/shop.suite.yaml", settings, overrides)
        with open_store(None, project.root) as store:
            run = open_run(compiled, store)
            run.release()
        return run.resumed

    @pytest.mark.parametrize(
        "more",
        [
            "",
            "allow: {errored: 0.5}",
            "allow: {unscored: 0.5}",
            "checks: ['shop:Check']",
            "compat: upstream",
            "environment: [SHOP_MOOD]",
            "gates: {g: {tags: [x]}}",
            "gates: {g: {tags: [x], threshold: 0.5}}",
            "judge: self-test",
            "judge: {ask: undecided}",
            "purpose: triage",
            "runs: 2",
            "threshold: 0.5",
            "timeouts: {turn: 5}",
        ],
    )
    def test_is_left_alone_when_the_suite_says_something_else(self, project: UserProject, more: str) -> None:
        project.case("one")
        project.suite("concurrency: 3\n")
        assert not self.goes_on(project, Overrides())
        project.suite(f"concurrency: 3\n{more}\n")
        assert self.goes_on(project, Overrides()) == (not more)

    @pytest.mark.parametrize(
        "overrides", [Overrides(), Overrides(refresh=True), Overrides(select=["one"]), Overrides(judge="self-test")]
    )
    def test_is_left_alone_when_a_flag_says_something_else(self, project: UserProject, overrides: Overrides) -> None:
        project.case("one")
        project.suite()
        assert not self.goes_on(project, Overrides())
        assert self.goes_on(project, overrides) == (overrides == Overrides())

    def test_is_left_alone_when_the_agent_has_changed(self, project: UserProject) -> None:
        project.case("one")
        project.suite()
        assert not self.goes_on(project, Overrides())
        project.agent('return "other", []')
        assert not self.goes_on(project, Overrides())


class TestAFinishedRun:
    def test_is_not_resumed(self, project: UserProject) -> None:
        project.case("one")
        project.suite()
        project.run()
        assert "went on" not in project.run().err
        assert len(runs(project)) == 2


class TestTwoRunsAtOnce:
    def test_are_two_runs_although_the_first_is_unfinished(self, twelve: UserProject, go: Path) -> None:
        first = twelve.start("run", "evals/shop.suite.yaml")
        deadline = time.monotonic() + 30
        while len(twelve.calls) < 6 and time.monotonic() < deadline:
            time.sleep(0.02)
        go.touch()  # the first is asleep at its sixth call already
        ended = twelve.run()
        assert ended.code == 1
        assert "went on" not in ended.err
        newest, oldest = runs(twelve)
        assert (newest["status"], oldest["status"]) == ("finished", "running")
        first.kill()
        first.communicate()
        assert f"went on with run {oldest['id']}" in twelve.run().err

    def test_started_together_end_with_every_case(self, twelve: UserProject, go: Path) -> None:
        go.touch()
        processes = [twelve.start("run", "evals/shop.suite.yaml", "--refresh") for _ in range(3)]
        ends = [self.end_of(process) for process in processes]
        assert [code for code, _ in ends] == [1, 1, 1]
        assert not any("went on" in err for _, err in ends)
        listed = runs(twelve)
        assert [run["status"] for run in listed] == ["finished"] * 3
        assert sorted(twelve.calls) == sorted(CASES * 3)
        for run in listed:
            report = twelve.proctor("report", str(run["id"]), "--format", "json").json()
            assert report["cases"] == {
                "passed": 11, "failed": 1, "errored": 0, "refused": 0, "unscored": 0, "skipped": 0,
            }  # fmt: skip

    @staticmethod
    def end_of(process: subprocess.Popen[bytes]) -> tuple[int, str]:
        _, err = process.communicate(timeout=60)
        return process.returncode, err.decode()
