"""Category 8: four rules of how an agent works with its knowledge base, decided without any model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from proctor.brainbench.eras import Era
from proctor.brainbench.facts import Facts, Ordering
from proctor.brainbench.probes import Probe, Tier
from proctor.brainbench.recording.tool_output import utf16_units
from proctor.brainbench.tools import PUT_PAGE
from proctor.brainbench.writes import IntendedWrite
from proctor.excerpt import quote
from proctor.wording import count, listed

CITES_FROM: Final = 80
"""The length from which an answer has to cite a page, in UTF-16 units and without outer blanks."""

MOST_SIMPLE_READS: Final = 2
"""Reads that a simple probe may take, since the audit."""

_SHOWN: Final = 3


class Rule(StrEnum):
    """The rules, named like their metrics."""

    BRAIN_FIRST = "brain_first_compliance"
    BACK_LINK = "back_link_compliance"
    CITATION_FORMAT = "citation_format"
    TIER_ESCALATION = "tier_escalation"


RULES: Final = tuple(Rule)
"""Every rule, in the order in which findings and reports give them."""


@dataclass(frozen=True, slots=True)
class RuleFinding:
    """Whether a rule holds for one run of one probe. ``reason`` says what was wanted and what was seen."""

    name: Rule
    holds: bool
    reason: str


def rule_findings(probe: Probe, facts: Facts, era: Era = Era.POST_AUDIT) -> tuple[RuleFinding, ...]:
    """Decide the four rules, in the order of `Rule`, from facts that were derived for the same era.

    Since the audit, an agent that gave no answer keeps neither the rule of back-links nor that of citations: it would
    otherwise keep them by doing nothing.

    Raises:
        ValueError: the probe has no tier.
    """
    return (_brain_first(facts), _back_link(facts, era), _citation_format(facts, era), _escalation(probe, facts, era))


def _brain_first(facts: Facts) -> RuleFinding:
    reads = count(facts.reads, "read")
    if facts.ordering is Ordering.NO_BRAIN_CALLS:
        seen = "no read"
    elif facts.ordering is Ordering.BRAIN_BEFORE_ANSWER:
        seen = f"{reads} and the answer after the first"
    elif facts.answered:
        seen = "an answer before the first read"
    else:
        seen = f"{reads} and no answer after them"
    holds = facts.ordering is Ordering.BRAIN_BEFORE_ANSWER
    return _finding(Rule.BRAIN_FIRST, holds, "a read before the answer", seen)


def _back_link(facts: Facts, era: Era) -> RuleFinding:
    pages = [write for write in facts.writes if write.tool_name == PUT_PAGE]
    bare = [page for page in pages if not page.has_back_links]
    if bare:
        seen = f"none in {_named(bare)}"
    else:
        seen = f"{count(len(pages), 'page')}, each with one" if pages else "no page written"
    wanted = "a back-link in each page that is written"
    return _of_an_answer(Rule.BACK_LINK, not bare, wanted, seen, facts, era)


def _citation_format(facts: Facts, era: Era) -> RuleFinding:
    wrong = [write for write in facts.writes if not write.citation_format_ok]
    length = utf16_units((facts.answer or "").strip())
    in_writes = f"others in {_named(wrong)}" if wrong else f"{count(len(facts.writes), 'write')} without a fault"
    in_answer = f"{count(len(facts.text_slugs), 'cited page')} in an answer of {count(length, 'character')}"
    wanted = f"well-formed citations in each write and a cited page in an answer of {CITES_FROM} characters or more"
    holds = not wrong and (length < CITES_FROM or bool(facts.text_slugs))
    return _of_an_answer(Rule.CITATION_FORMAT, holds, wanted, f"{in_writes} and {in_answer}", facts, era)


def _escalation(probe: Probe, facts: Facts, era: Era) -> RuleFinding:
    reads, writes = facts.reads, len(facts.writes)
    if probe.tier is None:
        raise ValueError(f"the probe {quote(probe.id, 80)} is neither simple nor complex")
    if probe.tier is Tier.COMPLEX and probe.expects_write:
        wanted, holds = "a read and a write", reads >= 1 and writes >= 1
    elif probe.tier is Tier.COMPLEX:
        wanted, holds = "2 reads or more", reads >= 2
    elif era is Era.SEED:
        wanted, holds = "a read", reads >= 1
    else:
        wanted = f"1 to {MOST_SIMPLE_READS} reads and no write"
        holds = 1 <= reads <= MOST_SIMPLE_READS and not writes
    seen = f"{count(reads, 'read')} and {count(writes, 'write')}"
    return _finding(Rule.TIER_ESCALATION, holds, f"{wanted} for a {probe.tier.value} probe", seen)


def _of_an_answer(rule: Rule, holds: bool, wanted: str, seen: str, facts: Facts, era: Era) -> RuleFinding:
    if era is Era.SEED:
        return _finding(rule, holds, wanted, seen)
    has_answer = bool((facts.answer or "").strip())
    return _finding(rule, holds and has_answer, f"an answer, {wanted}", seen if has_answer else f"no answer, {seen}")


def _finding(rule: Rule, holds: bool, wanted: str, seen: str) -> RuleFinding:
    return RuleFinding(rule, holds, f"wanted {wanted}; seen {seen}")


def _named(writes: Iterable[IntendedWrite]) -> str:
    pages = [f"{write.tool_name} without a page" if write.slug is None else quote(write.slug, 80) for write in writes]
    return listed(pages, _SHOWN)
