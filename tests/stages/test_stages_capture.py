"""A capture that is stopped goes on, data sets of any size are read again, and rows stay what they were."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from user_project import UserProject

from proctor.config import load_project
from proctor.errors import SourceChanged
from proctor.formats.assevra.observed import OBSERVED, definition
from proctor.overrides import Overrides
from proctor.results import TrialRef
from proctor.stages import cases
from proctor.stages.recorded.capture import capture_plan
from proctor.stages.recorded.captured_rows import captured_row, write_rows
from proctor.stages.run import open_run
from proctor.store import open_store
from proctor.trajectory import Ending, Failure, ToolCall, Trajectory, TurnRecord, Usage

QUESTIONS = [f"ask {number:02}" for number in range(12)]
# The agent stops for good at the sixth call, until the file GO is there.
ANSWER = """if CALLS.read_text().count("\\n") > 5 and not GO.exists():
        import asyncio
        await asyncio.sleep(60)
    return said, []"""


def write(project: UserProject, names: list[str]) -> None:
    rows = [{"id": name, "dimension": "pii", "input": name} for name in names]
    project.write("evals/questions.jsonl", "".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def go(tmp_path: Path) -> Path:
    return tmp_path / "go"


@pytest.fixture
def twelve(project: UserProject, go: Path) -> UserProject:
    project.write("pyproject.toml", '[tool.proctor]\nspecs = ["evals"]\nconcurrency = 1\nagent = "shop:agent"\n')
    project.agent(ANSWER, before=f"from pathlib import Path\nGO = Path({str(go)!r})\n")
    write(project, QUESTIONS)
    return project


COMMAND = ("capture", "evals/questions.jsonl", "--out", "rows.jsonl")


def stop_at_the_sixth_call(project: UserProject, number: int) -> None:
    process = project.start(*COMMAND)
    deadline = time.monotonic() + 30
    while len(project.calls) < 6 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(number)
    out, err = process.communicate(timeout=20)
    assert b"Traceback" not in err
    assert out == b""
    if number == signal.SIGINT:
        assert (process.returncode, err) == (130, b"interrupted; what is done is kept: start again to go on\n")


class TestACaptureThatWasStopped:
    @pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
    def test_goes_on_with_what_is_missing(self, twelve: UserProject, go: Path, number: int) -> None:
        stop_at_the_sixth_call(twelve, number)
        assert not (twelve.root / "rows.jsonl").exists()
        (before,) = twelve.proctor("runs", "--format", "json").json()
        assert before["status"] != "finished"
        go.touch()
        twelve.forget_calls()
        ended = twelve.proctor(*COMMAND)
        assert ended.code == 0
        assert ended.out.splitlines()[0] == f"went on with run {before['id']}"
        assert "answers: 7 played, 5 stored before" in ended.out
        assert twelve.calls == QUESTIONS[5:]
        rows = [json.loads(line) for line in (twelve.root / "rows.jsonl").read_text().splitlines()]
        assert [row["agent_output"] for row in rows] == QUESTIONS
        (after,) = twelve.proctor("runs", "--format", "json").json()
        assert (after["id"], after["status"], after["decision"]) == (before["id"], "finished", None)

    def test_is_left_alone_by_new(self, twelve: UserProject, go: Path) -> None:
        stop_at_the_sixth_call(twelve, signal.SIGKILL)
        go.touch()
        ended = twelve.proctor(*COMMAND, "--new")
        assert "answers: 7 played, 5 from the cache" in ended.out
        assert len(twelve.proctor("runs", "--format", "json").json()) == 2


class TestADataSet:
    def test_that_is_too_large_to_be_kept_is_read_again(
        self, twelve: UserProject, go: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        go.touch()
        monkeypatch.setattr(cases, "KEPT", 3)
        assert twelve.proctor(*COMMAND).code == 0
        assert twelve.calls == QUESTIONS

    def test_that_changes_before_it_is_written_leaves_no_file(self, twelve: UserProject, go: Path) -> None:
        go.touch()
        settings = load_project(twelve.root)
        compiled = capture_plan(twelve.root / "evals/questions.jsonl", settings, Overrides())
        out = twelve.root / "rows.jsonl"
        with open_store(None, twelve.root) as store:
            run = open_run(compiled, store)
            write(twelve, [*QUESTIONS, "more"])
            with pytest.raises(SourceChanged, match="changed while the run was under way"):
                write_rows(run, out)
            run.release()
        assert [path.name for path in twelve.root.iterdir() if "rows" in path.name] == []


names = st.text(max_size=8).filter(str.strip)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3)
)
fields = st.dictionaries(st.sampled_from(["input", "must_include", "team", "_suggested", *sorted(OBSERVED)]), values)


class TestACapturedRow:
    @given(name=names, more=fields)
    def test_asks_what_the_question_asks(self, name: str, more: dict[str, Any]) -> None:
        row = {"id": name, "dimension": "pii", **more}
        for ending in Ending:
            seen = Trajectory(ending, (TurnRecord("q", "a"),), Failure("exception", "E", "no"))
            made = captured_row(row, seen, TrialRef("agent", name, 0), runs=1, run_id="run")
            assert definition(made) == definition(row)
            assert made["agent_output"] == "a"

    @given(ids=st.lists(st.text("a#1", min_size=1, max_size=4), unique=True, max_size=6), runs=st.integers(2, 12))
    def test_has_an_id_of_its_own(self, ids: list[str], runs: int) -> None:
        seen = Trajectory(Ending.COMPLETED, (TurnRecord("q", "a"),))
        made = [
            captured_row({"id": name}, seen, TrialRef("agent", name, number), runs=runs, run_id="run")
            for name in ids
            for number in range(runs)
        ]
        assert len({row["id"] for row in made}) == len(ids) * runs

    def test_has_costs_cached_tokens_and_odd_arguments(self) -> None:
        usage = Usage.from_json({"input_tokens": 5, "cache_read_tokens": 100, "cost_usd": "0.00012"})
        calls = (ToolCall("named"), ToolCall("odd", [1, None]), ToolCall("text", "{}", is_error=True))
        seen = Trajectory(Ending.COMPLETED, (TurnRecord("q", "a", calls),), usage=usage, latency_ms=12.34567)
        made = captured_row({"id": "x"}, seen, TrialRef("agent", "x", 0), runs=1, run_id="run")
        assert made["usage"] == {"input_tokens": 5, "output_tokens": 0, "cache_read_input_tokens": 100}
        assert (made["cost_usd"], made["latency_ms"]) == (0.00012, 12.346)
        assert made["tool_calls"] == [
            {"name": "named", "arguments": None},
            {"name": "odd", "arguments": "[1, null]"},
            {"name": "text", "arguments": "{}", "is_error": True},
        ]

    def test_that_errored_says_why(self) -> None:
        failure = Failure("timeout", "TrialTimeout", "the trial took longer than 1 s")
        made = captured_row(
            {"id": "x"}, Trajectory(Ending.ERRORED, (), failure), TrialRef("agent", "x", 0), runs=1, run_id="run"
        )
        assert made["_capture_error"] == "TrialTimeout: the trial took longer than 1 s"
        assert (made["agent_output"], made["tool_calls"], "latency_ms" in made) == ("", [], False)
