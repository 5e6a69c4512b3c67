"""From the messages of a pi run to the turns of a fixture."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from proctor.excerpt import quote
from proctor.traces.base import BadTrace
from proctor.traces.pi_blocks import calls_of, turn_content, turn_ledger
from proctor.traces.pi_lines import PiReading
from proctor.traces.pi_messages import PiMessage

Turn = dict[str, Any]

FAILED: Final = ("aborted", "deferred", "error", "pending")
"""Stop reasons of answers that pi does not send to the model again. They may hold calls that never ran."""

_ROLES: Final = ("user", "assistant", "toolResult")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_ISO: Final = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?)?", re.ASCII)


class PiTurns:
    """The turns of a run, as they are added message by message."""

    def __init__(self, reading: PiReading) -> None:
        self.turns: list[Turn] = []
        self.recorded_at: str | None = None
        """When the first turn was taken, as ISO-8601."""
        self._reading = reading
        self._dropped: set[str] = set()
        """Ids of calls whose results are left out as well."""

    def add_all(self, messages: Iterable[PiMessage]) -> None:
        """Take the messages that can be turns; what is left out is noted."""
        for message in messages:
            with self._reading.line(message.line):
                self._add(message)

    def _add(self, message: PiMessage) -> None:
        role = message.role
        if role not in _ROLES:
            self._skip(message)
        elif role == "assistant" and self._has_failed(message):
            self._drop(message)
        elif not self._returns_to_dropped(message):
            self._take(message, role)

    def _take(self, message: PiMessage, role: str) -> None:
        value = message.value
        turn: Turn = {"type": "turn", "turnIndex": len(self.turns), "role": role}
        if role == "toolResult":
            turn["toolUseId"] = _call_id(value)
        turn["content"] = content = turn_content(value, role)
        if role == "assistant":
            turn["tokenLedger"] = turn_ledger(value)
            self._dropped -= {call["id"] for call in calls_of(content)}
        if role == "toolResult" and value.get("isError") is True:
            turn["isError"] = True
        self.recorded_at = self.recorded_at or time_of(message)
        self.turns.append(turn)

    def _skip(self, message: PiMessage) -> None:
        role = message.role
        if role == "system":
            return
        if not isinstance(role, str):
            raise BadTrace("no_role", "this message has no role")
        shown = role if re.fullmatch("[A-Za-z]{1,40}", role) else quote(role, 40)
        self._reading.notes.warn("skipped_message", f"{shown} message skipped", message.line)

    def _returns_to_dropped(self, message: PiMessage) -> bool:
        call = message.value.get("toolCallId")
        return message.role == "toolResult" and isinstance(call, str) and call in self._dropped

    def _has_failed(self, message: PiMessage) -> bool:
        return not self._reading.keep_failed and message.value.get("stopReason") in FAILED

    def _drop(self, message: PiMessage) -> None:
        content = message.value.get("content")
        blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
        ids = {block.get("id") for block in blocks if block.get("type") == "toolCall"}
        self._dropped |= {name for name in ids if isinstance(name, str)}
        hint = "what its calls returned is left out too; --keep-failed takes both" if ids else "--keep-failed takes it"
        said = f"assistant turn with stopReason {message.value['stopReason']} dropped"
        self._reading.notes.warn("failed_turn", said, message.line, hint)


def time_of(message: PiMessage) -> str:
    """When a message was written, in ISO-8601: its own time, else that of its line. Raises BadTrace without either."""
    for time in (message.value.get("timestamp"), message.logged_at):
        if (text := _spelled(time)) is not None:
            return text
    raise BadTrace("no_time", "the first turn has no time, which a fixture needs as the time of its recording")


def _spelled(time: object) -> str | None:
    """A time in ISO-8601, from milliseconds since 1970 or from such a text."""
    try:
        if isinstance(time, int | float) and not isinstance(time, bool):
            at = _EPOCH + timedelta(milliseconds=time)
            return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        if isinstance(time, str) and _ISO.fullmatch(time):
            datetime.fromisoformat(time)
            return time
    except (OverflowError, ValueError):
        pass
    return None


def _call_id(value: dict[str, Any]) -> str:
    name = value.get("toolCallId")
    if not isinstance(name, str) or not name:
        raise BadTrace("no_call_id", "this tool result does not say which call it belongs to")
    return name
