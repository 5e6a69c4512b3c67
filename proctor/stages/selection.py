"""Which cases of a spec are run: by id or file (``--select``), by tags (``--tag``), or those that did not pass."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Protocol

from proctor.dataset import Row
from proctor.formats import format_named, has_rows
from proctor.overrides import Overrides
from proctor.plan import Gate, Outline, Source
from proctor.stages.gates import Tagged, is_member, is_pinned
from proctor.stages.tags import tag_matcher

RowFilter = Callable[[str, Row], bool]
"""Whether a row of the source with this name is run."""


class Selected(Tagged, Protocol):
    """A case, or a recorded row, that gates may mean."""

    @property
    def key(self) -> str:
        """What it is known by in the plan."""
        ...


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
            cases=tuple(case for case in source.cases if wanted(source.name, case.id, _filed(case), case.tags)),
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
    cases that must pass and are not selected. A gate that matches nothing at all stays, and is not met. With recorded
    rows in the selection all gates stay: see `gates_of_rows`.
    """
    if any(source.spans for source in selected):
        return tuple(gates), ()
    chosen = [outline for source in selected for outline in source.cases]
    if any(has_rows(format_named(source.format)) for source in everything):
        return gates_of_rows(gates, chosen)
    return _held_gates(gates, chosen, [outline for source in everything for outline in source.cases])


def gates_of_rows(gates: Iterable[Gate], chosen: Sequence[Selected]) -> tuple[tuple[Gate, ...], tuple[str, ...]]:
    """The same for a spec with recorded rows. Those outside the selection are not known, so any gate may mean them."""
    return _held_gates(gates, chosen, None)


def without_gates(selection: str, names: Sequence[str]) -> str:
    """A selection in words, with the gates that it leaves out."""
    return f"{selection}; without gates that have no selected case: {', '.join(names)}" if names else selection


def _filed(case: Outline) -> str:
    """The key under which the results of a case are filed."""
    return case.key if case.recorded is None else case.recorded.case


def _held_gates(
    gates: Iterable[Gate], chosen: Sequence[Selected], everything: Sequence[Selected] | None
) -> tuple[tuple[Gate, ...], tuple[str, ...]]:
    """Split gates by whether they mean a chosen case. ``everything`` None: they may mean others that are not known."""
    kept: list[Gate] = []
    left_out: list[str] = []
    for gate in gates:
        pins = tuple(pin for pin in gate.must_pass if _has(pin, chosen) or not _is_elsewhere(pin, everything))
        has_some = bool(pins) or any(is_member(gate, case) for case in chosen)
        if has_some or not _means_others(gate, everything):
            kept.append(replace(gate, must_pass=pins))
        else:
            left_out.append(gate.name)
    return tuple(kept), tuple(left_out)


def _is_elsewhere(pin: str, everything: Sequence[Selected] | None) -> bool:
    return everything is None or _has(pin, everything)


def _means_others(gate: Gate, everything: Sequence[Selected] | None) -> bool:
    return everything is None or bool(gate.must_pass) or any(is_member(gate, case) for case in everything)


def _has(pin: str, cases: Iterable[Selected]) -> bool:
    return any(is_pinned(pin, case.key) for case in cases)


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
