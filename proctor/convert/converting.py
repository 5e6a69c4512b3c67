"""Convert the trials of a source: all of them are written, or nothing is."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from proctor.convert.file_names import FileNames
from proctor.convert.fixture import FixtureHead, build_fixture
from proctor.convert.places import SUFFIX, check_place, unwritable_told, whole_folder
from proctor.convert.refusals import ASSEVRA, PI
from proctor.convert.rows import rows_of
from proctor.convert.trials import Trial, Trials
from proctor.errors import Problem, UsageError
from proctor.excerpt import shorten
from proctor.masking import Masker
from proctor.whole_file import whole_file
from proctor.wording import count

_SPELL: Final = json.JSONEncoder(ensure_ascii=False).encode
_WITH_AUDIO: Final = "with audio, which a fixture cannot hold"


@dataclass(slots=True)
class Converted:
    """What came of a conversion: trials that were written, as fixtures or as rows by dimension.

    ``left_out`` says what was left out and why; ``masked`` what was masked, empty for nothing. ``warnings`` counts the
    fixtures that each warning is about.
    """

    title: str
    trials: int = 0
    fixtures: int = 0
    rows: Counter[str] = field(default_factory=Counter)
    warnings: Counter[str] = field(default_factory=Counter)
    left_out: tuple[str, ...] = ()
    masked: str = ""


def convert(trials: Trials, target: str, out: Path, environment: Mapping[str, str] | None) -> Converted:
    """Write the trials as what ``target`` (one of `TARGETS`) says, to the new file or folder ``out``.

    ``environment``: variables whose values are masked if they are secrets; None masks nothing at all.

    Raises:
        UsageError: ``out`` is there already or cannot be written, or there is nothing to write.
    """
    check_place(out, SUFFIX if target == ASSEVRA else "")
    done = Converted(trials.title)
    masker = None if environment is None else Masker(environment)
    with unwritable_told(out):
        TARGETS[target](trials, out, masker, done)
    done.left_out = _left_out(trials)
    done.masked = masker.told() if masker else ""
    return done


def _write_fixtures(trials: Trials, out: Path, masker: Masker | None, done: Converted) -> None:
    """Write a folder with one fixture a trial."""
    names = FileNames()
    with whole_folder(out) as folder:
        for trial in trials.read():
            why = _write_fixture(trial, folder, names, masker, done)
            if why is not None:
                trials.leave_out("trial", why)
        _refuse_nothing(trials, done)


def _write_fixture(trial: Trial, folder: Path, names: FileNames, masker: Masker | None, done: Converted) -> str | None:
    """Write the fixture of a trial, or say why it is left out."""
    if any(turn.audio is not None for turn in trial.trajectory.turns):
        return _WITH_AUDIO
    head = FixtureHead(trial.name, trial.recorded_at, trial.about)
    built = build_fixture(trial.trajectory, head, folder, masker)
    if built.error is not None:
        return f"that no fixture can hold: {_sentence(built.error)}"
    path = folder / f"{names.take(trial.number, trial.agent, trial.case)}.jsonl"
    path.write_bytes(built.data)
    done.trials += 1
    done.fixtures += 1
    done.warnings.update({_sentence(warning) for warning in built.warnings})
    return None


def _sentence(problem: Problem) -> str:
    return shorten(f"{problem.pointer}: {problem.message}" if problem.pointer else problem.message)


def _write_rows(trials: Trials, out: Path, masker: Masker | None, done: Converted) -> None:
    """Write one file with the rows of all trials."""
    with whole_file(out) as file:
        for trial in trials.read():
            rows = list(rows_of(trial, masker))
            if not rows:
                trials.leave_out("trial", "without anything to draft a row from")
                continue
            file.writelines(f"{_SPELL(row)}\n" for row in rows)
            done.trials += 1
            done.rows.update(row["dimension"] for row in rows)
        _refuse_nothing(trials, done)


def _refuse_nothing(trials: Trials, done: Converted) -> None:
    if done.trials:
        return
    left_out = "".join(f"; left out: {what}" for what in _left_out(trials))
    raise UsageError(f"{trials.title} has no trial to convert{left_out}", hint="nothing was written")


def _left_out(trials: Trials) -> tuple[str, ...]:
    return tuple(f"{count(number, noun)} {why}" for (noun, why), number in trials.left_out.items())


TARGETS: Final[Mapping[str, Callable[[Trials, Path, Masker | None, Converted], None]]] = {
    PI: _write_fixtures,
    ASSEVRA: _write_rows,
}
"""What can be written, by the name that ``--to`` takes."""
