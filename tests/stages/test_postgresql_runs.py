"""Whole runs on a real PostgreSQL store."""

from __future__ import annotations

from pathlib import Path

import pytest

import proctor
from proctor.config import load_project
from proctor.results import Decision

AGENT = """
from pathlib import Path

async def agent(messages):
    with Path(__file__).with_name("calls.log").open("a") as log:
        log.write("call\\n")
    return "hello \\x00 \\ud83d", []
"""


@pytest.mark.requires("postgresql")
class TestARunOnPostgresql:
    """A run and its cache work on PostgreSQL as they do on SQLite, whatever text an agent returns."""

    @pytest.fixture
    def project(self, tmp_path: Path, postgresql_url: str, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.setenv("PROCTOR_STORE", postgresql_url)
        (tmp_path / "pyproject.toml").write_text("[tool.proctor]\n")
        (tmp_path / ".gitignore").write_text("calls.log\n")
        (tmp_path / "postgresql_agent.py").write_text(AGENT)
        (tmp_path / "case.yaml").write_text(
            "id: a\nruns: 3\nthreshold: 1\nturns: [{user: hi, expect: {reply_contains_any: [hello]}}]\n"
        )
        return tmp_path

    def test_a_second_run_calls_no_agent_and_finds_the_same(self, project: Path) -> None:
        import subprocess

        subprocess.run(["git", "init", "-q"], cwd=project, check=True)
        summaries = []
        for _ in range(2):
            found = proctor.evaluate(project / "case.yaml", "postgresql_agent:agent", project=load_project(project))
            summaries.append(found.summary)
            (detail,) = found.results.cases()
            assert [trial.trajectory.turns[0].reply for trial in detail.trials] == ["hello \x00 \ud83d"] * 3
        assert [summary.decision for summary in summaries] == [Decision.PASSED] * 2
        assert [summary.cached_trials for summary in summaries] == [0, 3]
        assert (project / "calls.log").read_text() == "call\n" * 3
