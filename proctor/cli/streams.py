"""The standard streams: one that was closed at the start, one that cannot be written to, and who may write to which."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout

import typer

from proctor.errors import CouldNotEvaluate


def open_closed_streams() -> None:
    """Put the null device where a standard stream is closed; else the next file that is opened would take its place."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)
    sys.stdin = sys.stdin or open(0, encoding="utf-8")  # noqa: SIM115
    sys.stdout = sys.stdout or open(1, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(2, "w", encoding="utf-8")  # noqa: SIM115


@contextmanager
def results_alone() -> Iterator[None]:
    """Send what agents, checks and judges print to standard error: standard output holds the results alone.

    The exit code is that of the results too: code of the user's that exits leaves none.
    """
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        aside = open(os.dup(2), "w", encoding="utf-8", errors="replace", buffering=1)  # noqa: SIM115, PTH123
        with (
            aside,
            redirect_stdout(aside),
            redirect_stderr(sys.stderr),
        ):  # the latter takes back what an agent put there
            yield
    except SystemExit as end:
        raise CouldNotEvaluate(
            f"an agent, a check or a judge of this project called exit({end.code!r})",
            hint="let it raise an error instead; what is done is kept: start again to go on",
        ) from end
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def emit(text: str, *, err: bool = False) -> None:
    """Print text as it is. What standard error cannot take is dropped: the exit code still says it.

    Raises CouldNotEvaluate when standard output cannot take it, unless its reader has gone (BrokenPipeError).
    """
    try:
        typer.echo(text, nl=False, err=err)
    except BrokenPipeError:
        raise
    except (OSError, ValueError) as error:  # ValueError: the agent closed it
        drop_output(2 if err else 1)
        if not err:
            raise _unwritable(error) from error


def drop_output(number: int) -> None:
    """Let nothing more come out of a stream: Python would try once more at its end, and fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), number)


def _unwritable(error: Exception) -> CouldNotEvaluate:
    return CouldNotEvaluate(
        f"standard output cannot be written to: {getattr(error, 'strerror', None) or error}",
        hint="free some space or send it elsewhere; a run is kept, and proctor report latest writes its reports again",
    )
