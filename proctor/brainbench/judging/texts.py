"""From the evidence to what a judge reads: titled texts, each byte for byte, and nothing beside the evidence.

The prompt fences each text with a fresh marker, so none of them can close its section. Names stand in brackets that no
page uses, so that a list of them is not by chance the copy of a tool's output.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from proctor.brainbench.judging.evidence import Evidence
from proctor.brainbench.judging.shown_names import NO_SLUG, shown_fixture, shown_slug, shown_tool
from proctor.brainbench.planted.catalogue import Catalogue
from proctor.brainbench.probes import Claim, Page
from proctor.brainbench.writes import IntendedWrite
from proctor.plan import Evidence as TitledText
from proctor.wording import count

MOST_LISTED: Final = 200
"""Citations, planted items or intended writes that a judge is shown; it is told how many more there are."""

_NOTHING: Final = "(none)"


def evidence_texts(evidence: Evidence) -> tuple[TitledText, ...]:
    """The evidence of one run as texts. The rubric is not among them: it is no evidence."""
    return (
        TitledText("Question", evidence.probe_text),
        TitledText("Answer", evidence.final_answer_text),
        TitledText("Citations", _citations(evidence.evidence_refs)),
        TitledText("Use of tools", _use_of_tools(evidence)),
        *_pages("Gold page", evidence.ground_truth_pages),
    )


def claim_texts(claim: Claim, context: Sequence[Page]) -> tuple[TitledText, ...]:
    """A claim and the pages to hold it against, as texts."""
    return (TitledText("Claim", claim.text), *_pages("Source page", context))


def _pages(kind: str, pages: Sequence[Page]) -> Iterator[TitledText]:
    """A list of the pages, then the content of each. Their titles are data too, so no section is entitled by them."""
    listed = [
        f"{number}. {_named(page.slug)}, entitled {_named(page.title)}" for number, page in enumerate(pages, start=1)
    ]
    yield TitledText(f"{kind}s", _lines(listed))
    for number, page in enumerate(pages, start=1):
        yield TitledText(f"{kind} {number} of {len(pages)}", page.content)


def _citations(refs: Sequence[str]) -> str:
    shown = [slug for slug in map(shown_slug, refs) if slug != NO_SLUG]
    lines = [_citation(slug) for slug in shown[:MOST_LISTED]]
    if len(shown) > MOST_LISTED:
        lines.append(f"and {len(shown) - MOST_LISTED:,} more")
    if len(shown) < len(refs):
        lines.append(f"{count(len(refs) - len(shown), 'citation')} that cannot be the slug of a page")
    return _lines(lines)


def _citation(slug: str) -> str:
    """Letter case is no part of a slug; the raw form is kept beside it."""
    written = "" if slug.islower() else f", written {_named(slug)}"
    return f"{_named(slug.lower())}{written}"


def _use_of_tools(evidence: Evidence) -> str:
    summary = evidence.tool_call_summary
    calls: dict[str, int] = {}
    for name, times in summary.count_by_tool.items():
        calls[shown_tool(name)] = calls.get(shown_tool(name), 0) + times
    seen = [shown_fixture(each, Catalogue()) for each in summary.saw_poison_items]
    lines = ["calls: " + (", ".join(f"{_named(name)} {times:,}" for name, times in calls.items()) or _NOTHING)]
    if summary.brain_first_ordering is not None:
        lines.append(f"order: {summary.brain_first_ordering}")
    lines += ["planted items met: " + (", ".join(_first(seen)) or _NOTHING), "intended writes:"]
    return "\n".join([*lines, _lines(_first([_write(write) for write in summary.made_dry_run_writes]))])


def _write(write: IntendedWrite) -> str:
    page = shown_slug(write.slug) if write.slug else _NOTHING
    flags = f"back_links={_flag(write.has_back_links)}, citation_ok={_flag(write.citation_format_ok)}"
    return f"{_named(write.tool_name)} on {_named(page)}: {flags}"


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _first(lines: Sequence[str]) -> list[str]:
    more = [f"and {len(lines) - MOST_LISTED:,} more"] if len(lines) > MOST_LISTED else []
    return [*lines[:MOST_LISTED], *more]


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(lines) or _NOTHING


def _named(name: str) -> str:
    return f"⟨{name}⟩"
