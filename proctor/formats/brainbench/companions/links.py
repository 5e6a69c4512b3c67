"""What companion files say of each other: slugs that lead to no page, and probes that nothing can be held against."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from proctor.brainbench.eras import Era
from proctor.brainbench.probes import WORKFLOWS
from proctor.errors import Problem, Severity
from proctor.excerpt import quote
from proctor.formats.brainbench.companions.claims import claim_references
from proctor.formats.brainbench.companions.probes import gold_references
from proctor.formats.brainbench.companions.records import Kind, Record
from proctor.formats.brainbench.companions.shelf import Shelf
from proctor.formats.members import Fault
from proctor.formats.pointers import Pointer

_GOLD_HINT: Final = 'name the files with the pages under "gold"'


def link_problems(shelf: Shelf, era: Era) -> Iterator[Problem]:
    """The problems of records that are each right by itself.

    A judge takes what stands on gold pages for the only facts: without a page that a probe asks for, what is true looks
    invented. The seed era drops such a page without a word, so it is a warning there.
    """
    yield from _gold_problems(shelf, Severity.WARNING if era is Era.SEED else Severity.ERROR)
    yield from _planted_problems(shelf)
    yield from _scenario_problems(shelf)


def _gold_problems(shelf: Shelf, severity: Severity) -> Iterator[Problem]:
    references = list(_references(shelf))
    if references and not shelf.pages.items:
        record, pointer, _ = references[0]
        message = "gold pages are asked for here, and no file gives any"
        yield record.problem(Fault("no_gold", pointer, message, _GOLD_HINT), severity)
        return
    for record, pointer, slug in references:
        if slug not in shelf.pages.items:
            message = f"no gold page has the slug {quote(slug, 80)}"
            yield record.problem(Fault("unknown_slug", pointer, message, _GOLD_HINT), severity)


def _references(shelf: Shelf) -> Iterator[tuple[Record, Pointer, str]]:
    probes = (record for record in shelf.probes.records.values() if record.kind is not Kind.RUBRIC)
    for record in (*probes, *shelf.rubrics.records.values()):
        yield from ((record, pointer, slug) for pointer, slug in gold_references(record))
    for record in shelf.claims.records.values():
        yield from ((record, pointer, slug) for pointer, slug in claim_references(record))


def _planted_problems(shelf: Shelf) -> Iterator[Problem]:
    """Slugs of planted items that no page has. Only who knows all pages knows that there is none."""
    for record in shelf.planted.records.values():
        slug = record.value["slug"]
        if slug in shelf.pages.items or slug in (shelf.slugs or ()):
            continue
        fault = Fault("unknown_slug", ("slug",), f"no page has the slug {quote(slug, 80)}")
        if shelf.slugs is not None or record.in_catalogue:
            yield record.problem(fault)
        elif shelf.pages.items:
            yield record.problem(fault, Severity.WARNING)


def _scenario_problems(shelf: Shelf) -> Iterator[Problem]:
    for key, probe in shelf.probes.items.items():
        if probe.category != WORKFLOWS:
            continue
        record = shelf.probes.records[key]
        severity = Severity.ERROR if record.in_catalogue else Severity.WARNING
        if not probe.rubric:
            message = "the scenario has no rubric, so that no judge can score it"
            yield record.problem(Fault("no_rubric", (), message), severity)
        if not probe.gold_slugs:
            message = "the scenario names no gold page, so that a judge takes every statement for invented"
            yield record.problem(Fault("no_gold", (), message), severity)
