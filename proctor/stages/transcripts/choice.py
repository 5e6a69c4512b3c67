"""How the transcripts of a spec are scored: the block ``brainbench:`` of a suite, with its companion files read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from proctor.brainbench_plan import BrainBenchSettings, CompanionFile
from proctor.errors import Problem, Severity
from proctor.excerpt import quote
from proctor.formats import format_of
from proctor.formats.brainbench.brainbench_format import BrainBenchFormat
from proctor.formats.brainbench_block import BrainBenchBlock, ThresholdsBlock
from proctor.formats.discovery import matching_files
from proctor.real_path import real_path
from proctor.regular_file import read_regular
from proctor.stages.target import Target, shown
from proctor.wording import count

if TYPE_CHECKING:
    from proctor.brainbench.probes import Companions

_ROLES: Final = ("probes", "gold", "rubric", "poison")


@dataclass(frozen=True, slots=True)
class TranscriptChoice:
    """The settings for transcripts, and the problems of the suite's block and of the files that it names."""

    settings: BrainBenchSettings
    problems: tuple[Problem, ...] = ()


def choose_transcripts(target: Target) -> TranscriptChoice:
    """Read the block and its files. Without transcripts and without a block there is nothing to read."""
    block = target.suite.brainbench
    if not (block.model_fields_set or any(isinstance(format_of(path), BrainBenchFormat) for path in target.files)):
        return TranscriptChoice(BrainBenchSettings())
    files, problems = _files(target, block)
    thresholds = block.thresholds
    settings = BrainBenchSettings(
        rules=block.rules,
        dialect=block.dialect,
        score_broken=block.invariants == "score",
        held=isinstance(thresholds, ThresholdsBlock),
        thresholds=_thresholds(thresholds) if isinstance(thresholds, ThresholdsBlock) else {},
        files=files,
        has_own_checks=bool(target.suite.checks),
    )
    if files and not problems:
        from proctor.formats.brainbench.companions.reading import read_companions

        reading = read_companions(settings)
        problems += [replace(problem, path=shown(problem.path)) for problem in reading.problems]
        problems += [*_unscored_claims(target, settings, reading.companions)]
    return TranscriptChoice(settings, tuple(problems))


def _unscored_claims(target: Target, settings: BrainBenchSettings, companions: Companions) -> Iterator[Problem]:
    """Claims are cases only where ``specs:`` names their file."""
    specs = {real_path(path) for path in target.files}
    if companions.claims and not any(real_path(file.path) in specs for file in settings.files):
        message = f"{count(len(companions.claims), 'claim')} beside the transcripts will not be scored"
        line, column = (0, 0) if target.document is None else target.document.place(("specs",))
        hint = "name the file of the claims under specs too"
        path = shown(target.path)
        yield Problem(path, "unscored_claims", message, line, column, "specs", hint, Severity.WARNING)


def _thresholds(block: ThresholdsBlock) -> dict[str, float]:
    found: dict[str, float] = block.model_dump(exclude_none=True)
    return found


def _files(target: Target, block: BrainBenchBlock) -> tuple[tuple[CompanionFile, ...], list[Problem]]:
    found: list[CompanionFile] = []
    problems: list[Problem] = []
    for role in _ROLES:
        for number, pattern in enumerate(getattr(block, role)):
            try:
                found += _companions(target, role, pattern)
            except OSError as error:
                problems.append(_problem(target, role, number, f"{quote(pattern, 80)} {_why(error)}"))
    return tuple(found), problems


def _companions(target: Target, role: str, pattern: str) -> Iterator[CompanionFile]:
    """The files that an entry names, which may be a glob.

    Raises:
        OSError: there is no such file, or it cannot be read.
    """
    paths = matching_files(pattern, target.base)
    if not paths:
        raise FileNotFoundError(2, "matches no file")
    for path in paths:
        yield CompanionFile(role, path, hashlib.sha256(read_regular(path)).hexdigest())


def _why(error: OSError) -> str:
    return str(error.strerror) if isinstance(error, FileNotFoundError) else f"cannot be read: {error.strerror or error}"


def _problem(target: Target, role: str, number: int, message: str) -> Problem:
    where = ("brainbench", role, number)
    line, column = (0, 0) if target.document is None else target.document.place(where)
    hint = "paths and globs are relative to the suite file"
    return Problem(shown(target.path), "no_companion", message, line, column, f"brainbench.{role}[{number}]", hint)
