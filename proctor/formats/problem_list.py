"""The problems of one file, as many of them as anybody reads: a data set may have a million."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from proctor.errors import Problem, Severity

MOST_LISTED: Final = 1000
"""Errors, and warnings, that are listed of one file."""


class ProblemList:
    """Keeps the first problems of each severity and counts the others."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._problems: list[Problem] = []
        self._counts = dict.fromkeys(Severity, 0)

    def has_room(self, severity: Severity) -> bool:
        """Count a problem, and say whether it will be listed. Then, and only then, it has to be added."""
        self._counts[severity] += 1
        return self._counts[severity] <= MOST_LISTED

    def add(self, problem: Problem) -> None:
        """List a problem."""
        self._problems.append(problem)

    def all(self) -> tuple[Problem, ...]:
        """The listed problems, and one for each severity that says how many more there are."""
        more = (self._summary(severity, count - MOST_LISTED) for severity, count in self._counts.items())
        return (*self._problems, *(problem for problem in more if problem is not None))

    def _summary(self, severity: Severity, unlisted: int) -> Problem | None:
        if unlisted <= 0:
            return None
        message = f"{unlisted:,} more {severity}{'s' if unlisted > 1 else ''} of this file are not listed"
        hint = "correct those that are listed, then validate again"
        return Problem(self._path, "more_problems", message, hint=hint, severity=severity)
