"""Run every example suite as a user would, offline, and check that it ends as its file says.

The first suite of each folder runs on the default engine, a Prefect server that lives as long as the run; the others
run inline. Each suite says in a comment, ``# Exit code: N``, how it ends. Ends with 1 if one ends otherwise.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTED = re.compile(r"^# Exit code: (\d+)$", re.MULTILINE)
OTHERS_SETTINGS = ("PREFECT_", "PROCTOR_")


def main() -> int:
    suites = sorted((ROOT / "specs").rglob("*.suite.yaml"), key=lambda path: (path.parent, path.name.split(".")[0]))
    firsts = {suite.parent: suite for suite in reversed(suites)}
    ended = (demonstrate(suite, inline=suite is not firsts[suite.parent]) for suite in suites)
    problems = [problem for problem in ended if problem is not None]
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        print(f"\nAll {len(suites)} suites ended as their files say. Open a report to see every turn and every check.")
    return 1 if problems else 0


def demonstrate(suite: Path, *, inline: bool) -> str | None:
    """Run one suite, and say what is wrong, if anything."""
    name = suite.relative_to(ROOT).as_posix()
    documented = DOCUMENTED.search(suite.read_text(encoding="utf-8"))
    if documented is None:
        return f"{name} does not say how it ends: write a line '# Exit code: N'"
    command = ["proctor", "run", name, *(["--engine", "inline"] if inline else [])]
    print(f"\n$ {' '.join(command)}", flush=True)
    ended = subprocess.run(
        [sys.executable, "-m", *command, "--format", "json"],
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if ended.returncode != int(documented[1]):
        return f"{name} ended with exit code {ended.returncode}, and its file says {documented[1]}\n{ended.stdout}"
    show(json.loads(ended.stdout))
    return None


def show(run: dict[str, object]) -> None:
    """Print the verdict of a run, and where to read on."""
    print(f"{str(run['decision']).capitalize()} (exit code {run['exit_code']}): {run['reason']}")
    print(f"{run['cached_trials']} answers came from the cache")
    reports = run["reports"]
    assert isinstance(reports, dict)
    print(f"report: {reports['html']}")


def environment() -> dict[str, str]:
    """The environment without anybody's settings, and with a home for Prefect of its own."""
    home = ROOT / ".proctor" / "prefect"
    home.mkdir(parents=True, exist_ok=True)
    own = {name: value for name, value in os.environ.items() if not name.startswith(OTHERS_SETTINGS)}
    return own | {"PREFECT_HOME": str(home)}


if __name__ == "__main__":
    sys.exit(main())
