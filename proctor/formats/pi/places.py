"""The lines of a fixture, and where in them something stands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from proctor.errors import Problem, Severity
from proctor.formats.assevra.places import offset_of
from proctor.formats.pointers import Pointer, pointer_text

_MOST_LOCATED: Final = 2**20
"""Bytes of the longest line in which columns are looked for: each problem reads it again."""


class Lines:
    """The lines of one file. LF ends a line, and nothing else does; numbers count from 1."""

    def __init__(self, path: Path, data: bytes) -> None:
        self._path = path
        self._lines = data.split(b"\n")

    def filled(self) -> Iterator[tuple[int, bytes]]:
        """Every line that holds more than white space, with its number."""
        for number, line in enumerate(self._lines, 1):
            if line.strip(b" \t\r"):
                yield number, line

    def problem(
        self,
        line: int,
        code: str,
        pointer: Pointer,
        message: str,
        hint: str | None = None,
        severity: Severity = Severity.ERROR,
    ) -> Problem:
        """A problem at the value that ``pointer`` names in a line that is JSON."""
        column = self._column(line, pointer)
        return Problem(self._path, code, message, line, column, pointer_text(pointer), hint, severity)

    def problem_behind(self, line: int, code: str, message: str) -> Problem:
        """An error at the end of a line."""
        column = len(self._lines[line - 1].decode("utf-8").rstrip()) + 1
        return Problem(self._path, code, message, line, column)

    def _column(self, line: int, pointer: Pointer) -> int:
        data = self._lines[line - 1]
        if not pointer or len(data) > _MOST_LOCATED:
            return 1
        return offset_of(data.decode("utf-8"), pointer) + 1
