"""File names for cases, whatever their ids are: safe on every system, and told apart even where case does not count."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_]+")
_LONGEST: Final = 100


class FileNames:
    """Gives names that are not taken yet: letters, digits, ``_``, ``-`` and ``~``."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._alike: Counter[str] = Counter()

    def take(self, number: int, *parts: str) -> str:
        """A name made of these texts and a number, which keeps it from being one that Windows reserves."""
        stem = "-".join(filter(None, map(_safe, parts))) or "case"
        name = base = f"{stem[:_LONGEST]}-{number}"
        while name.lower() in self._taken:
            self._alike[base.lower()] += 1
            name = f"{base}~{self._alike[base.lower()] + 1}"
        self._taken.add(name.lower())
        return name


def _safe(text: str) -> str:
    return _UNSAFE.sub("-", text).strip("-")
