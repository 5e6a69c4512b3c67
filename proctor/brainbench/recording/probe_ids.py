"""Ids of probes: which ones a transcript may have, and what becomes of one that it may not."""

from __future__ import annotations

import re
from collections.abc import Iterable
from hashlib import sha256
from typing import Final

from proctor.brainbench.eras import Era

_PATTERNS: Final = {
    Era.SEED: re.compile(r"q-[0-9]{4}"),
    Era.POST_AUDIT: re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*"),
}
_REFUSED: Final = re.compile(r"[^A-Za-z0-9._-]+")
_NUMBERS: Final = 10_000
_LONGEST: Final = 80


def is_probe_id(text: str, dialect: Era) -> bool:
    """Whether a transcript of this dialect may have a probe of this id."""
    return _PATTERNS[dialect].fullmatch(text) is not None


class ProbeIds:
    """Gives ids of one dialect to cases: their own where it fits, else one that is made of it.

    After the audit, ``../A b`` becomes ``A-b-`` with eight digits of its SHA-256, whatever other cases there are. The
    seed era has ten thousand numbers: the digest picks one, or the next that is free where it is taken. ``own`` are the
    ids of all cases, so that none is given away that one of them has.
    """

    def __init__(self, dialect: Era, own: Iterable[str] = ()) -> None:
        self._dialect = dialect
        self._taken = {name for name in own if is_probe_id(name, dialect)}
        self.rewritten: dict[str, str] = {}
        """The ids that were made, by the case that has each."""

    def give(self, case: str) -> str | None:
        """The id of a case, always the same one; None where there is no number left."""
        if is_probe_id(case, self._dialect):
            return case
        made = self.rewritten.get(case) or self._made(case)
        if made is not None:
            self.rewritten[case] = made
            self._taken.add(made)
        return made

    def _made(self, case: str) -> str | None:
        digest = sha256(case.encode("utf-8", "surrogatepass")).hexdigest()
        if self._dialect is Era.POST_AUDIT:
            stem = _REFUSED.sub("-", case).strip("-._")[:_LONGEST]
            return f"{stem or 'case'}-{digest[:8]}"
        first = int(digest, 16) % _NUMBERS
        numbers = (f"q-{(first + step) % _NUMBERS:04}" for step in range(_NUMBERS))
        return next((name for name in numbers if name not in self._taken), None)
