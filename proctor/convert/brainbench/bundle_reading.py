"""A bundle that was written, read back: its transcripts, its scorecard and the notes of its judges."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proctor.brainbench.bundles.bundle import JUDGE_NOTES, SCORECARD, TRANSCRIPTS
from proctor.brainbench.bundles.judge_notes import judge_notes_in
from proctor.brainbench.eras import Era
from proctor.errors import Problem, Severity, UsageError
from proctor.formats.brainbench.companion_schemas import SCORECARD as SCORECARD_SCHEMA
from proctor.formats.brainbench.companion_schemas import companion_errors
from proctor.formats.brainbench.reading import ReadTranscript, read_transcripts
from proctor.formats.strict_json.document import read_json_file
from proctor.regular_file import read_named


@dataclass(frozen=True, slots=True)
class ReadBundle:
    """What a bundle holds, as far as it can be read; the ``problems`` say what cannot, and where.

    ``scorecard`` is None where there is none that its schema accepts.
    """

    transcripts: tuple[ReadTranscript, ...]
    scorecard: Mapping[str, Any] | None
    judge_notes: tuple[dict[str, Any], ...]
    problems: tuple[Problem, ...]


def read_bundle(folder: Path, dialect: Era = Era.POST_AUDIT) -> ReadBundle:
    """Read a bundle.

    Raises:
        UsageError: the folder is none, or one of its files cannot be read.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder", hint="name the folder of a bundle")
    problems: list[Problem] = []
    transcripts = _transcripts(folder / TRANSCRIPTS, dialect, problems)
    scorecard = _scorecard(folder / SCORECARD, dialect, problems)
    notes = _bytes(folder / JUDGE_NOTES)
    read = () if notes is None else judge_notes_in(notes.decode("utf-8", "replace"))
    if notes is not None and not read:
        message = "no note stands in it as JSON: what the judges said is for people only"
        problems.append(Problem(folder / JUDGE_NOTES, "no_notes", message, severity=Severity.WARNING))
    return ReadBundle(transcripts, scorecard, read, tuple(problems))


def _transcripts(path: Path, dialect: Era, problems: list[Problem]) -> tuple[ReadTranscript, ...]:
    data = _bytes(path)
    if data is None:
        hint = "bundles of the seed era keep transcripts as Markdown only, which cannot be evaluated"
        problems.append(Problem(path, "no_transcripts", "the bundle has no transcripts as JSON", hint=hint))
        return ()
    reading = read_transcripts(path, data, dialect)
    problems += reading.problems
    return reading.transcripts


def _scorecard(path: Path, era: Era, problems: list[Problem]) -> Mapping[str, Any] | None:
    data = _bytes(path)
    if data is None:
        problems.append(Problem(path, "no_scorecard", "the bundle has no scorecard"))
        return None
    documents, unread = read_json_file(path, data)
    problems += unread
    if unread or len(documents) != 1:
        return None
    [document] = documents
    errors = companion_errors(SCORECARD_SCHEMA, document.value, era)
    problems += [document.problem(error.path, "bad_value", error.message) for error in errors]
    return None if errors else document.value


def _bytes(path: Path) -> bytes | None:
    return read_named(path) if path.exists() else None
