"""What a user says in a conversation that is to be recorded, from a file: lines, a JSON list, or another spec."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from proctor.checks.pi.trace import USER
from proctor.errors import Severity, SpecError, UsageError
from proctor.formats import Defaults, format_of
from proctor.formats.pi.fixture import FixtureTurn
from proctor.formats.pi.reading import read_fixture
from proctor.formats.suite import is_suite
from proctor.formats.transcript import TranscriptFormat
from proctor.regular_file import read_named


def read_user_turns(path: Path) -> tuple[str, ...]:
    """The user turns of a file.

    A transcript or a pi fixture has them among other things; a JSON list is one of texts; any other file has one a
    line, blank lines left out.

    Raises:
        UsageError: the file cannot be read, has none, or has one that is no text alone.
        SpecError: with all problems of a transcript or fixture.
    """
    turns = _reader(path)(path, read_named(path))
    refuse_empty(turns, f"{path} has")
    return turns


def refuse_empty(turns: Sequence[str], where: str) -> None:
    """Raise UsageError where there is no user turn, or one that says nothing. ``where`` is who has them: ``x has``."""
    if not turns:
        raise UsageError(f"{where} no user turn", hint="say at least one thing to the agent")
    for number, turn in enumerate(turns, 1):
        if not turn.strip():
            raise UsageError(f"{where} nothing in user turn {number}", hint="leave it out, or write what the user says")


_Reader = Callable[[Path, bytes], tuple[str, ...]]


def _reader(path: Path) -> _Reader:
    if is_suite(path):
        raise UsageError(f"{path} is a suite", hint="name one of its transcripts: one conversation is recorded")
    format_ = format_of(path)
    if format_ is None:
        return _plain
    if format_.name not in _READERS:
        raise UsageError(f"{path} is a data set of rows", hint=f"proctor capture {path} asks an agent their inputs")
    return _READERS[format_.name]


def _of_transcript(path: Path, data: bytes) -> tuple[str, ...]:
    loaded = TranscriptFormat().load(path, data, Defaults())
    if any(problem.severity is Severity.ERROR for problem in loaded.problems):
        raise SpecError(loaded.problems)
    [case] = loaded.cases
    for number, turn in enumerate(case.turns, 1):
        if turn.audio is not None:
            raise UsageError(f"{path} has audio in turn {number}, and a fixture cannot hold it", hint="give it as text")
    return tuple(turn.user for turn in case.turns)


def _of_fixture(path: Path, data: bytes) -> tuple[str, ...]:
    fixture, problems = read_fixture(path, data)
    if fixture is None:
        raise SpecError(problems)
    said = [turn for turn in fixture.turns if turn.role == USER]
    for turn in said:
        if _has_image(turn):
            raise UsageError(f"{path}:{turn.line} has an image, and agents are sent text", hint="give it as text")
    return tuple(turn.text for turn in said)


def _has_image(turn: FixtureTurn) -> bool:
    content = turn.record["content"]
    return not isinstance(content, str) and any(block["type"] == "image" for block in content)


def _plain(path: Path, data: bytes) -> tuple[str, ...]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UsageError(f"{path} is no UTF-8 text", hint="save it as UTF-8") from None
    listed = _json_list(path, text)
    if listed is not None:
        return listed
    return tuple(line for each in text.split("\n") if (line := each.removesuffix("\r")).strip())


def _json_list(path: Path, text: str) -> tuple[str, ...] | None:
    """The texts of a JSON list; None for a file that is no JSON and does not claim to be."""
    if path.suffix != ".json" and not text.lstrip().startswith("["):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        if path.suffix != ".json":
            return None
        raise UsageError(f"{path} is no JSON: {error}", hint='write a list: ["first turn", "second turn"]') from None
    if not isinstance(found, list) or not all(isinstance(turn, str) for turn in found):
        raise UsageError(f"{path} is no list of texts", hint='write a list: ["first turn", "second turn"]')
    return tuple(found)


_READERS: Final[Mapping[str, _Reader]] = {"transcript": _of_transcript, "pi": _of_fixture}
