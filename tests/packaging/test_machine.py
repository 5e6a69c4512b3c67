"""A test that lacks something is skipped with a reason, listed at the end, and fails where it must not be skipped."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import machine
import pytest

SAMPLE = """
import pytest

@pytest.mark.requires("git")
def test_marked():
    raise AssertionError("ran without git")

def test_fixture(require):
    require("peer-files")
    raise AssertionError("ran without peer files")

def test_database(postgresql_url):
    assert "host=" in postgresql_url

@pytest.mark.skip(reason="only on Sundays")
@pytest.mark.parametrize("day", [1, 2, 3])
def test_other(day):
    pass
"""


RunSample = Callable[..., str]


@pytest.fixture
def run_sample(tmp_path: Path) -> RunSample:
    """Run the sample tests under our plugin with a PATH on which there is nothing, and return what was printed."""

    def run(**environment: str) -> str:
        (tmp_path / "test_sample.py").write_text(SAMPLE)
        (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -q --strict-markers\nfilterwarnings = error\n")
        command = [sys.executable, "-m", "pytest", "-p", "conftest", "-p", "no:cacheprovider", "-p", "no:xdist"]
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PROCTOR_", "PYTEST_"))}
        kept |= {"PATH": str(tmp_path), "PYTHONPATH": str(Path(machine.__file__).parent)}
        kept |= {"PROCTOR_PEER_FILES": ""}
        done = subprocess.run(
            [*command, "-k", "not database"],
            cwd=tmp_path,
            env=kept | environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout + done.stderr

    return run


class TestSkips:
    def test_the_table_at_the_end_says_what_was_skipped_and_how_to_get_it(self, run_sample: RunSample) -> None:
        printed = run_sample()
        assert "what was skipped, and why" in printed
        assert "    1  test_sample.py  no git on this machine: install git" in printed
        assert "    1  test_sample.py  no peer-files on this machine: set PROCTOR_PEER_FILES to their folder" in printed
        assert "    3  test_sample.py  only on Sundays" in printed
        assert "5 skipped, 1 deselected" in printed

    def test_a_required_thing_fails_the_tests_that_lack_it_and_no_others(self, run_sample: RunSample) -> None:
        printed = run_sample(PROCTOR_TEST_REQUIRE="git, chromium")
        assert "no git on this machine, and PROCTOR_TEST_REQUIRE asks for it: install git" in printed
        assert "1 error" in printed
        assert "4 skipped" in printed

    def test_a_required_name_that_does_not_exist_is_refused(self, run_sample: RunSample) -> None:
        printed = run_sample(PROCTOR_TEST_REQUIRE="postgres")
        assert (
            "PROCTOR_TEST_REQUIRE names postgres; "
            "known are assevra, chromium, git, peer-files, postgresql, pytest-agent-eval" in printed
        )


class TestFinding:
    @pytest.mark.parametrize("name", sorted(machine.RESOURCES))
    def test_every_resource_is_found_or_says_how_to_get_it(self, name: str) -> None:
        found = machine.RESOURCES[name].find()
        assert found is None or found.exists()
        assert machine.RESOURCES[name].hint

    def test_peer_files_are_looked_for_where_the_variable_says_and_nowhere_else(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PROCTOR_PEER_FILES", "")
        assert machine.find_peer_files() is None
        monkeypatch.setenv("PROCTOR_PEER_FILES", str(tmp_path))
        assert machine.find_peer_files() == tmp_path.resolve()
