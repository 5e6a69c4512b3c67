"""What a transcript is held against: probes with their rubrics, gold pages, claims, planted items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from proctor.brainbench.planted.catalogue import Catalogue
from proctor.plan import CriterionSpec

PROVENANCE: Final = 5
COMPLIANCE: Final = 8
WORKFLOWS: Final = 9

CATEGORIES: Final = (PROVENANCE, COMPLIANCE, WORKFLOWS)
"""The numbers of the categories that are scored here: claims, rule compliance, workflows with a rubric."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the knowledge base that is gold for some probe: a judge takes it for the only facts."""

    slug: str
    title: str
    content: str


class Tier(StrEnum):
    """How much work a probe of category 8 is meant to need."""

    SIMPLE = "simple"
    COMPLEX = "complex"


@dataclass(frozen=True, slots=True)
class Probe:
    """A question to an agent, and what its answer is held against.

    ``tier`` and ``expects_write`` belong to category 8, ``workflow``, ``gold_slugs`` and ``rubric`` to category 9;
    a probe of another category may have a rubric too.
    """

    id: str
    text: str
    category: int | None = None
    tier: Tier | None = None
    expects_write: bool = False
    workflow: str | None = None
    gold_slugs: tuple[str, ...] = ()
    rubric: tuple[CriterionSpec, ...] = ()


class Label(StrEnum):
    """What a claim is, seen from its sources."""

    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"
    OVER_GENERALIZED = "over-generalized"


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement of a page about what its sources say (category 5). ``evidence_slugs`` are those sources."""

    id: str
    source_page: str
    text: str
    expected: Label
    evidence_slugs: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Companions:
    """Everything that stands beside transcripts: probes and claims by id, pages by slug, planted items."""

    probes: Mapping[str, Probe] = field(default_factory=dict)
    claims: Mapping[str, Claim] = field(default_factory=dict)
    pages: Mapping[str, Page] = field(default_factory=dict)
    planted: Catalogue = field(default_factory=Catalogue)
