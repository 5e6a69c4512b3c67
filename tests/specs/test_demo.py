"""`make demo` runs every example, and says so when one ends otherwise than its file says."""

from __future__ import annotations

import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from proctor.cli.schemas import read_schema
from proctor.stages.target import spec_slug

ROOT = Path(__file__).parents[2]
SUITES = sorted((ROOT / "specs").rglob("*.suite.yaml"))

Demonstrate = Callable[..., str | None]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the examples in a project of their own."""
    shutil.copytree(ROOT / "specs", tmp_path / "specs")
    shutil.copy(ROOT / "prefect.yaml", tmp_path)
    return tmp_path


@pytest.fixture
def demonstrate(copy: Path) -> Demonstrate:
    found: Demonstrate = runpy.run_path(str(copy / "specs" / "demo.py"))["demonstrate"]
    return found


class TestDemo:
    def test_a_suite_that_ends_as_its_file_says_shows_its_verdict_and_its_report(
        self, demonstrate: Demonstrate, copy: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert demonstrate(copy / "specs/booking/booking-strict.suite.yaml", inline=True) is None
        _, _, verdict, cache, report = capsys.readouterr().out.splitlines()
        assert verdict == "Failed (exit code 1): gate changes is not met: 0 of 1 case passed, needs 1"
        assert cache == "0 answers came from the cache"
        assert Path(report.removeprefix("report: ")).is_file()

    def test_another_exit_code_is_told(self, demonstrate: Demonstrate, copy: Path) -> None:
        suite = copy / "specs/booking/booking-strict.suite.yaml"
        suite.write_text(
            suite.read_text(encoding="utf-8").replace("# Exit code: 1", "# Exit code: 0"), encoding="utf-8"
        )
        told = demonstrate(suite, inline=True)
        assert told is not None
        assert told.startswith("specs/booking/booking-strict.suite.yaml ended with exit code 1, and its file says 0\n")

    def test_a_suite_that_does_not_say_how_it_ends_is_told(self, demonstrate: Demonstrate, copy: Path) -> None:
        suite = copy / "specs" / "silent.suite.yaml"
        suite.write_text("specs: [booking/transcripts]\n", encoding="utf-8")
        told = demonstrate(suite, inline=True)
        assert told == "specs/silent.suite.yaml does not say how it ends: write a line '# Exit code: N'"

    @pytest.mark.engine
    def test_the_whole_demo_ends_with_0_also_when_the_cache_is_full(self, demonstrate: Demonstrate, copy: Path) -> None:
        demonstrate(copy / "specs/booking/booking.suite.yaml", inline=True)
        ended = subprocess.run(
            [sys.executable, "specs/demo.py"], cwd=copy, capture_output=True, text=True, timeout=300, check=False
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
        assert ended.stdout.count("20 answers came from the cache") == 2
        assert f"All {len(SUITES)} suites ended as their files say." in ended.stdout
        assert "Traceback" not in ended.stderr


class TestSuiteFiles:
    @pytest.mark.parametrize("suite", SUITES, ids=lambda path: path.name)
    def test_the_schema_that_a_suite_names_is_there_and_accepts_it(self, suite: Path) -> None:
        text = suite.read_text(encoding="utf-8")
        named = suite.parent / text.splitlines()[0].removeprefix("# yaml-language-server: $schema=")
        assert named.resolve() == ROOT / "proctor" / "formats" / "schemas" / "suite.schema.json"
        jsonschema.validate(yaml.safe_load(text), read_schema("suite"))

    def test_every_suite_has_a_deployment(self) -> None:
        deployments: Any = yaml.safe_load((ROOT / "prefect.yaml").read_text(encoding="utf-8"))["deployments"]
        wanted = {f"proctor_flows.evaluate.eval_{spec_slug(suite).replace('-', '_')}" for suite in SUITES}
        assert {deployment["entrypoint"] for deployment in deployments} == wanted
