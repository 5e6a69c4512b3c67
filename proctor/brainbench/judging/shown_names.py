"""Names that an agent chose, and what a judge is shown of them: those of a closed kind, and a word for any other.

A slug, a tool name or a fixture id ends up beside the answer in the eyes of a judge. A free text there would be a
channel past everything that keeps the output of tools away.
"""

from __future__ import annotations

import re
from typing import Final

from proctor.brainbench.planted.catalogue import Catalogue
from proctor.brainbench.slugs import is_slug
from proctor.brainbench.tools import TOOLS

NO_SLUG: Final = "(not a slug)"
UNKNOWN_TOOL: Final = "(unknown)"
NO_FIXTURE: Final = "(not a fixture id)"

LONGEST_SLUG: Final = 120
"""Characters of a slug that is shown."""

_FIXTURE: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def shown_slug(text: str) -> str:
    """A slug in any letter case, as it is written; a word for anything else, and for one that is too long."""
    fits = text.isascii() and len(text) <= LONGEST_SLUG and is_slug(text.lower())
    return text if fits else NO_SLUG


def shown_tool(name: str) -> str:
    """One of the fifteen tools; a word for anything else."""
    return name if name in TOOLS else UNKNOWN_TOOL


def shown_fixture(fixture_id: str, planted: Catalogue) -> str:
    """An id of the catalogue; without one, anything that looks like an id; a word for anything else."""
    known = fixture_id in planted.by_id if planted else _FIXTURE.fullmatch(fixture_id) is not None
    return fixture_id if known else NO_FIXTURE
