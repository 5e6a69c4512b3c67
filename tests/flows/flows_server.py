"""A running Prefect server as the tests of flows see it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx


@dataclass(frozen=True)
class Server:
    """A running Prefect server, and what it has recorded."""

    url: str
    home: Path

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a process that uses this server."""
        return {**os.environ, "PREFECT_API_URL": self.url, "PREFECT_HOME": str(self.home)}

    def ask(self, what: str, **body: Any) -> list[dict[str, Any]]:
        """Ask the API for objects, such as ``flow_runs``."""
        answer = httpx.post(f"{self.url}/{what}/filter", json=body, timeout=30)
        answer.raise_for_status()
        found: list[dict[str, Any]] = answer.json()
        return found

    def flow_run(self, flow: str) -> dict[str, Any]:
        """The newest run of a flow."""
        (found,) = self.ask("flow_runs", flows={"name": {"any_": [flow]}}, sort="START_TIME_DESC", limit=1)
        return found
