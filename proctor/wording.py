"""Numbers and lists in words, as messages and reports write them."""

from __future__ import annotations

from collections.abc import Sequence


def count(number: int, noun: str) -> str:
    """``1 case``, ``2 cases``, ``1,000 cases``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def share(part: int, whole: int, noun: str) -> str:
    """``0 of 1 case``, ``17 of 20 cases``."""
    return f"{part:,} of {count(whole, noun)}"


def listed(names: Sequence[str], limit: int) -> str:
    """The names with commas; of more than ``limit``, the first and how many more there are."""
    more = f" and {len(names) - limit:,} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more
