"""Read a run of pi: a session file of the formats 1 to 3, or what ``pi --mode json`` printed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from proctor.errors import Problem, SpecError, UsageError
from proctor.traces.base import BadTrace, Record
from proctor.traces.pi_branches import path_messages, session_name, session_path, session_version
from proctor.traces.pi_lines import PiReading, read_lines
from proctor.traces.pi_messages import PiMessage, event_messages, header_value, is_event_stream
from proctor.traces.pi_prompt import recorded_prompt
from proctor.traces.pi_turns import PiTurns, Turn


@dataclass(frozen=True, slots=True)
class PiRun:
    """What a file holds of one run.

    ``kind`` is ``session-v1`` to ``session-v3`` or ``json-event-stream``. ``prompt``, ``session_id`` and ``name`` are
    None where the file does not say them.
    """

    kind: str
    turns: tuple[Turn, ...]
    recorded_at: str
    prompt: str | None = None
    session_id: str | None = None
    name: str | None = None


def read_run(path: Path, reading: PiReading, leaf: str | None = None) -> PiRun:
    """Read the run of a file; what is left out becomes warnings in the notes of ``reading``.

    ``leaf``: the id of the entry that the conversation ends with, for a session with branches.

    Raises:
        SpecError: with all problems of the file.
        UsageError: the leaf is not there.
        OSError: the file cannot be read.
    """
    records = list(read_lines(path, reading))
    kind, messages = _messages(records, reading, leaf)
    turns = PiTurns(reading)
    turns.add_all(messages)
    if reading.notes.has_errors:
        raise SpecError(reading.notes.told())
    if turns.recorded_at is None:
        empty = Problem(path, "no_turns", "holds no message of a user, an assistant or a tool")
        raise SpecError([*reading.notes.told(), empty])
    prompt, session_id = recorded_prompt(messages), _text(header_value(records, "id"))
    return PiRun(kind, tuple(turns.turns), turns.recorded_at, prompt, session_id, session_name(records))


def _messages(records: list[Record], reading: PiReading, leaf: str | None) -> tuple[str, list[PiMessage]]:
    if is_event_stream(records):
        if leaf is not None:
            raise UsageError("an event stream has no branches to choose from", hint="leave --leaf out")
        return "json-event-stream", list(event_messages(records, reading))
    if not records:
        return "", []
    try:
        version = session_version(records[0])
    except BadTrace as bad:
        reading.notes.error(bad.code, bad.message, records[0], bad.hint)
        return "", []
    path = session_path(records, version, leaf, reading)
    return f"session-v{version}", list(path_messages(path, reading))


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
