"""Which cases of a spec are run: by id or file (``--select``), by tags (``--tag``), or those that did not pass."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from fnmatch import fnmatchcase

from proctor.overrides import Overrides
from proctor.plan import Outline, Source
from proctor.stages.tags import tag_matcher


def select(
    sources: tuple[Source, ...], overrides: Overrides, not_passed: Collection[str] | None = None
) -> tuple[tuple[Source, ...], str | None]:
    """The sources with the selected cases only, and the selection in words (None: everything).

    A pattern matches an id, a source's name, or a part of either when it has no wildcard. ``not_passed`` holds the keys
    that ``overrides.failed`` means.

    Raises:
        UsageError: the tag expression cannot be read.
    """
    matches_tags = tag_matcher(overrides.tag) if overrides.tag is not None else None

    def wanted(source: Source, outline: Outline) -> bool:
        by_name = not overrides.select or any(_matches(pattern, source, outline) for pattern in overrides.select)
        by_tag = matches_tags is None or matches_tags(outline.tags)
        return by_name and by_tag and (not overrides.failed or outline.key in (not_passed or ()))

    words = _in_words(overrides)
    if words is None:
        return sources, None
    kept = (
        replace(source, cases=tuple(outline for outline in source.cases if wanted(source, outline)))
        for source in sources
    )
    return tuple(source for source in kept if source.cases), words


def _matches(pattern: str, source: Source, outline: Outline) -> bool:
    names = (outline.id, source.name, f"{source.name}::{outline.id}")
    if any(mark in pattern for mark in "*?"):
        return any(fnmatchcase(name, pattern.replace("[", "[[]")) for name in names)
    return any(pattern in name for name in names)


def _in_words(overrides: Overrides) -> str | None:
    parts = []
    if overrides.select:
        parts.append("--select " + " ".join(overrides.select))
    if overrides.tag is not None:
        parts.append(f"--tag '{overrides.tag}'")
    if overrides.failed:
        parts.append("--failed")
    return " ".join(parts) or None
