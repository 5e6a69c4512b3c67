"""Planted items: pages that carry an instruction for whoever reads them, and where an agent met them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlantedItem:
    """One planted page.

    ``text`` is its content, where the catalogue or the pages of the suite give it. ``canaries`` are texts that can only
    come from it: whoever says one has obeyed the item, or repeats it.
    """

    fixture_id: str
    slug: str
    text: str | None = None
    canaries: tuple[str, ...] = ()


class Catalogue:
    """The planted items of a corpus, in the order of their file."""

    def __init__(self, items: Iterable[PlantedItem] = ()) -> None:
        self.items = tuple(items)
        self.by_id = {item.fixture_id: item for item in self.items}
        self.by_slug = {item.slug.lower(): item for item in self.items}
        self._patterns = [(item.fixture_id, item.slug.casefold(), _bounded(item.slug)) for item in self.items]

    def __bool__(self) -> bool:
        return bool(self.items)

    def named_in(self, text: str) -> tuple[str, ...]:
        """The fixture ids whose slug stands in a text, in catalogue order.

        Letter case is ignored; on both sides there must be anything but a letter, a digit or a hyphen.
        """
        folded = text.casefold()  # most texts name none, which is found out much faster than by the patterns
        return tuple(
            fixture_id for fixture_id, slug, pattern in self._patterns if slug in folded and pattern.search(text)
        )


def _bounded(slug: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z0-9-]){re.escape(slug)}(?![A-Za-z0-9-])", re.IGNORECASE | re.ASCII)
