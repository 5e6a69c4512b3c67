"""The progress bar, on standard error and only where that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from proctor.excerpt import mark_controls

if TYPE_CHECKING:
    from proctor.stages.progress import Progress, Step


@contextmanager
def watch(progress: Progress) -> Iterator[None]:
    """Show the steps of a run meanwhile: one bar, for the stage that is at work."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description:<19}"),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[note]}", markup=False),
    )
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task("validate", total=None, note="")

        def show(step: Step) -> None:
            bars.update(
                bar, description=step.stage, completed=step.done, total=step.total, note=mark_controls(step.note)
            )

        progress.watcher = show
        try:
            yield
        finally:
            progress.watcher = None
