"""Standard streams that are closed, full, or used by somebody else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from user_project import UserProject

RUN = "run evals/shop.suite.yaml"


def shell(project: UserProject, command: str, redirection: str) -> subprocess.CompletedProcess[str]:
    """Run the command from a shell, with its streams redirected."""
    return subprocess.run(
        ["sh", "-c", f'"$0" -m proctor {command} {redirection}', sys.executable],
        cwd=project.root,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def one(project: UserProject) -> UserProject:
    project.case("one")
    project.suite()
    return project


class TestAClosedStream:
    @pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
    def test_changes_no_verdict(self, one: UserProject, closed: str) -> None:
        ended = shell(one, RUN, closed)
        assert (ended.returncode, ended.stderr) == (0, "")
        assert one.results()["summary"]["exit_code"] == 0

    def test_changes_no_error(self, one: UserProject) -> None:
        assert shell(one, "run evals/nowhere.yaml", "2>&-").returncode == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
class TestAFullDisk:
    @pytest.mark.parametrize("command", [RUN, f"{RUN} --format json", "schema suite", "validate evals"])
    def test_behind_standard_output_is_one_error(self, one: UserProject, command: str) -> None:
        ended = shell(one, command, ">/dev/full")
        assert ended.returncode == 3
        assert ended.stderr.splitlines() == [
            "error: standard output cannot be written to: No space left on device",
            (
                "  hint: free some space or send it elsewhere; "
                "a run is kept, and proctor report latest writes its reports again"
            ),
        ]

    def test_behind_standard_error_leaves_the_exit_code(self, one: UserProject) -> None:
        assert shell(one, "run evals/nowhere.yaml", "2>/dev/full").returncode == 2


class TestAnAgent:
    def test_that_prints_does_not_print_into_the_results(self, one: UserProject) -> None:
        one.agent(
            before="import os, sys\n",
            answer="print('from python'); sys.stdout.flush(); os.write(1, b'from below'); return 'yes', []",
        )
        ended = shell(one, f"{RUN} --format json", "")
        assert json.loads(ended.stdout)["exit_code"] == 0
        assert "from python\nfrom below" in ended.stderr

    @pytest.mark.parametrize("misdeed", ["sys.stdout.close()", "os.close(1)", "sys.stdout = sys.stderr = None"])
    def test_that_closes_the_streams_takes_no_result_away(self, one: UserProject, misdeed: str) -> None:
        one.agent(before="import os, sys\n", answer=f"{misdeed}; return 'yes', []")
        ended = shell(one, RUN, "")
        assert (ended.returncode, ended.stderr) == (0, "")
        assert "Passed: shop" in ended.stdout


class TestAWorkingFolder:
    def test_that_is_gone_is_one_error(self, one: UserProject) -> None:
        (one.root / "gone").mkdir()
        ended = subprocess.run(
            ["sh", "-c", 'cd gone && rmdir ../gone && "$0" -m proctor runs', sys.executable],
            cwd=one.root,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert ended.returncode == 2
        assert ended.stderr.splitlines()[-2:] == [
            "error: the working folder is gone",
            "  hint: change to a folder that is there",
        ]
