"""The wheel, built by way of the sdist, holds the four packages whole and works beside a project of the same shape."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = {
    "proctor": ROOT / "proctor",
    "proctor_flows": ROOT / "flows" / "proctor_flows",
    "proctor_tasks": ROOT / "tasks" / "proctor_tasks",
    "proctor_reports": ROOT / "reports" / "proctor_reports",
}


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    """Run a command that has to succeed, without our own checkout on its path, and return its standard output."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | environment
    done = subprocess.run(command, cwd=cwd, env=kept, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout


def packaged_files() -> Iterator[str]:
    """Yield every file of the four packages as the path that it has to have in the wheel."""
    for name, folder in PACKAGES.items():
        for path in folder.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                yield f"{name}/{path.relative_to(folder).as_posix()}"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the sdist from the checkout, and the wheel from nothing but that sdist."""
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", out, cwd=ROOT)
    shutil.unpack_archive(next(out.glob("*.tar.gz")), out)
    source = next(path for path in out.iterdir() if path.is_dir())
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", out, cwd=source)
    return next(out.glob("*.whl"))


@pytest.fixture(scope="module")
def names(wheel: Path) -> set[str]:
    return set(zipfile.ZipFile(wheel).namelist())


@dataclass(frozen=True)
class Project:
    """A user's project with the wheel installed in its environment."""

    folder: Path
    programs: Path


@pytest.fixture(scope="module")
def project(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Install the wheel into a fresh environment that borrows its dependencies from the one running the tests."""
    environment = tmp_path_factory.mktemp("environment")
    venv.create(environment, with_pip=False)
    python = environment / "bin" / "python"
    install = ["install", "--quiet", "--no-index", "--no-deps", "--disable-pip-version-check"]
    run(sys.executable, "-m", "pip", "--python", python, *install, wheel, cwd=environment)
    borrowed = environment / "lib" / f"python{sysconfig.get_python_version()}" / "site-packages" / "borrowed.pth"
    borrowed.write_text(sysconfig.get_path("purelib") + "\n")

    folder = tmp_path_factory.mktemp("project")
    for name in ("flows", "tasks", "reports"):
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text(f'OWNER = "the user\'s own {name}"\n')
    return Project(folder, environment / "bin")


class TestContents:
    def test_every_file_of_the_packages_is_in_the_wheel(self, names: set[str]) -> None:
        assert sorted(set(packaged_files()) - names) == []

    def test_nothing_else_is(self, names: set[str]) -> None:
        unexpected = {name for name in names - set(packaged_files()) if ".dist-info/" not in name}
        assert unexpected == set()

    @pytest.mark.parametrize("package", PACKAGES)
    def test_each_package_is_typed(self, names: set[str], package: str) -> None:
        assert f"{package}/py.typed" in names

    @pytest.mark.parametrize(
        "folder", ["proctor/formats/schemas/", "proctor/store/migrations/", "proctor_reports/templates/"]
    )
    def test_what_is_read_at_run_time_is_there(self, names: set[str], folder: str) -> None:
        assert any(name.startswith(folder) for name in names), sorted(names)


class TestInstalled:
    def test_the_packages_come_from_the_wheel_and_shadow_nothing_of_the_user(self, project: Project) -> None:
        ours = ", ".join(PACKAGES)
        show = f"import {ours}; [print(m.__file__) for m in ({ours})]"
        files = run(project.programs / "python", "-c", show, cwd=project.folder).splitlines()
        assert len(files) == len(PACKAGES)
        assert all(Path(file).is_relative_to(project.programs.parent) for file in files), files

        show = "import flows, tasks, reports; print(flows.OWNER, tasks.OWNER, reports.OWNER, sep='\\n')"
        owners = run(project.programs / "python", "-c", show, cwd=project.folder)
        assert owners.splitlines() == ["the user's own flows", "the user's own tasks", "the user's own reports"]

    def test_the_command_runs_in_that_project(self, project: Project) -> None:
        assert "Usage: proctor" in run(project.programs / "proctor", "--help", cwd=project.folder, NO_COLOR="1")

    def test_the_command_validates_a_spec_there(self, project: Project) -> None:
        (project.folder / "hello.yaml").write_text("id: hello\nturns:\n  - user: Say hello.\n")
        run(project.programs / "proctor", "validate", "hello.yaml", cwd=project.folder)
