"""A data set run as a flow on a real server: task runs by file and span, states, artifacts, and the same results."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from flows_server import Server
from recorded_rows import answered, grades, grounded, leaking, lines, scores

pytestmark = [pytest.mark.engine, pytest.mark.xdist_group("engine")]

SUITE = "specs: [rows.jsonl, more.jsonl]\njudge: {model: 'python:grades:judge'}\nconcurrency: 1\n"
TASKS = ["aggregate", "deterministic-score", "deterministic-score", "execute-runs", "execute-runs", "judge-score",
         "report", "validate"]  # fmt: skip


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text('[tool.proctor]\nspecs = ["."]\n')
    (tmp_path / "grades.py").write_text(grades(*scores(5, 4)))
    (tmp_path / "rows.jsonl").write_text(lines([grounded("a"), answered("b"), grounded("c")]))
    (tmp_path / "more.jsonl").write_text(lines([leaking("d", leaks=False)]))
    (tmp_path / "recorded.suite.yaml").write_text(SUITE)
    return tmp_path


def proctor(server: Server, project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "proctor", *arguments]
    return subprocess.run(
        command, cwd=project, env=server.environment, capture_output=True, text=True, check=False, timeout=120
    )


def tasks_of(server: Server) -> list[tuple[str, str, str]]:
    """Name, state and message of each task run of the newest flow run."""
    return sorted(
        (task["name"].rpartition("-")[0], task["state"]["name"], task["state"]["message"] or "")
        for task in server.task_runs(server.flow_run("eval-recorded"), len(TASKS))
    )


def artifact(server: Server, key: str) -> Any:
    """The newest artifact with a key."""
    found = [each for each in server.ask("artifacts", sort="CREATED_DESC") if each["key"] == key]
    return found[0]["data"]


class TestADataSet:
    def test_is_a_flow_run_with_a_task_for_each_file_and_span(self, server: Server, project: Path) -> None:
        first = proctor(server, project, "run", "recorded.suite.yaml", "--format", "json")
        assert (first.returncode, first.stderr) == (0, "")
        state = server.flow_run("eval-recorded")["state"]
        assert state["type"] == "COMPLETED"
        assert state["message"].startswith("all 3 gates are met (run ")
        tasks = tasks_of(server)
        assert [name for name, _, _ in tasks] == TASKS
        messages = {(name, message) for name, state, message in tasks if state == "Completed"}
        assert {
            ("execute-runs", "3 recorded"),
            ("execute-runs", "1 recorded"),
            ("deterministic-score", "3 rows scored, 2 questions for judges"),
            ("deterministic-score", "1 row scored"),
            ("judge-score", "2 asked"),
        } <= messages
        assert "grounding" in str(artifact(server, "gate-recorded"))
        assert "recorded" in artifact(server, "summary-recorded")
        assert "report.html" in artifact(server, "report-recorded")

        second = proctor(server, project, "run", "recorded.suite.yaml", "--format", "json")
        assert json.loads(second.stdout)["cached_verdicts"] == 2
        assert ("judge-score", "Cached", "2 from the cache") in tasks_of(server)

    def test_has_the_results_of_the_inline_engine(self, server: Server, project: Path) -> None:
        found = []
        for engine in ("inline", "prefect"):
            done = proctor(
                server,
                project,
                "run",
                "recorded.suite.yaml",
                "--engine",
                engine,
                "--format",
                "json",
                "--new",
                "--refresh",
            )
            assert done.returncode == 0, done.stderr
            summary = json.loads(Path(json.loads(done.stdout)["reports"]["json"]).read_text())["summary"]
            found.append({name: summary[name] for name in ("reason", "gates", "trials", "slices", "dimensions")})
        assert found[0] == found[1]

    def test_that_fails_ends_its_flow_run_so(self, server: Server, project: Path) -> None:
        (project / "more.jsonl").write_text(lines([leaking("d", leaks=True)]))
        assert proctor(server, project, "run", "recorded.suite.yaml").returncode == 1
        state = server.flow_run("eval-recorded")["state"]
        assert (state["type"], state["name"]) == ("FAILED", "Gate not met")
        assert state["message"].startswith("gate pii is not met: 0 of 1 row passed, needs 1 (run ")

    def test_that_changes_on_the_way_could_not_be_evaluated(self, server: Server, project: Path) -> None:
        rows = str(project / "rows.jsonl")
        # The judge is imported after validation, before the first file is verified.
        changing = f"\n\nwith open({rows!r}, 'a') as file:\n    file.write('\\n')\n"
        (project / "grades.py").write_text(grades(*scores(5, 4)) + changing)
        done = proctor(server, project, "run", "recorded.suite.yaml")
        assert done.returncode == 3
        assert done.stderr.endswith(
            "error: rows.jsonl changed while the run was under way\n  hint: start the run again; what is done is kept\n"
        )
        state = server.flow_run("eval-recorded")["state"]
        assert (state["type"], state["name"]) == ("CRASHED", "Could not evaluate")
        assert state["message"] == "rows.jsonl changed while the run was under way"
