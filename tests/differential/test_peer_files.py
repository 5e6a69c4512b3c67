"""Other people's files run unchanged: read where they lie, never copied."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import proctor
from proctor.config import Project, ProjectSettings
from proctor.judges.scripted import ScriptedJudge
from proctor.results import Outcome

pytestmark = pytest.mark.requires("peer-files")


@pytest.fixture
def files(require: Callable[[str], Path]) -> list[Path]:
    folder = require("peer-files") / "pytest_agent_eval"
    found = sorted(path for path in folder.rglob("*.yaml"))
    if not found:
        pytest.skip("no transcripts among the peer files")
    return found


class TestPytestAgentEval:
    def test_every_transcript_is_valid_and_runs_to_a_verdict(self, files: list[Path], tmp_path: Path) -> None:
        async def agent(messages: list[dict[str, str]]) -> tuple[str, list[str]]:
            return f"booking confirmed: {messages[-1]['content']}", ["check_availability", "create_booking"]

        project = Project(tmp_path, ProjectSettings(report={"formats": ["json"]}))
        for path in files:
            judge = ScriptedJudge([True] * 20)
            found = proctor.evaluate(path, agent, judge=judge, project=project)
            outcomes = {detail.score.outcome for detail in found.results.cases()}
            assert outcomes <= {Outcome.PASSED, Outcome.FAILED}, path.name
            assert found.summary.exit_code in (0, 1)
