"""Gold pages: from records of a knowledge base to `Page`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from proctor.brainbench.probes import Page
from proctor.brainbench.slugs import is_slug
from proctor.excerpt import quote
from proctor.formats.brainbench.companions.members import first_present, optional_text
from proctor.formats.brainbench.companions.records import Record
from proctor.formats.members import Fault, required_text

_CONTENTS: Final = ("content", "compiled_truth", "body", "body_text", "text")
_TITLES: Final = ("title", "subject")


def read_page(record: Record) -> Page:
    """The page of a record: of a gold file, of a knowledge base, or of a mailbox.

    Raises:
        Fault: it is none.
    """
    value = record.value
    title = optional_text(value, first_present(value, _TITLES))
    return Page(slug_of(value), title, _content(value))


def slug_of(value: Mapping[str, Any], name: str = "slug") -> str:
    """The slug of a page.

    Raises:
        Fault: it is none.
    """
    slug = required_text(value, name)
    if not is_slug(slug):
        hint = "lower-case letters, digits and hyphens, with one slash: people/orla-venn"
        raise Fault("bad_slug", (name,), f"{quote(slug, 80)} is no slug", hint)
    return slug


def _content(value: Mapping[str, Any]) -> str:
    name = first_present(value, _CONTENTS)
    parts = [optional_text(value, name)]
    if name == "compiled_truth":
        parts.append(optional_text(value, "timeline"))
    content = "\n".join(part for part in parts if part)
    if not content.strip():
        raise Fault("empty", (name,), "a page needs content", f"under {', '.join(_CONTENTS[:-1])} or {_CONTENTS[-1]}")
    return content
