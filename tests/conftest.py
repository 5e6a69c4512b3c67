"""What all tests share: what the machine has to have, a PostgreSQL database, and the table of what was skipped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import machine
import postgresql_server
import pytest
from hypothesis import settings

ALIVE = pytest.StashKey[int]()

settings.register_profile("any machine", deadline=None)  # a busy one is no fault of the code
settings.load_profile("any machine")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "requires(*names): skip, or fail where it is asked for, without these things")
    machine.required_names()
    if not hasattr(config, "workerinput"):
        config.stash[ALIVE] = postgresql_server.open_folder()


def pytest_unconfigure(config: pytest.Config) -> None:
    if ALIVE in config.stash:
        postgresql_server.close_folder(config.stash[ALIVE])


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in item.iter_markers("requires"):
        for name in marker.args:
            machine.require(name)


@pytest.fixture(scope="session")
def require() -> Callable[[str], Path]:
    """Return the function that says where a thing is, and skips or fails the test without it."""
    return machine.require


@pytest.fixture
def postgresql_url() -> Iterator[str]:
    """Yield the SQLAlchemy URL of an empty database on a real PostgreSQL server; it is dropped after the test."""
    with postgresql_server.empty_database(machine.require("postgresql")) as url:
        yield url


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = Counter(map(_place_and_reason, terminalreporter.getreports("skipped")))
    if not skipped:
        return
    terminalreporter.section("what was skipped, and why")
    width = max(len(place) for place, _ in skipped)
    for (place, reason), count in sorted(skipped.items()):
        terminalreporter.write_line(f"{count:5}  {place:{width}}  {reason}")


def _place_and_reason(report: pytest.TestReport | pytest.CollectReport) -> tuple[str, str]:
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return report.nodeid.partition("::")[0], reason.removeprefix("Skipped: ")
