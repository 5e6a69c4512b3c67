"""Probes, scenarios and rubrics: from records to `Probe`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from proctor.brainbench.probes import COMPLIANCE, Probe, Tier
from proctor.brainbench.probes import WORKFLOWS as WORKFLOW_CATEGORY
from proctor.brainbench.retrieval.query_set import TIERS, query_issues
from proctor.brainbench.scoring.workflows import WORKFLOWS
from proctor.excerpt import quote
from proctor.formats.brainbench.companions.members import first_present, optional_flag, texts
from proctor.formats.brainbench.companions.records import Kind, Record
from proctor.formats.members import (
    Fault,
    required,
    required_text,
    unknown_choice,
    whole_number,
    wrong_type,
)
from proctor.formats.pointers import Pointer
from proctor.plan import CriterionSpec

GOLD_MEMBERS: Final = ("ground_truth_slugs", "ground_truth_keys")
"""The members that name gold pages: of scenarios, and of rubrics."""

_TEXTS: Final = ("text", "query", "question")
_CATEGORY: Final = re.compile(r"cat([1-9][0-9]?)")
_OF_TIERS: Final = tuple(tier.value for tier in Tier)


def read_probe(record: Record) -> Probe:
    """The probe of a record. That of a rubric may have no text: its probe has one.

    Raises:
        Fault: it is none.
    """
    value = record.value
    workflow = _workflow(value, needed=record.kind is Kind.SCENARIO)
    tier = _tier(value)
    category = _category(record, workflow, tier)
    if category == COMPLIANCE and tier is None and record.kind is not Kind.RUBRIC:
        code = "bad_choice" if "tier" in value else "missing_field"
        raise Fault(code, ("tier",), "a probe of category 8 says whether it is simple or complex")
    return Probe(
        id=required_text(value, "id"),
        text=_text(record),
        category=category,
        tier=tier,
        expects_write=optional_flag(value, "expects_dry_run_write"),
        workflow=workflow,
        gold_slugs=texts(value, first_present(value, GOLD_MEMBERS)),
        rubric=_rubric(value),
    )


def with_rubric(probe: Probe, rubric: Probe) -> Probe:
    """A probe with what the rubric file says of it.

    Raises:
        Fault: both say it, and not the same.
    """
    added: dict[str, Any] = {}
    for name, member in (("rubric", "rubric"), ("gold_slugs", GOLD_MEMBERS[1]), ("category", "category")):
        own, given = getattr(probe, name), getattr(rubric, name)
        if given and own and own != given:
            raise Fault("conflict", (member,), f"the probe {quote(probe.id, 80)} says something else of itself")
        added[name] = own or given
    return replace(probe, **added)


def gold_references(record: Record) -> Iterator[tuple[Pointer, str]]:
    """The gold pages that a probe or a rubric asks for, each with its place in the record."""
    name = first_present(record.value, GOLD_MEMBERS)
    for index, slug in enumerate(record.value.get(name) or ()):
        yield (name, index), slug


def probe_warnings(record: Record) -> Iterator[Fault]:
    """What is odd about a record that is a probe.

    A rubric without a criterion, a category that is none, and what the rules of query sets say.
    """
    if record.value.get("rubric") == []:
        message = "has no criterion: a transcript of this probe could not be evaluated"
        yield Fault("empty_rubric", ("rubric",), message, "write at least one criterion")
    named = record.value.get("category")
    if isinstance(named, str) and not _CATEGORY.fullmatch(named):
        message = f"{quote(named, 80)} is no category of the benchmark, so the probe has none"
        yield Fault("unknown_category", ("category",), message, "write its number, such as 9")
    if "expected_output_type" in record.value:
        for issue in query_issues(record.value):
            yield Fault("query_set", tuple(issue.field.split(".")), issue.message)


def _text(record: Record) -> str:
    name = first_present(record.value, _TEXTS)
    if record.kind is Kind.RUBRIC and record.value.get(name) is None:
        return ""
    text = required_text(record.value, name)
    if not text.strip():
        raise Fault("empty", (name,), "must not be empty")
    return text


def _category(record: Record, workflow: str | None, tier: Tier | None) -> int | None:
    """The category that a record names, or its catalogue, or that its other members tell."""
    named = record.value.get("category")
    if named is None:
        told = WORKFLOW_CATEGORY if workflow is not None else COMPLIANCE if tier is not None else None
        return told if record.category is None else record.category
    if isinstance(named, str):
        found = _CATEGORY.fullmatch(named)
        return int(found[1]) if found else None
    number = whole_number(named)
    if number is None or number < 1:
        raise Fault("bad_value", ("category",), "must be the number of a category such as 9")
    return number


def _tier(value: Mapping[str, Any]) -> Tier | None:
    """How much work a probe needs; None for the tiers of retrieval, which say something else."""
    named = value.get("tier")
    if named is None or named in TIERS:
        return None
    if named not in _OF_TIERS:
        raise unknown_choice(("tier",), "tier", named, (*_OF_TIERS, *TIERS))
    return Tier(named)


def _workflow(value: Mapping[str, Any], *, needed: bool) -> str | None:
    named = required(value, "workflow") if needed else value.get("workflow")
    if named is None and not needed:
        return None
    if named not in WORKFLOWS:
        raise unknown_choice(("workflow",), "workflow", named, WORKFLOWS)
    return str(named)


def _rubric(value: Mapping[str, Any]) -> tuple[CriterionSpec, ...]:
    rows = value.get("rubric")
    if rows is None:
        return ()
    if not isinstance(rows, list):
        raise wrong_type(("rubric",), "an array", rows)
    criteria = tuple(_criterion(row, ("rubric", index)) for index, row in enumerate(rows))
    seen: set[str] = set()
    for index, criterion in enumerate(criteria):
        if criterion.id in seen:
            message = f"the criterion {quote(criterion.id, 80)} stands twice in this rubric"
            raise Fault("duplicate_id", ("rubric", index, "id"), message)
        seen.add(criterion.id)
    return criteria


def _criterion(row: Any, place: Pointer) -> CriterionSpec:
    if not isinstance(row, dict):
        raise wrong_type(place, "an object", row)
    criterion = CriterionSpec(required_text(row, "id", place), required_text(row, "criterion", place))
    weight = whole_number(required(row, "weight", place))
    if weight not in (1, 2):
        raise Fault("out_of_range", (*place, "weight"), "must be 1 or 2")
    return replace(criterion, weight=weight)
