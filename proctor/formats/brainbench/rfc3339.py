"""Dates and times as the grammar of RFC 3339 has them; `datetime.fromisoformat` takes much more, and no leap second."""

from __future__ import annotations

import calendar
import re
from typing import Final

_DATE: Final = r"(?P<year>[0-9]{4})-(?P<month>[0-9]{2})-(?P<day>[0-9]{2})"
_TIME: Final = r"(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2})(?:\.[0-9]+)?"
_OFFSET: Final = r"(?:[Zz]|(?P<sign>[+-])(?P<ahead_hours>[0-9]{2}):(?P<ahead_minutes>[0-9]{2}))"

_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)

_FULL_DATE: Final = re.compile(_DATE)
_DATE_TIME: Final = re.compile(f"{_DATE}[Tt]{_TIME}{_OFFSET}")


def is_date(text: str) -> bool:
    """Whether a text is a ``full-date``: ``2026-02-11``, a day that the calendar has."""
    found = _FULL_DATE.fullmatch(text)
    return found is not None and _has_day(found)


def is_date_time(text: str) -> bool:
    """Whether a text is a ``date-time``: ``2026-02-11T09:00:00.250Z``, always with an offset.

    Second 60 is a leap second, which only the last minute of a day (UTC) can have.
    """
    found = _DATE_TIME.fullmatch(text)
    return found is not None and _has_day(found) and _has_time(found)


def _has_day(found: re.Match[str]) -> bool:
    year, month, day = (int(found[name]) for name in ("year", "month", "day"))
    if not 1 <= month <= 12:
        return False
    days = _DAYS[month - 1] + (1 if month == 2 and calendar.isleap(year) else 0)
    return 1 <= day <= days


def _has_time(found: re.Match[str]) -> bool:
    hour, minute, second = (int(found[name]) for name in ("hour", "minute", "second"))
    ahead_hours, ahead_minutes = (int(found[name] or 0) for name in ("ahead_hours", "ahead_minutes"))
    if hour > 23 or minute > 59 or second > 60 or ahead_hours > 23 or ahead_minutes > 59:
        return False
    ahead = (60 * ahead_hours + ahead_minutes) * (-1 if found["sign"] == "-" else 1)
    return second < 60 or (60 * hour + minute - ahead) % (24 * 60) == 24 * 60 - 1
