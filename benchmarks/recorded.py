"""Recorded rows: a run over a data set, beside Assevra on the same file.

The fixed start of a command is what it costs on ten rows; the other rows of the table are told without it.
"""

from __future__ import annotations

import importlib.util
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from measure import Figure, measure
from recorded_work import SETTINGS, RowSet

FEW = RowSet(10)

SETS: Mapping[str, RowSet] = {
    "100,000 mixed rows": RowSet(100_000),
    "100,000 mixed rows, 5 trials a case": RowSet(100_000, trials=5),
    "10,000 rows, every contract a JSON Schema": RowSet(10_000, json_schema=1.0),
    **{
        f"{half:,} pii rows and {half:,} controls": RowSet(half, dimensions="pii", controls=half)
        for half in (5_000, 10_000, 20_000)
    },
}
SERVED = "100,000 mixed rows"


@dataclass(frozen=True)
class Command:
    """A command over a data set, up to the path of the file, and where it leaves what a later run could reuse."""

    name: str
    arguments: tuple[str, ...]
    leavings: tuple[str, ...]

    def figure(self, root: Path, path: Path, times: int, environment: Mapping[str, str] | None = None) -> Figure:
        """Measure the command on a file, each time afresh."""
        return measure([*self.arguments, str(path)], root, times, environment, self._forget(root))

    def rows(
        self, root: Path, times: int, names: Iterator[str], environment: Mapping[str, str] | None = None
    ) -> Iterator[str]:
        """The fixed start, and the rows of the named data sets without it."""
        start = self.figure(root, root / "few.jsonl", times, environment)
        yield start.row(f"{self.name}: fixed start (10 rows)")
        for name in names:
            found = self.figure(root, root / _file(name), times, environment)
            yield found.without(start).row(f"{self.name}: {name}, without the start")

    def _forget(self, root: Path) -> Callable[[], None]:
        def forget() -> None:
            for name in self.leavings:
                shutil.rmtree(root / name, ignore_errors=True)

        return forget


_RUN = (sys.executable, "-m", "proctor", "run")
INLINE = Command("Proctor, inline", (*_RUN, "--engine", "inline"), (".proctor",))
ON_SERVER = Command("Proctor on a running server (client)", (*_RUN, "--engine", "prefect"), (".proctor",))
_PEER = ("run", "--config", "none", "--judge-provider", "none", "--quiet", "--out-dir", "peer", "--dataset")
PEER = Command("Assevra", (sys.executable, "-m", "assevra", *_PEER), ("peer",))


def rows(
    folder: Path, times: int, *, peers: bool, server: Callable[[Path], AbstractContextManager[Mapping[str, str]]]
) -> Iterator[str]:
    """The rows of the table: inline, Assevra where it is installed, and the client of a running server."""
    root = folder / "recorded"
    make_sets(root)
    yield from INLINE.rows(root, times, iter(SETS))
    if peers and importlib.util.find_spec("assevra"):
        yield from PEER.rows(root, times, iter(SETS))
    with server(root) as environment:
        yield from ON_SERVER.rows(root, times, iter([SERVED]), environment)


def make_sets(root: Path) -> None:
    """Write a project with every data set into ``root``."""
    root.mkdir()
    (root / "pyproject.toml").write_text(SETTINGS)
    FEW.write(root / "few.jsonl")
    for name, made in SETS.items():
        made.write(root / _file(name))


def _file(name: str) -> str:
    return f"{name.replace(' ', '-').replace(',', '')}.jsonl"
