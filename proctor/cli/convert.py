"""``convert``: from recorded trials to files of another format."""

from __future__ import annotations

import os
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from proctor.cli.import_rows import row_lines
from proctor.cli.output import say
from proctor.wording import count

if TYPE_CHECKING:
    from proctor.convert import Converted

EXAMPLE: Final = "Example: proctor convert latest --to pi --out fixtures"


class Target(StrEnum):
    """What can be written."""

    PI = "pi"
    ASSEVRA = "assevra"


def convert(
    source: Annotated[
        str, typer.Argument(help="The beginning of a run's id, latest, a pi fixture, or a BrainBench transcript.")
    ],
    to: Annotated[Target, typer.Option("--to", help="pi: a folder with a fixture a trial. assevra: a file with rows.")],
    out: Annotated[Path, typer.Option("--out", help="The new folder (pi) or file (assevra).")],
    no_mask: Annotated[
        bool, typer.Option("--no-mask", help="Keep secrets and home folders as they were recorded.")
    ] = False,
) -> None:
    """Convert recorded trials: each becomes a pi fixture, or rows of a data set for what was observed.

    What cannot be converted is refused, or left out and counted, with the reason.
    """
    done = _convert(source, to, out, keep=no_mask)
    for line in _told(done, out):
        say(line)
    for what, fixtures in done.warnings.items():
        say(f"warning: {what} ({count(fixtures, 'fixture')})", err=True)


def _convert(source: str, to: Target, out: Path, *, keep: bool) -> Converted:
    from proctor.convert import convert as write
    from proctor.convert import trials_of_file, trials_of_run

    environment = None if keep else os.environ
    if _is_path(source):
        return write(trials_of_file(Path(source), to.value), to.value, out, environment)
    from proctor.config import load_project
    from proctor_flows.pipeline import open_project_store

    with open_project_store(load_project(Path.cwd())) as store:
        results = store.results(store.find_run(source).id)
        return write(trials_of_run(results, to.value), to.value, out, environment)


def _is_path(source: str) -> bool:
    """Whether a source is a file; one with a dot or a slash is meant as such, as no run's id has them."""
    return source != "latest" and ("." in source or os.sep in source or Path(source).exists())


def _told(done: Converted, out: Path) -> Iterator[str]:
    rows = done.rows.total()
    written = count(rows, "row") if rows else count(done.fixtures, "fixture")
    yield f"read {count(done.trials, 'trial')} of {done.title}, wrote {written} to {out}"
    if rows:
        yield from row_lines(done.rows)
    for what in done.left_out:
        yield f"left out: {what}"
    if done.masked:
        yield f"  {done.masked}; --no-mask keeps them"
    yield f"next: proctor validate {out}"
