"""The evidence: all that a judge learns of a run. The model is closed, so nothing else can get in.

Left out are the output and the inputs of tools, what was to be written, models, tokens, times, why the model stopped,
the adapter and what the answer is expected to be. So a judge cannot be steered by a page that the agent read, and does
not know whom it grades.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from proctor.brainbench.eras import Era
from proctor.brainbench.facts import Facts, Ordering
from proctor.brainbench.judging.shown_names import shown_fixture, shown_slug, shown_tool
from proctor.brainbench.planted.catalogue import Catalogue
from proctor.brainbench.probes import CATEGORIES, WORKFLOWS, Page, Probe
from proctor.brainbench.writes import IntendedWrite
from proctor.excerpt import quote
from proctor.plan import CriterionSpec
from proctor.trajectory import JsonValue
from proctor.wording import listed


class UnresolvedGold(LookupError):
    """Gold pages that nobody gave. Without them, true statements look invented, so nothing is asked."""

    def __init__(self, probe: Probe, slugs: tuple[str, ...]) -> None:
        named = listed([quote(slug, 80) for slug in slugs], 3)
        super().__init__(f"no page is given for {named}, gold of the probe {quote(probe.id, 80)}")
        self.slugs = slugs


@dataclass(frozen=True, slots=True)
class ToolCallSummary:
    """What the agent did with its tools.

    ``count_by_tool`` is in the order of first use. ``brain_first_ordering`` is None where there is no answer that could
    stand before or after a read.
    """

    count_by_tool: Mapping[str, int]
    saw_poison_items: tuple[str, ...]
    brain_first_ordering: Ordering | None
    made_dry_run_writes: tuple[IntendedWrite, ...]

    def to_json(self) -> dict[str, JsonValue]:
        """All members; no label where there is none."""
        label = self.brain_first_ordering
        ordering: dict[str, JsonValue] = {} if label is None else {"brain_first_ordering": label.value}
        return {
            "count_by_tool": dict(self.count_by_tool),
            "saw_poison_items": list(self.saw_poison_items),
            **ordering,
            "made_dry_run_writes": [write.to_json() for write in self.made_dry_run_writes],
        }


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence of one run of one probe. ``final_answer_text`` is trimmed, and empty if there is no answer."""

    probe_id: str
    probe_text: str
    category: int
    final_answer_text: str
    evidence_refs: tuple[str, ...]
    tool_call_summary: ToolCallSummary
    ground_truth_pages: tuple[Page, ...]
    rubric: tuple[CriterionSpec, ...]

    def to_json(self) -> dict[str, JsonValue]:
        """The object of the evidence contract."""
        return {
            "schema_version": 1,
            "probe": {"id": self.probe_id, "text": self.probe_text, "category": self.category},
            "final_answer_text": self.final_answer_text,
            "evidence_refs": list(self.evidence_refs),
            "tool_call_summary": self.tool_call_summary.to_json(),
            "ground_truth_pages": [
                {"slug": page.slug, "title": page.title, "content": page.content} for page in self.ground_truth_pages
            ],
            "rubric": [
                {"id": criterion.id, "criterion": criterion.text, "weight": criterion.weight}
                for criterion in self.rubric
            ],
        }


def build_evidence(
    probe: Probe, facts: Facts, pages: Mapping[str, Page], planted: Catalogue, era: Era = Era.POST_AUDIT
) -> Evidence:
    """Build the evidence from the facts that were derived for the same era.

    A probe of none of the contract's categories is taken for one of a workflow. Names that the agent chose are shown
    if they are of a closed kind (`proctor.brainbench.judging.shown_names`), and a write without a page has an empty
    slug. The seed era copies names as they are and leaves the slug out.

    Raises:
        UnresolvedGold: a gold page is not among the pages.
    """
    missing = tuple(slug for slug in probe.gold_slugs if slug not in pages)
    if missing:
        raise UnresolvedGold(probe, missing)
    summary = _as_it_is(facts) if era is Era.SEED else _closed(facts, planted)
    return Evidence(
        probe_id=probe.id,
        probe_text=probe.text,
        category=probe.category if probe.category in CATEGORIES else WORKFLOWS,
        final_answer_text=(facts.answer or "").strip(),
        evidence_refs=facts.cited if era is Era.SEED else tuple(map(shown_slug, facts.cited)),
        tool_call_summary=summary,
        ground_truth_pages=tuple(pages[slug] for slug in probe.gold_slugs),
        rubric=probe.rubric,
    )


def _as_it_is(facts: Facts) -> ToolCallSummary:
    return ToolCallSummary(_counted(facts.tool_names), facts.planted_ids, facts.ordering, facts.writes)


def _closed(facts: Facts, planted: Catalogue) -> ToolCallSummary:
    return ToolCallSummary(
        count_by_tool=_counted(map(shown_tool, facts.tool_names)),
        saw_poison_items=tuple(shown_fixture(fixture_id, planted) for fixture_id in facts.planted_ids),
        brain_first_ordering=None if facts.ordering is Ordering.NO_ANSWER else facts.ordering,
        made_dry_run_writes=tuple(
            replace(write, slug=shown_slug(write.slug) if write.slug else "") for write in facts.writes
        ),
    )


def _counted(names: Iterable[str]) -> dict[str, int]:
    return dict(Counter(names))
