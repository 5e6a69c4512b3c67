"""What the commands print: problems and errors to standard error, results to standard output, JSON on request."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Sequence
from enum import StrEnum
from typing import Any

from proctor.cli.streams import emit
from proctor.errors import Problem, ProctorError, Severity, SpecError
from proctor.excerpt import mark_controls
from proctor.wording import count


class OutputFormat(StrEnum):
    """For people, or for machines."""

    TEXT = "text"
    JSON = "json"


def say(text: str, *, err: bool = False, end: str = "\n") -> None:
    """Print a line that may hold foreign text: controls are marked; what the terminal cannot spell becomes ``?``."""
    stream = sys.stderr if err else sys.stdout
    encoding = stream.encoding or "utf-8"
    emit(mark_controls(text).encode(encoding, "replace").decode(encoding) + end, err=err)


def print_json(value: Any) -> None:
    """Print a JSON document; characters outside ASCII are escaped, so that every terminal and pipe takes it."""
    emit(json.dumps(value, indent=2) + "\n")


def show_error(error: ProctorError) -> None:
    """Print an error: each problem of a spec on its line, else one sentence and the next step."""
    if isinstance(error, SpecError):
        show_problems(error.problems)
        return
    say(f"error: {error.message}", err=True)
    if error.hint:
        say(f"  hint: {error.hint}", err=True)


def show_problems(problems: Sequence[Problem]) -> None:
    """Print problems, one a line, and how many they are."""
    for problem in problems:
        say(str(problem).replace("\n", "<0A>"), err=True)  # a name or a key with a line feed does not begin a new one
    errors = sum(problem.severity is Severity.ERROR for problem in problems)
    warnings = len(problems) - errors
    counts = [count(number, noun) for number, noun in ((errors, "error"), (warnings, "warning")) if number]
    say(f"{' and '.join(counts)} in {count(len({problem.path for problem in problems}), 'file')}", err=True)


def problem_json(problem: Problem) -> dict[str, Any]:
    """A problem as data."""
    return {
        "path": str(problem.path),
        "line": problem.line,
        "column": problem.column,
        "pointer": problem.pointer,
        "code": problem.code,
        "severity": problem.severity.value,
        "message": problem.message,
        "hint": problem.hint,
    }


def wants_color() -> bool:
    """Whether standard output is a terminal that takes colour (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def width() -> int:
    """The columns of the terminal; 100 where there is none."""
    return shutil.get_terminal_size((100, 24)).columns


def speaks_unicode() -> bool:
    """Whether standard output can spell the marks that are used."""
    try:
        "✓✗…".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
