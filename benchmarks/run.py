"""Measure start-up, the 1,000 x 3 work, recorded rows and recorded traces, and print a Markdown table.

.venv/bin/python benchmarks/run.py [--times 3] [--peers] [--what transcripts | recorded | fixtures | flights]
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import fixtures
import flights
import recorded
from measure import measure
from peers import PEERS
from work import make_work

PROCTOR = [sys.executable, "-m", "proctor"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=3, help="runs of each command; the median counts")
    parser.add_argument("--peers", action="store_true", help="measure the peers that are installed on the same work")
    parser.add_argument("--what", choices=[*PARTS], help="measure only this part")
    arguments = parser.parse_args()
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, Prefect {version('prefect')}\n")
    print("| what | CPU s | wall s | peak MiB | exit codes |\n|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory(prefix="proctor-bench-") as name:
        for what in [arguments.what] if arguments.what else PARTS:
            for row in PARTS[what](Path(name), arguments.times, arguments.peers):
                print(row, flush=True)


def transcript_rows(root: Path, times: int, peers: bool) -> Iterator[str]:
    """The rows of the table on transcripts, with those of the peers."""
    make_work(root)
    yield from rows(root, times)
    for peer in PEERS if peers else ():
        if importlib.util.find_spec(peer.module):
            yield peer.measure(root, times)


def rows(root: Path, times: int) -> Iterator[str]:
    """The rows on transcripts, measured one after the other."""
    one = str(root / "evals" / "case-00000.yaml")
    inline = [*PROCTOR, "run", "evals", "--engine", "inline"]
    slow = {"AGENT_DELAY_MS": "100"}
    yield measure([*PROCTOR, "--help"], root, times).row("`proctor --help`")
    yield measure([*PROCTOR, "validate", one], root, times).row("`proctor validate` of one file")
    yield measure([*PROCTOR, "validate", "evals"], root, times).row("`proctor validate` of 1,000 files")
    fresh = forget(root)
    yield measure(inline, root, times, before=fresh).row("3,000 trials, inline, instant agent, all reports")
    yield measure(inline, root, times).row("the same, all from the cache")
    yield measure(inline, root, times, slow, fresh).row("3,000 trials, inline, agent of 100 ms, 50 at once")
    with own_server(root) as environment:
        served = [*PROCTOR, "run", "evals"]
        yield measure(served, root, times, environment, fresh).row("3,000 trials on a running server (client), instant")
        yield measure(served, root, times, {**environment, **slow}, fresh).row("the same, agent of 100 ms")
    temporary = {"PREFECT_HOME": str(root / "prefect-home")}
    yield measure([*PROCTOR, "run", "evals"], root, 1, temporary, fresh).row("the same, instant, temporary server")


def forget(root: Path):  # type: ignore[no-untyped-def]
    """A function that removes the store, so that nothing comes from the cache."""
    return lambda: shutil.rmtree(root / ".proctor", ignore_errors=True)


@contextmanager
def own_server(root: Path) -> Iterator[dict[str, str]]:
    """A Prefect server for the rows that need one, with its environment."""
    from proctor_flows.server import temporary_server

    home = root / "prefect-home"
    home.mkdir(exist_ok=True)
    os.environ["PREFECT_HOME"] = str(home)
    log = root / "server"
    log.mkdir()
    with temporary_server(log) as url:
        yield {"PREFECT_API_URL": url, "PREFECT_HOME": str(home)}


PARTS: Mapping[str, Callable[[Path, int, bool], Iterator[str]]] = {
    "transcripts": transcript_rows,
    "recorded": lambda root, times, peers: recorded.rows(root, times, peers=peers, server=own_server),
    "fixtures": lambda root, times, _: fixtures.rows(root, times),
    "flights": lambda root, times, _: flights.rows(root, times),
}
"""The parts of the table, by name: folder, times and peers to rows."""


if __name__ == "__main__":
    main()
