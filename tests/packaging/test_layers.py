"""Imports go one way, and the commands that only look at files load no engine, model library or database."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SLOW_TO_IMPORT = {"anthropic", "httpx", "openai", "prefect", "pydantic_ai", "scipy", "sqlalchemy", "sqlmodel"}


def loaded_packages(*arguments: str, cwd: Path) -> set[str]:
    """Run a Python command that has to succeed, and return the top-level packages that it imported."""
    command = [sys.executable, "-X", "importtime", *arguments]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{arguments} ended with {done.returncode}:\n{done.stdout}{done.stderr[-2000:]}"
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}


class TestLayers:
    def test_imports_go_one_way(self) -> None:
        command = Path(sys.executable).parent / "lint-imports"
        done = subprocess.run([command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


class TestStart:
    def test_the_probe_sees_what_is_imported(self, tmp_path: Path) -> None:
        """Without this, a change in the output of the interpreter would make the tests below pass for ever."""
        assert "sqlmodel" in loaded_packages("-c", "import sqlmodel", cwd=tmp_path) & SLOW_TO_IMPORT

    @pytest.mark.parametrize("package", ["proctor", "proctor_flows", "proctor_tasks", "proctor_reports"])
    def test_importing_a_package_loads_nothing_slow(self, package: str, tmp_path: Path) -> None:
        assert loaded_packages("-c", f"import {package}", cwd=tmp_path) & SLOW_TO_IMPORT == set()

    def test_help_loads_nothing_slow(self, tmp_path: Path) -> None:
        assert loaded_packages("-m", "proctor", "--help", cwd=tmp_path) & SLOW_TO_IMPORT == set()

    def test_validating_a_file_loads_nothing_slow(self, tmp_path: Path) -> None:
        (tmp_path / "hello.yaml").write_text("id: hello\nturns:\n  - user: Say hello.\n")
        assert loaded_packages("-m", "proctor", "validate", "hello.yaml", cwd=tmp_path) & SLOW_TO_IMPORT == set()
