"""Which cases of a spec are run: by id or file (``--select``), by tags (``--tag``), or those that did not pass."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

from proctor.checks.dimensions.base import Row
from proctor.overrides import Overrides
from proctor.plan import Gate, Outline, Source
from proctor.stages.gates import is_member, is_pinned
from proctor.stages.tags import tag_matcher

RowFilter = Callable[[str, Row], bool]
"""Whether a row of the source with this name is run."""


def select(
    sources: tuple[Source, ...], overrides: Overrides, not_passed: Collection[str] | None = None
) -> tuple[tuple[Source, ...], str | None]:
    """The sources with the selected cases only, and the selection in words (None: everything).

    A pattern matches an id, a source's name, or a part of either when it has no wildcard. ``not_passed`` holds the keys
    that ``overrides.failed`` means.

    Raises:
        UsageError: the tag expression cannot be read.
    """
    words = _in_words(overrides)
    if words is None:
        return sources, None
    wanted = _wanted(overrides, not_passed)
    kept = (
        replace(
            source,
            cases=tuple(case for case in source.cases if wanted(source.name, case.id, case.key, case.tags)),
            spans=tuple(span for span in source.spans if span.rows),
        )
        for source in sources
    )
    return tuple(source for source in kept if source.cases or source.spans), words


def row_filter(overrides: Overrides, not_passed: Collection[str] | None = None) -> RowFilter | None:
    """The test that `select` makes on cases, for recorded rows of a named source; None if all are wanted.

    Raises:
        UsageError: the tag expression cannot be read.
    """
    if _in_words(overrides) is None:
        return None
    wanted = _wanted(overrides, not_passed)
    return lambda source, row: wanted(source, row["id"], row["id"], row.get("tags") or ())


def _wanted(
    overrides: Overrides, not_passed: Collection[str] | None
) -> Callable[[str, str, str, Collection[str]], bool]:
    matches_tags = tag_matcher(overrides.tag) if overrides.tag is not None else None

    def wanted(source: str, name: str, key: str, tags: Collection[str]) -> bool:
        by_name = not overrides.select or any(_matches(pattern, source, name) for pattern in overrides.select)
        by_tag = matches_tags is None or matches_tags(tags)
        return by_name and by_tag and (not overrides.failed or key in (not_passed or ()))

    return wanted


def gates_of_selection(
    gates: Iterable[Gate], everything: Sequence[Source], selected: Sequence[Source]
) -> tuple[tuple[Gate, ...], tuple[str, ...]]:
    """The gates that a partial run can be held to, and the names of those that it leaves out.

    A gate is left out when the whole spec has cases for it and the selection has none of them; of the others, only the
    cases that must pass and are not selected. A gate that matches nothing at all stays, and is not met.
    """
    if any(source.spans for source in selected):  # which rows a gate means is known when they are scored
        return tuple(gates), ()
    all_cases = [outline for source in everything for outline in source.cases]
    chosen = [outline for source in selected for outline in source.cases]
    kept: list[Gate] = []
    left_out: list[str] = []
    for gate in gates:
        pins = tuple(pin for pin in gate.must_pass if _has(pin, chosen) or not _has(pin, all_cases))
        has_some = bool(pins) or any(is_member(gate, outline) for outline in chosen)
        has_any = bool(gate.must_pass) or any(is_member(gate, outline) for outline in all_cases)
        if has_some or not has_any:
            kept.append(replace(gate, must_pass=pins))
        else:
            left_out.append(gate.name)
    return tuple(kept), tuple(left_out)


def _has(pin: str, outlines: Iterable[Outline]) -> bool:
    return any(is_pinned(pin, outline.key) for outline in outlines)


def _matches(pattern: str, source: str, name: str) -> bool:
    names = (name, source, f"{source}::{name}")
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
