"""Slugs, the names of pages, and how they are cited in a text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_SLUG: Final = r"[a-z][a-z0-9-]*/[a-z0-9][a-z0-9-]*"
_WHOLE: Final = re.compile(_SLUG)
_LINK_END: Final = re.compile(rf"\]\(({_SLUG})\)", re.IGNORECASE)
_TICKED: Final = re.compile(rf"`({_SLUG})`", re.IGNORECASE)


def is_slug(text: str) -> bool:
    """Whether a text is a slug: two lower-case words with one slash between them."""
    return _WHOLE.fullmatch(text) is not None


def cited_slugs(text: str) -> tuple[str, ...]:
    """The slugs that a text cites, each once: those in Markdown links first, then those in back-ticks.

    Letter case is ignored when matching, and kept. A bare name is no citation.
    """
    return tuple(dict.fromkeys((*linked_slugs(text), *_TICKED.findall(text))))


def linked_slugs(text: str) -> Iterator[str]:
    """The targets of Markdown links that are slugs.

    A label has no closing bracket, so it begins behind the last one: looking back from each target keeps this linear
    for a text of nothing but opening brackets.
    """
    closed = 0
    for match in _LINK_END.finditer(text):
        label_from = max(text.rfind("]", closed, match.start()) + 1, closed)
        opening = text.find("[", label_from, match.start())
        if 0 <= opening < match.start() - 1:
            yield match.group(1)
        closed = match.end()
