"""The command line: one module a command group, each thin: parse, call, print, exit code.

Results go to standard output, progress and errors to standard error. Exit codes: 0 gates met, 1 a gate failed,
2 invalid spec or usage, 3 could not evaluate, 130 interrupted.
"""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path

from proctor.errors import ProctorError, UsageError


def main() -> None:
    """Run the command line and end the process with its exit code."""
    from proctor.cli.app import app
    from proctor.cli.output import show_error
    from proctor.cli.streams import drop_output, open_closed_streams

    open_closed_streams()
    # Specs become many small objects that live long; by default the collector would walk them again and again.
    gc.set_threshold(100_000, 50, 50)
    try:
        _look_at_working_folder()
        app(prog_name="proctor")
    except ProctorError as error:
        show_error(error)
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, SystemExit) as end:
        if isinstance(end, SystemExit) and end.code != 130:  # typer ends with 130 when it sees an interrupt
            raise
        print("interrupted; what is done is kept: start again to go on", file=sys.stderr)  # noqa: T201
        sys.exit(130)
    except BrokenPipeError:
        drop_output(sys.stdout.fileno())
        sys.exit(141)
    except Exception as error:
        if os.environ.get("PROCTOR_DEBUG"):
            raise
        show_error(
            ProctorError(
                f"internal error: {type(error).__name__}: {error}",
                hint="this is a fault of Proctor; PROCTOR_DEBUG=1 shows where. What was stored is kept",
            )
        )
        sys.exit(3)


def _look_at_working_folder() -> None:
    try:
        Path.cwd()
    except OSError as error:
        raise UsageError("the working folder is gone", hint="change to a folder that is there") from error
