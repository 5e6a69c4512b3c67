"""Where exported transcripts are written: a new folder with a file each, or a bundle for each agent."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from proctor.brainbench.bundles.bundle import Bundle, bundle_name
from proctor.brainbench.eras import Era
from proctor.convert.brainbench.bundle_files import write_bundle
from proctor.convert.brainbench.bundle_notes import judge_notes_of
from proctor.convert.brainbench.bundle_scorecard import scorecard_of
from proctor.convert.brainbench.exporting import Export, ExportedTrial
from proctor.convert.brainbench.transcript_file import transcript_text
from proctor.convert.file_names import FileNames
from proctor.convert.places import check_place, unwritable_told, whole_folder
from proctor.errors import UsageError

LAST_CATEGORY = {Era.SEED: 12, Era.POST_AUDIT: 34}
"""Categories are numbered from 1 to this."""


@dataclass(frozen=True, slots=True)
class Exported:
    """How many transcripts were written, and into which folders."""

    transcripts: int
    folders: tuple[Path, ...]


def write_transcripts(export: Export, out: Path) -> Exported:
    """Write each transcript as a file of its own into the new folder ``out``: all of them, or nothing.

    Raises:
        UsageError: it is there already, it cannot be written, or there is no transcript to write.
    """
    check_place(out, "")
    names, written = FileNames(), 0
    has_several = len(export.summary.agents) > 1
    with unwritable_told(out), whole_folder(out) as folder:
        for trial in export.read():
            name = names.take(trial.number, trial.agent if has_several else "", trial.case)
            text = transcript_text(trial.transcript)
            (folder / f"{name}.json").write_bytes(text.encode("utf-8", "backslashreplace"))
            written += 1
        _refuse_nothing(export, written)
    return Exported(written, (out,))


def write_bundles(export: Export, parent: Path, category: int) -> Exported:
    """Write a bundle for each agent, as a new folder below ``parent``.

    Raises:
        UsageError: the category is none, a scorecard cannot be made, a bundle cannot be written, or there is nothing
            to write.
    """
    last = LAST_CATEGORY[export.options.dialect]
    if not 1 <= category <= last:
        raise UsageError(f"there is no category {category}", hint=f"they are numbered from 1 to {last}")
    by_agent: defaultdict[str, list[ExportedTrial]] = defaultdict(list)
    for trial in export.read():
        by_agent[trial.agent].append(trial)
    _refuse_nothing(export, len(by_agent))
    bundles = {agent: _bundle(export, trials, category) for agent, trials in by_agent.items()}
    day = date.fromisoformat(export.summary.started_at[:10])
    folders = [
        write_bundle(parent, bundle_name(day, category, agent, export.summary.run_id), bundle, export.options.dialect)
        for agent, bundle in bundles.items()
    ]
    return Exported(sum(map(len, by_agent.values())), tuple(folders))


def _bundle(export: Export, trials: list[ExportedTrial], category: int) -> Bundle:
    notes = judge_notes_of(trials, export.masker)
    return Bundle([trial.transcript for trial in trials], scorecard_of(export, trials, category), notes)


def _refuse_nothing(export: Export, written: int) -> None:
    if written:
        return
    left_out = "".join(f"; left out: {what}" for what in export.left_out())
    raise UsageError(f"run {export.summary.run_id} has no trial to export{left_out}", hint="nothing was written")
