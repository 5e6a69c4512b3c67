"""What a test may need from the machine, where it is looked for, and what happens where it is missing.

A test says ``@pytest.mark.requires("git")``, or asks the fixture ``require`` when it wants the path. Where the thing
is missing the test is skipped with a reason; where ``PROCTOR_TEST_REQUIRE`` names it, the test fails instead.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
REQUIRE_VARIABLE = "PROCTOR_TEST_REQUIRE"
PEER_FILES_VARIABLE = "PROCTOR_PEER_FILES"
PEERS_VARIABLE = "PROCTOR_PEERS"


@dataclass(frozen=True, slots=True)
class Resource:
    """One thing that not every machine has: how to find it, and how to get it."""

    find: Callable[[], Path | None]
    hint: str


def find_program(*names: str) -> Path | None:
    """Find the first of several programs that is on the PATH."""
    found = next(filter(None, map(shutil.which, names)), None)
    return Path(found) if found else None


def find_postgresql() -> Path | None:
    """Find the folder with PostgreSQL's server programs, the newest of those that Debian keeps off the PATH."""
    on_path = find_program("initdb")
    candidates = [on_path] if on_path else sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=_version)
    return candidates[-1].resolve().parent if candidates else None


def _version(initdb: Path) -> float:
    return float(initdb.parent.parent.name)


def find_peer_files() -> Path | None:
    """Find the folder with files of the tools whose formats are read here: as the variable says, or beside us."""
    folder = Path(os.environ.get(PEER_FILES_VARIABLE, ROOT.parent / "shared" / "peer_files"))
    return folder.resolve() if folder.is_dir() and folder != Path() else None


def find_peer_package(name: str) -> Path | None:
    """Find the folder that a real peer is installed in, apart from everything else: as the variable says, or ours."""
    folder = Path(os.environ.get(PEERS_VARIABLE, ROOT / ".venv" / "peers"))
    return folder.resolve() if (folder / name).is_dir() else None


RESOURCES = {
    "assevra": Resource(
        lambda: find_peer_package("assevra"), "pip install --no-deps --target .venv/peers assevra==0.6.0.post1"
    ),
    "chromium": Resource(
        lambda: find_program("chromium", "chromium-browser", "google-chrome"), "install Chromium, or put it on the PATH"
    ),
    "git": Resource(lambda: find_program("git"), "install git"),
    "peer-files": Resource(find_peer_files, f"set {PEER_FILES_VARIABLE} to their folder"),
    "pytest-agent-eval": Resource(
        lambda: find_peer_package("pytest_agent_eval"),
        "pip install --no-deps --target .venv/peers pytest-agent-eval==0.3.0",
    ),
    "postgresql": Resource(find_postgresql, "install the PostgreSQL server (Debian: apt-get install postgresql)"),
}


def required_names() -> frozenset[str]:
    """Read the names in ``PROCTOR_TEST_REQUIRE``; raise a usage error on one that does not exist."""
    names = frozenset(filter(None, (name.strip() for name in os.environ.get(REQUIRE_VARIABLE, "").split(","))))
    if unknown := names - RESOURCES.keys():
        raise pytest.UsageError(
            f"{REQUIRE_VARIABLE} names {', '.join(sorted(unknown))}; known are {', '.join(sorted(RESOURCES))}"
        )
    return names


def require(name: str) -> Path:
    """Return where the named thing is; skip the test without it, or fail it where the machine has to have it."""
    resource = RESOURCES[name]
    if found := resource.find():
        return found
    if name in required_names():
        pytest.fail(f"no {name} on this machine, and {REQUIRE_VARIABLE} asks for it: {resource.hint}", pytrace=False)
    pytest.skip(f"no {name} on this machine: {resource.hint}")
