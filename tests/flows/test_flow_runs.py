"""Specs run as flows on a real server: states, task runs, artifacts, and the same files as without Prefect."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from flows_server import Server
from prefect.settings import PREFECT_API_URL, PREFECT_HOME, temporary_settings

from proctor_flows.server import start_server

pytestmark = [pytest.mark.engine, pytest.mark.xdist_group("engine")]

AGENT = """
async def agent(messages):
    text = messages[-1]["content"]
    if text == "boom":
        raise ConnectionError("the line is dead")
    return text, []
"""
CASE = "id: {id}\nruns: 2\nthreshold: 1\nturns: [{{user: {user}, expect: {{reply_contains_any: [good]}}}}]\n"
SUITE = "specs: [{id}.yaml]\nagents: {{echo: my_agent:agent}}\nconcurrency: 4\n"
STAGES = ["aggregate", "deterministic-score", "execute-runs", "judge-score", "report", "validate"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "my_agent.py").write_text(AGENT)
    (tmp_path / "pyproject.toml").write_text('[tool.proctor]\nspecs = ["."]\n')
    for name, user in (("green", "good"), ("red", "bad"), ("outage", "boom")):
        (tmp_path / f"{name}.yaml").write_text(CASE.format(id=name, user=user))
        (tmp_path / f"{name}.suite.yaml").write_text(SUITE.format(id=name))
    (tmp_path / "broken.suite.yaml").write_text("specs: [nothing.yaml]\n")
    return tmp_path


def proctor(server: Server, project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "proctor", *arguments]
    return subprocess.run(
        command, cwd=project, env=server.environment, capture_output=True, text=True, check=False, timeout=120
    )


class TestAGreenSuite:
    def test_it_is_a_completed_flow_run_of_six_tasks_and_a_second_run_is_cached(
        self, server: Server, project: Path
    ) -> None:
        first = proctor(server, project, "run", "green.suite.yaml", "--format", "json")
        assert (first.returncode, first.stderr) == (0, "")
        flow_run = server.flow_run("eval-green")
        assert flow_run["state"]["type"] == "COMPLETED"
        assert flow_run["state"]["message"].startswith("the one case passed (run ")
        tasks = server.task_runs(flow_run, 6)
        assert sorted(task["name"].rpartition("-")[0] for task in tasks) == STAGES
        assert {task["state"]["name"] for task in tasks} == {"Completed"}

        second = proctor(server, project, "run", "green.suite.yaml", "--format", "json")
        assert json.loads(second.stdout)["cached_trials"] == 2
        (cached,) = [
            task
            for task in server.task_runs(server.flow_run("eval-green"), 6)
            if task["name"].startswith("execute-runs")
        ]
        assert (cached["state"]["name"], cached["state"]["message"]) == ("Cached", "2 from the cache")

    def test_the_files_are_those_of_the_inline_engine(self, server: Server, project: Path) -> None:
        summaries = []
        for engine in ("inline", "prefect"):
            done = proctor(server, project, "run", "green.suite.yaml", "--engine", engine, "--format", "json", "--new")
            report = json.loads(Path(json.loads(done.stdout)["reports"]["json"]).read_text())
            summaries.append(_without_run(report))
        assert summaries[0] == summaries[1]

    def test_gates_and_report_are_artifacts(self, server: Server, project: Path) -> None:
        proctor(server, project, "run", "green.suite.yaml")
        keys = {artifact["key"] for artifact in server.ask("artifacts")}
        assert {"gate-green", "summary-green", "report-green"} <= keys


class TestOtherEnds:
    @pytest.mark.parametrize(
        ("suite", "code", "state", "name", "message"),
        [
            ("red", 1, "FAILED", "Gate not met", "1 of 1 case did not pass: red"),
            ("outage", 3, "CRASHED", "Could not evaluate", "nothing was decided: 2 errored of 2 trials"),
        ],
    )
    def test_the_state_says_what_the_exit_code_says(
        self, server: Server, project: Path, suite: str, code: int, state: str, name: str, message: str
    ) -> None:
        done = proctor(server, project, "run", f"{suite}.suite.yaml")
        assert done.returncode == code
        found = server.flow_run(f"eval-{suite}")["state"]
        assert (found["type"], found["name"]) == (state, name)
        assert message in found["message"]
        assert message.casefold() in done.stdout.replace("\n  ", " ").casefold()


class TestALostServer:
    def test_a_run_that_reached_its_end_keeps_verdict_reports_and_exit_code(self, project: Path) -> None:
        home = project / "home"
        killer = "import os\n\n\ndef agent(messages):\n    os.kill({pid}, {signal})\n    return 'good', []\n"
        with temporary_settings({PREFECT_HOME: home, PREFECT_API_URL: None}):
            server = start_server(project, 0)
        (project / "my_agent.py").write_text(killer.format(pid=server.pid, signal=int(signal.SIGKILL)))
        environment = {**os.environ, "PREFECT_HOME": str(home), "PREFECT_CLIENT_MAX_RETRIES": "0"}
        ended = subprocess.run(
            [sys.executable, "-m", "proctor", "run", "green.suite.yaml", "--runs", "1"],
            cwd=project, env=environment, capture_output=True, text=True, check=False, timeout=120,
        )  # fmt: skip
        assert ended.returncode == 0, ended.stderr
        assert ended.stdout.startswith("✓ Passed: green\n")
        assert f"warning: the Prefect server {server.api_url} was lost during the run: " in ended.stderr
        assert "internal error" not in ended.stderr
        assert "Service 'EventsWorker' failed" not in ended.stderr


class TestEntryPoints:
    def test_a_spec_is_found_by_its_slug_and_a_broken_one_beside_it_does_no_harm(
        self, server: Server, project: Path
    ) -> None:
        done = python(server, project, "load_flow_from_entrypoint('proctor_flows.evaluate.eval_green')")
        assert done.stdout.split() == ["eval-green", "overrides", "pull_request"]

    def test_an_unknown_slug_names_the_folders_and_the_known_ones(self, server: Server, project: Path) -> None:
        done = python(server, project, "load_flow_from_entrypoint('proctor_flows.evaluate.eval_grean')")
        assert "no spec with the slug 'grean'" in done.stderr
        assert "known: broken, green, outage, red" in done.stderr

    def test_an_invalid_spec_ends_its_own_flow_run_only(self, server: Server, project: Path) -> None:
        code = "import asyncio; from proctor_flows import compile_spec; "
        code += "print(asyncio.run(compile_spec('broken.suite.yaml')(return_state=True)).name)"
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, cwd=project, env=server.environment, capture_output=True, text=True, check=False)
        assert done.stdout == "Invalid spec\n"

    def test_evaluate_hands_on_its_parameters(self, server: Server, project: Path) -> None:
        code = "import asyncio; from proctor_flows.evaluate import evaluate; "
        code += "change = {'repo': 'us/shop', 'number': 7, 'sha': 'c0ffee'}; "
        code += "run = evaluate('green.suite.yaml', {'runs': 1}, change, return_state=True); "
        code += "print(asyncio.run(run).name)"
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, cwd=project, env=server.environment, capture_output=True, text=True, check=False)
        assert done.stdout == "Completed\n", done.stderr
        [report] = (project / ".proctor/reports/green").glob("*/report.json")
        summary = json.loads(report.read_text())["summary"]
        assert summary["trials"]["passed"] == 1
        assert summary["provenance"]["pull_request"] == {"repo": "us/shop", "number": 7, "sha": "c0ffee"}


def python(server: Server, project: Path, expression: str) -> subprocess.CompletedProcess[str]:
    code = "from prefect.flows import load_flow_from_entrypoint; "
    code += f"flow = {expression}; print(flow.name, *flow.parameters.properties)"
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=project, env=server.environment, capture_output=True, text=True, check=False)


def _without_run(value: Any) -> Any:
    """A report without what belongs to one run: ids, times, durations, the engine, where answers came from."""
    gone = {"run_id", "started_at", "duration_s", "latency_ms", "latency_p50_ms", "latency_p95_ms", "provenance",
            "cached", "cached_since", "cached_trials", "reports"}  # fmt: skip
    if isinstance(value, dict):
        return {key: _without_run(item) for key, item in value.items() if key not in gone}
    return [_without_run(item) for item in value] if isinstance(value, list) else value
