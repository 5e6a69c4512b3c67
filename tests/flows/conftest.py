"""A real Prefect server for the tests of flows, started once for the test worker that runs them."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from flows_server import Server
from user_project import project

from proctor_flows.server import temporary_server

__all__ = ["project"]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on a database of its own."""
    home = tmp_path_factory.mktemp("prefect-home")
    before = os.environ.get("PREFECT_HOME")
    os.environ["PREFECT_HOME"] = str(home)
    try:
        with temporary_server(tmp_path_factory.mktemp("server")) as url:
            yield Server(url, home)
    finally:
        os.environ.pop("PREFECT_HOME")
        if before is not None:
            os.environ["PREFECT_HOME"] = before
