"""The command at a terminal and in a pipe."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from user_project import UserProject

pty = pytest.importorskip("pty", reason="needs pseudo-terminals")


@pytest.fixture
def one(project: UserProject) -> UserProject:
    project.case("one")
    project.suite()
    return project


def read_all(descriptor: int) -> str:
    """Everything that was written to a terminal whose other end is closed."""
    text = b""
    while True:
        try:
            part = os.read(descriptor, 65_536)
        except OSError:
            part = b""
        if not part:
            os.close(descriptor)
            return text.decode()
        text += part


class TestStandardError:
    def test_shows_the_stages_at_a_terminal_and_leaves_nothing_behind(self, one: UserProject) -> None:
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [sys.executable, "-m", "proctor", "run", "evals/shop.suite.yaml"],
            cwd=one.root,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "120"},
            stdout=subprocess.PIPE,
            stderr=theirs,
        )
        os.close(theirs)
        out, _ = process.communicate(timeout=60)
        shown = read_all(ours)
        assert process.returncode == 0
        assert "report " in shown
        assert b"Passed: shop" in out
        assert b"\x1b" not in out


class TestStandardOutput:
    @pytest.mark.parametrize(
        ("variables", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]
    )
    def test_is_coloured_at_a_terminal_that_takes_it(
        self, one: UserProject, variables: dict[str, str], coloured: bool
    ) -> None:
        ours, theirs = pty.openpty()
        environment = {**os.environ, "TERM": "xterm"} | variables
        if "NO_COLOR" not in variables:
            environment.pop("NO_COLOR", None)
        process = subprocess.Popen(
            [sys.executable, "-m", "proctor", "run", "evals/shop.suite.yaml"],
            cwd=one.root,
            env=environment,
            stdout=theirs,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs)
        shown = read_all(ours)
        assert process.wait(60) == 0
        assert ("\x1b[32m" in shown) is coloured
        assert "Passed: shop" in shown

    def test_may_be_closed_by_its_reader(self, one: UserProject) -> None:
        one.run()
        reading, writing = os.pipe()
        os.close(reading)
        process = subprocess.Popen(
            [sys.executable, "-m", "proctor", "runs"], cwd=one.root, stdout=writing, stderr=subprocess.PIPE
        )
        os.close(writing)
        _, err = process.communicate(timeout=60)
        assert err == b""
        assert process.returncode != 0
