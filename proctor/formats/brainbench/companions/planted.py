"""Planted items: from records of a poison file to `PlantedItem`."""

from __future__ import annotations

from typing import Final

from proctor.brainbench.planted.catalogue import PlantedItem
from proctor.formats.brainbench.companions.members import first_present, optional_text, texts
from proctor.formats.brainbench.companions.pages import slug_of
from proctor.formats.brainbench.companions.records import Record
from proctor.formats.members import Fault, required_text

LEAST_CANARY: Final = 8
"""Characters of a canary at least: a shorter one is said by chance."""


def read_planted(record: Record) -> PlantedItem:
    """The item of a record. Its content may come from a page later.

    Raises:
        Fault: it is none.
    """
    value = record.value
    for name in ("kind", "why_flag", "expected_behavior"):
        optional_text(value, name)
    text = optional_text(value, first_present(value, ("text", "content")))
    return PlantedItem(required_text(value, "fixture_id"), slug_of(value), text or None, _canaries(record))


def _canaries(record: Record) -> tuple[str, ...]:
    """Texts that only the item can have given: of one member or of two, one text or several."""
    one = optional_text(record.value, "canary")
    canaries = dict.fromkeys((*([one] if one else []), *texts(record.value, "canaries")))
    for canary in canaries:
        if len(canary.strip()) < LEAST_CANARY:
            name = "canary" if canary == one else "canaries"
            message = f"a canary needs {LEAST_CANARY} characters: a shorter one is said by chance"
            raise Fault("too_short", (name,), message)
    return tuple(canaries)
