"""The messages of a pi run, from the two kinds of files that hold them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

from proctor.traces.base import BadTrace, Record
from proctor.traces.pi_lines import PiReading, parse_line

LOOKED_AT: Final = 20
"""How many lines are looked at to tell what a file is."""

_EVENTS: Final = (
    "agent_start",
    "turn_start",
    "message_start",
    "message_update",
    "message_end",
    "turn_end",
    "agent_end",
)
_LONGEST_START: Final = 1_000_000


class PiMessage(NamedTuple):
    """One message of a run: its object, the line that holds it, and the time that its line gives, if it gives one."""

    value: dict[str, Any]
    line: int
    logged_at: Any = None

    @property
    def role(self) -> Any:
        """What kind of message it is; ``hookMessage`` is what format 2 called ``custom``."""
        role = self.value.get("role")
        return "custom" if role == "hookMessage" else role


def is_pi_file(path: Path) -> bool:
    """Whether a file begins like a session of pi or like its event stream. Raises OSError."""
    with path.open("rb") as file:
        return any(_is_start(line) for line in islice(file, LOOKED_AT) if len(line) <= _LONGEST_START)


def _is_start(line: bytes) -> bool:
    try:
        value = parse_line(line)
    except BadTrace:
        return False
    return is_header(value) or is_event(value)


def is_header(value: dict[str, Any]) -> bool:
    """Whether a line is the header of a session; an event stream may have one as well."""
    return value.get("type") == "session" and ("version" in value or isinstance(value.get("id"), str))


def header_value(records: Sequence[Record], name: str) -> Any:
    """A member of the header; None if there is no header, or if it has none."""
    return records[0].value.get(name) if records and is_header(records[0].value) else None


def is_event(value: dict[str, Any]) -> bool:
    """Whether a line is an event of a run."""
    return value.get("type") in _EVENTS and "dimension" not in value


def is_event_stream(records: Sequence[Record]) -> bool:
    """Whether a file is what ``pi --mode json`` prints, and no session."""
    return any(is_event(record.value) for record in records)


def event_messages(records: Iterable[Record], reading: PiReading) -> Iterator[PiMessage]:
    """The messages of an event stream: ``message_end`` has each of them once, the other events repeat them."""
    for record in records:
        if record.value.get("type") == "message_end":
            with reading.line(record.line):
                yield message_of(record)


def message_of(record: Record) -> PiMessage:
    """The message that a line holds. Raises BadTrace."""
    message = record.value.get("message")
    if not isinstance(message, dict):
        raise BadTrace("no_message", f"this {record.value['type']} line has no message")
    return PiMessage(message, record.line, record.value.get("timestamp"))
