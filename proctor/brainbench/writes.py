"""What is kept of an intended write: which page, and whether it has a back-link and well-formed citations."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from proctor.brainbench.eras import Era
from proctor.brainbench.slugs import linked_slugs
from proctor.brainbench.tools import ADD_LINK, ADD_TIMELINE_ENTRY, PUT_PAGE
from proctor.trajectory import JsonValue

_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_DATED_LINE: Final = re.compile(r"- \*\*\d{4}-\d{2}-\d{2}\*\* \|(?P<rest>.*)", re.ASCII)
_DASHES: Final = (" — ", " – ", " - ")


@dataclass(frozen=True, slots=True)
class IntendedWrite:
    """An intended write without its content. ``slug`` is None where the agent named no page."""

    tool_name: str
    slug: str | None
    has_back_links: bool
    citation_format_ok: bool

    def to_json(self) -> dict[str, JsonValue]:
        """All members; no slug where there is none."""
        slug: dict[str, JsonValue] = {} if self.slug is None else {"slug": self.slug}
        flags: dict[str, JsonValue] = {
            "has_back_links": self.has_back_links,
            "citation_format_ok": self.citation_format_ok,
        }
        return {"tool_name": self.tool_name, **slug, **flags}


def intended_write(tool: str, arguments: Mapping[str, Any], era: Era) -> IntendedWrite:
    """Summarise a call of one of the three tools for intended writes; KeyError for another tool.

    Dates are checked by shape only, as the original does.
    """
    slug = _text(arguments.get("from" if tool == ADD_LINK else "slug"))
    return IntendedWrite(tool, slug, *_FLAGS[tool](arguments, era))


def _page_flags(arguments: Mapping[str, Any], era: Era) -> tuple[bool, bool]:
    body, timeline = _text(arguments.get("compiled_truth")) or "", _text(arguments.get("timeline")) or ""
    return any(True for _ in linked_slugs(body)), _is_cited(timeline, era)


def _is_cited(timeline: str, era: Era) -> bool:
    """Whether every line of a timeline is an entry. The seed era looks only at lines that begin with a dash."""
    lines = [line for line in timeline.splitlines() if line.strip()]
    if era is Era.SEED:
        lines = [line for line in lines if line.lstrip().startswith("-")]
    return all(map(_is_entry, lines))


def _is_entry(line: str) -> bool:
    """``- **2026-02-11** | source — summary``, not indented."""
    match = _DATED_LINE.fullmatch(line)
    if match is None:
        return False
    rest = match["rest"]
    splits = (rest.partition(dash) for dash in _DASHES if dash in rest)
    return any(source.strip() and summary.strip() for source, _, summary in splits)


def _link_flags(_arguments: Mapping[str, Any], _era: Era) -> tuple[bool, bool]:
    return True, True


def _timeline_flags(arguments: Mapping[str, Any], era: Era) -> tuple[bool, bool]:
    date = _text(arguments.get("date")) or ""
    return False, _DATE.fullmatch(date) is not None and _has_source(arguments, era)


def _has_source(arguments: Mapping[str, Any], era: Era) -> bool:
    """The tool's schema makes the source optional; the seed era asks for it all the same."""
    if "source" not in arguments:
        return era is not Era.SEED
    return bool((_text(arguments["source"]) or "").strip())


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


_FLAGS: Final = {PUT_PAGE: _page_flags, ADD_LINK: _link_flags, ADD_TIMELINE_ENTRY: _timeline_flags}
