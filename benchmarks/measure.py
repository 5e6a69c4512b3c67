"""One command, several times: wall and CPU seconds, and the peak memory of its largest process."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path


@dataclass(frozen=True)
class Figure:
    """Medians over the runs. ``cpu_s`` covers the command and the children that it waited for."""

    wall_s: float
    cpu_s: float
    peak_mib: float
    exit_codes: frozenset[int]

    def without(self, start: Figure) -> Figure:
        """The time that comes on top of a start; the peak stays what it is."""
        return replace(self, wall_s=self.wall_s - start.wall_s, cpu_s=self.cpu_s - start.cpu_s)

    def row(self, what: str) -> str:
        """A row of a Markdown table."""
        codes = ", ".join(map(str, sorted(self.exit_codes)))
        return f"| {what} | {self.cpu_s:.2f} | {self.wall_s:.2f} | {self.peak_mib:.0f} | {codes} |"


def measure(
    command: Sequence[str],
    cwd: Path,
    times: int,
    environment: Mapping[str, str] | None = None,
    before: Callable[[], object] = lambda: None,
) -> Figure:
    """Run a command ``times`` times, each after ``before()``, and take the medians."""
    runs = []
    for _ in range(times):
        before()
        runs.append(_once(command, cwd, {**os.environ, **(environment or {})}))
    return Figure(
        statistics.median(run[0] for run in runs),
        statistics.median(run[1] for run in runs),
        statistics.median(run[2] for run in runs),
        frozenset(run[3] for run in runs),
    )


def _once(command: Sequence[str], cwd: Path, environment: Mapping[str, str]) -> tuple[float, float, float, int]:
    started = time.perf_counter()
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, cwd=cwd, env=environment, stdin=quiet, stdout=quiet, stderr=quiet)
    _, status, usage = os.wait4(process.pid, 0)
    wall_s = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    return wall_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, process.returncode
