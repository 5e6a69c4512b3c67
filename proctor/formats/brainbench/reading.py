"""From the bytes of a file to the transcripts in it, and to everything that is wrong with the others and where.

A file holds one transcript, an array of them as a bundle's ``transcript.json`` does, or one a line.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proctor.brainbench.eras import Era
from proctor.errors import Problem, Severity
from proctor.formats.brainbench.dialects import errors_of
from proctor.formats.brainbench.schema_problems import Told, told
from proctor.formats.pointers import Pointer, json_pointer, pointer_in
from proctor.formats.problem_list import ProblemList
from proctor.formats.strict_json.document import JsonDocument, read_json_file


@dataclass(frozen=True, slots=True)
class ReadTranscript:
    """A transcript that its schema accepts.

    ``line`` is where it begins, from 1, ``pointer`` its place in its JSON text: empty, or ``/3`` in an array.
    """

    data: dict[str, Any]
    line: int
    pointer: str
    document: JsonDocument = field(repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file holds: the ``transcripts`` that can be used, and the ``problems`` of all else."""

    transcripts: tuple[ReadTranscript, ...]
    problems: tuple[Problem, ...]

    @staticmethod
    def problem(
        read: ReadTranscript,
        code: str,
        pointer: str,
        message: str,
        hint: str | None = None,
        severity: Severity = Severity.ERROR,
    ) -> Problem:
        """A problem at the place that a JSON pointer names in a transcript. Only now the place is looked for."""
        path = pointer_in(read.document.value, read.pointer + pointer)
        return read.document.problem(path, code, message, hint or None, severity)


def read_transcripts(path: Path, data: bytes, dialect: Era) -> Reading:
    """The transcripts of a file. ``path`` says by its ending whether each line is one, and is what problems show."""
    reader = _Reader(path, dialect)
    documents, problems = read_json_file(path, data)
    parts: list[JsonDocument | Problem] = [*documents, *problems]
    for part in sorted(parts, key=_first_line):
        reader.take(part)
    return Reading(tuple(reader.transcripts), reader.problems.all())


class _Reader:
    """What has been read so far."""

    def __init__(self, path: Path, dialect: Era) -> None:
        self.transcripts: list[ReadTranscript] = []
        self.problems = ProblemList(path)
        self._dialect = dialect

    def take(self, part: JsonDocument | Problem) -> None:
        """Take a JSON text, or what is wrong with one."""
        if isinstance(part, Problem):
            if self.problems.has_room(Severity.ERROR):
                self.problems.add(part)
        elif not isinstance(part.value, list):
            self._take_value(part, (), part.value)
        elif part.value:
            for index, value in enumerate(part.value):
                self._take_value(part, (index,), value)
        else:
            self._tell(part, (), Told("no_transcripts", (), "the array is empty: there is no transcript in it"))

    def _take_value(self, document: JsonDocument, place: Pointer, value: Any) -> None:
        errors = errors_of(value, self._dialect)
        if not errors:
            line, _ = document.place(place)
            self.transcripts.append(ReadTranscript(value, line, json_pointer(place), document))
        for found in told(value, errors, self._dialect):
            self._tell(document, place, found)

    def _tell(self, document: JsonDocument, place: Pointer, found: Told) -> None:
        if self.problems.has_room(Severity.ERROR):
            self.problems.add(document.problem((*place, *found.path), found.code, found.message, found.hint))


def _first_line(part: JsonDocument | Problem) -> int:
    return part.line if isinstance(part, Problem) else part.first_line
