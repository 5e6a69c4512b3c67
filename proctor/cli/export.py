"""``export``: write the trials of a run in the format of another benchmark."""

from __future__ import annotations

import os
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from proctor.brainbench.eras import Era
from proctor.cli.output import say
from proctor.errors import UsageError
from proctor.wording import count, listed

if TYPE_CHECKING:
    from proctor.convert.brainbench.export_files import Exported
    from proctor.convert.brainbench.exporting import Export, ExportOptions

EXAMPLE: Final = "Example: proctor export latest --format brainbench --out transcripts"


class ExportFormat(StrEnum):
    """What can be written."""

    BRAINBENCH = "brainbench"


def export(
    run: Annotated[str, typer.Argument(metavar="RUN", help="The beginning of a run's id, or latest.")],
    output: Annotated[
        Path, typer.Option("--out", help="The new folder for transcripts; with --bundle, where bundles go.")
    ],
    _format: Annotated[
        ExportFormat, typer.Option("--format", help="brainbench: transcripts of its flight recorder.")
    ] = ExportFormat.BRAINBENCH,
    bundle: Annotated[
        bool, typer.Option("--bundle", help="Write a bundle for each agent: transcripts, scorecard, judge notes.")
    ] = False,
    category: Annotated[
        int | None, typer.Option("--category", help="The number of the benchmark's category, for a bundle.")
    ] = None,
    dialect: Annotated[
        Era, typer.Option("--dialect", help="Whose schema transcripts fit. seed: ids of probes are q- and four digits.")
    ] = Era.POST_AUDIT,
    keep_ids: Annotated[
        bool, typer.Option("--keep-ids", help="Leave cases out whose ids no probe can have, instead of making ids.")
    ] = False,
    stack_id: Annotated[
        str | None, typer.Option("--stack-id", help="What the agents ran on. Default: their fingerprint.")
    ] = None,
    model_id: Annotated[
        str | None, typer.Option("--model-id", help="The model that answered, which a run does not store.")
    ] = None,
    poison: Annotated[
        list[Path] | None, typer.Option("--poison", help="A file with planted items, to tag those that the agents met.")
    ] = None,
    no_mask: Annotated[
        bool, typer.Option("--no-mask", help="Keep secrets and home folders as they were recorded.")
    ] = False,
) -> None:
    """Write every trial of a run as a transcript, valid and ready to be evaluated.

    What cannot be a transcript is left out and named, with the reason. Exit codes: 0 written, 2 nothing was written.
    """
    from proctor.convert.brainbench.exporting import ExportOptions
    from proctor.convert.brainbench.planted_items import read_planted_items

    if bundle is not (category is not None):
        raise UsageError(
            "a bundle has a category" if bundle else "--category is for bundles",
            hint="name it with --category, such as --category 8" if bundle else "add --bundle, or leave it out",
        )
    environment = None if no_mask else os.environ
    planted = read_planted_items(poison or [])
    options = ExportOptions(dialect, keep_ids, stack_id, model_id, planted, environment)
    made, done = _export(run, output, options, category)
    for line in _told(made, done):
        say(line)
    for what, transcripts in made.warnings.items():
        say(f"warning: {what} ({count(transcripts, 'transcript')})", err=True)


def _export(run: str, out: Path, options: ExportOptions, category: int | None) -> tuple[Export, Exported]:
    from proctor.config import load_project
    from proctor.convert.brainbench.export_files import write_bundles, write_transcripts
    from proctor.convert.brainbench.exporting import Export
    from proctor.stages.transcripts.originals import open_originals
    from proctor_flows.pipeline import open_project_store

    project = load_project(Path.cwd())
    with open_project_store(project) as store:
        record = store.find_run(run)
        results = store.results(record.id)
        original = open_originals(record, project).find if results.summary.transcripts else None
        made = Export(results, options, original)
        return made, write_transcripts(made, out) if category is None else write_bundles(made, out, category)


def _told(made: Export, done: Exported) -> Iterator[str]:
    places = listed([str(folder) for folder in done.folders], 10)
    yield f"wrote {count(done.transcripts, 'transcript')} of run {made.summary.run_id} to {places}"
    rewritten = [f"{case} is {probe_id}" for case, probe_id in made.rewritten.items()]
    if rewritten:
        yield f"{count(len(rewritten), 'id')} made: {listed(rewritten, 10)}"
    for what in made.left_out():
        yield f"left out: {what}"
    if made.masker is not None and (masked := made.masker.told()):
        yield f"  {masked}; --no-mask keeps them"
    if made.options.dialect is Era.SEED:
        yield f"next: proctor validate {places}"
    else:
        yield 'next: a suite over them, with "brainbench: {dialect: post-audit}"'
