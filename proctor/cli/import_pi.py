"""The part of ``import`` that is about pi: a recorded run becomes a fixture."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from proctor.cli.output import say, show_problems
from proctor.excerpt import quote
from proctor.wording import count

if TYPE_CHECKING:
    from proctor.traces.pi_fixture import PiImported, PiOptions

KIND = "pi"
"""What ``--format`` calls it."""


def is_pi(traces: Path, kind: str | None) -> bool:
    """Whether a file is said to be a run of pi, or begins like one where nothing is said."""
    from proctor.traces.pi_messages import is_pi_file

    if kind is not None or not traces.is_file():
        return kind == KIND
    try:
        return is_pi_file(traces)
    except OSError:  # told by who reads it
        return False


def import_fixture(traces: Path, out: Path, options: PiOptions) -> None:
    """Write the fixture, and tell what was taken, left out, masked and proposed."""
    from dataclasses import replace

    from proctor.traces.pi_fixture import import_run

    done = import_run(traces, out, replace(options, environment=os.environ))
    if done.warnings:
        show_problems(done.warnings)
    for line in _told(done, out):
        say(line)


def _told(done: PiImported, out: Path) -> list[str]:
    turns = sum(done.turns.values())
    roles = ", ".join(f"{number:,} {role}" for role, number in done.turns.items())
    proposed = "trace_max_turns"
    if done.calls:
        proposed = f"tool_called for {count(done.calls, 'call')} and {proposed}"
    return [
        f"read {count(turns, 'turn')} ({_title(done.kind)}), wrote fixture {quote(done.fixture_id, 80)} to {out}",
        f"  turns: {roles}",
        f"  proposed: {proposed}; keep the assertions that matter",
        *([f"  {done.masked}; --no-mask keeps them"] if done.masked else []),
        f"next: proctor validate {out}",
    ]


def _title(kind: str) -> str:
    return "pi event stream" if kind == "json-event-stream" else f"pi session, format {kind[-1]}"
