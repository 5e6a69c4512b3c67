"""A running Prefect server as the tests of flows see it."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

UNDER_WAY = {"SCHEDULED", "PENDING", "RUNNING"}


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

    def task_runs(self, flow_run: dict[str, Any], number: int) -> list[dict[str, Any]]:
        """The task runs of a flow run that ended. The server records each, and its last state, a moment later."""
        wanted = {"flow_runs": {"id": {"any_": [flow_run["id"]]}}}
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            found = self.ask("task_runs", **wanted)
            if len(found) >= number and all(task["state"]["type"] not in UNDER_WAY for task in found):
                return found
            time.sleep(0.1)
        return self.ask("task_runs", **wanted)
