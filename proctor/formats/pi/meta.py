"""The meta record."""

from __future__ import annotations

import re
from datetime import date, time
from typing import Any, Final

from proctor.excerpt import quote
from proctor.formats.members import Fault, required_text
from proctor.formats.pi.fixture import Meta

_POINT_IN_TIME: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)"
    r"(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(?P<zone>Z|[+-](?P<hours>\d\d):(?P<minutes>\d\d))?)?",
    re.ASCII,
)
_SHA_256: Final = re.compile(r"(?:sha256:)?(?P<digits>[0-9a-f]{64})", re.IGNORECASE | re.ASCII)


def read_meta(record: dict[str, Any], line: int) -> Meta:
    """The meta record of a line.

    Raises:
        Fault: a member is wrong.
    """
    return Meta(
        fixture_id=required_text(record, "fixtureId"),
        pi_version=required_text(record, "piAgentCoreVersion"),
        recorded_at=_recorded_at(record),
        scenario=required_text(record, "scenario", may_be_empty=True),
        system_prompt_hash=required_text(record, "systemPromptHash"),
        line=line,
        record=record,
    )


def has_zone(recorded_at: str) -> bool:
    """Whether a point in time has a time of day with its zone."""
    found = _POINT_IN_TIME.fullmatch(recorded_at)
    return found is not None and found["zone"] is not None


def _recorded_at(record: dict[str, Any]) -> str:
    text = required_text(record, "recordedAt")
    if not _is_point_in_time(text):
        message = f"must be a date, or a date and time, as ISO 8601 writes them, got {quote(text, 60)}"
        raise Fault("bad_value", ("recordedAt",), message, "write it like 2026-05-04T10:20:30Z")
    return text


def _is_point_in_time(text: str) -> bool:
    found = _POINT_IN_TIME.fullmatch(text)
    if found is None:
        return False
    year, month, day, hour, minute, second = (int(part or 0) for part in found.group(1, 2, 3, 4, 5, 6))
    try:
        date(year or 2000, month, day)  # the year 0 is a leap year, and Python does not know it
        time(hour, minute, second)
        time(int(found["hours"] or 0), int(found["minutes"] or 0))
    except ValueError:
        return False
    return True


def sha256_in(system_prompt_hash: str) -> str | None:
    """The SHA-256 that a ``systemPromptHash`` is, in lower-case hex; None for any other text."""
    found = _SHA_256.fullmatch(system_prompt_hash)
    return found["digits"].lower() if found else None
