"""The invariants of final answers: what they cite, and whether they are whole."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from proctor.brainbench.facts import Facts, is_tool_error
from proctor.brainbench.findings.finding import Finding, Level
from proctor.brainbench.findings.results import content_text
from proctor.brainbench.slugs import cited_slugs, is_slug
from proctor.brainbench.transcript import FINAL_ANSWER, MODEL_CALL, TOOL_CALL, TOOL_RESULT, Transcript, payload
from proctor.excerpt import quote

_REFS: Final = "evidence_refs"
_LIMIT_REASONS: Final = ("max_tokens", "length", "max_output_tokens")
"""Stop reasons for the output limit, as the interfaces of different providers spell them."""
_PAGE_TOOLS: Final = ("get_page", "get_chunks")
_PAIR: Final = re.compile(r"(?<![A-Za-z0-9-])([A-Za-z0-9-]++)(?=(/[A-Za-z0-9-]++))")
"""A word, with a slash and another word behind it. It begins at the beginning of a word only: the search is linear."""


def answer_findings(turns: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """The invariants that the final answers among the turns of a transcript break."""
    for place, turn in enumerate(turns):
        if turn["kind"] == FINAL_ANSWER:
            answer, pointer = payload(turn), f"/turns/{place}"
            yield from _citations(answer, f"{pointer}/{FINAL_ANSWER}/{_REFS}")
            if place and _hit_the_limit(turns[place - 1]):
                message = "the model turn before the answer stopped at its output limit"
                yield Finding("answer_cut_off", Level.WARN, pointer, message)


def unread_citations(transcript: Transcript, facts: Facts) -> tuple[Finding, ...]:
    """The citations of the last answer that name a page which no tool result of the run names.

    A page counts as read, too, if it was asked for by its name and the tool gave no error. Letter case is ignored.
    Citations that are no slugs are left out: they name no page.
    """
    unread = {cited.lower() for cited in facts.cited if is_slug(cited.lower())}
    turns = transcript["turns"]
    for place, turn in enumerate(turns):
        if unread and turn["kind"] == TOOL_RESULT:
            unread -= _pages_named(content_text(payload(turn)), unread)
            unread.discard(_page_asked_for(turns[place - 1], turn) if place else "")
    last = max((place for place, turn in enumerate(turns) if turn["kind"] == FINAL_ANSWER), default=0)
    return tuple(
        Finding(
            "evidence_ref_unread",
            Level.WARN,
            f"/turns/{last}/{FINAL_ANSWER}/{_REFS}/{place}",
            f"the answer cites {quote(cited, 80)}, which no tool result of the run names",
        )
        for place, cited in enumerate(facts.cited)
        if cited.lower() in unread
    )


def _citations(answer: Mapping[str, Any], pointer: str) -> Iterator[Finding]:
    refs = answer.get(_REFS)
    if refs is None:
        return
    for place, ref in enumerate(refs):
        if not is_slug(ref):
            message = f"{quote(ref, 80)} is no slug: two lower-case words with one slash between them"
            yield Finding("evidence_ref_shape", Level.WARN, f"{pointer}/{place}", message)
    derived = set(cited_slugs(answer.get("text", "")))
    if derived != set(refs):
        message = f"the citations are not those of the text: {_difference(derived, set(refs))}"
        yield Finding("evidence_refs_underived", Level.INFO, pointer, message)


def _difference(derived: set[str], refs: set[str]) -> str:
    parts = (("it also cites", derived - refs), ("it does not cite", refs - derived))
    return " and ".join(f"{verb} {_listed(sorted(names))}" for verb, names in parts if names)


def _listed(names: list[str]) -> str:
    return ", ".join(quote(name, 80) for name in names[:3]) + (", …" if len(names) > 3 else "")


def _hit_the_limit(turn: Mapping[str, Any]) -> bool:
    if turn["kind"] != MODEL_CALL:
        return False
    reason: str = payload(turn).get("stop_reason", "")
    return reason.lower() in _LIMIT_REASONS


def _pages_named(text: str, wanted: set[str]) -> set[str]:
    """Those of the wanted slugs that stand in a text, bounded on both sides by no letter, digit or hyphen."""
    found: set[str] = set()
    for pair in _PAIR.finditer(text):
        slug = "".join(pair.groups()).lower()
        if slug in wanted:
            found.add(slug)
            if len(found) == len(wanted):
                break
    return found


def _page_asked_for(call: Mapping[str, Any], result: Mapping[str, Any]) -> str:
    """The page that a call asks for by its name, in lower case; empty if it got an error, or asks for none."""
    asked = payload(call)
    if call["kind"] != TOOL_CALL or asked.get("tool_name") not in _PAGE_TOOLS:
        return ""
    slug = asked.get("tool_input", {}).get("slug")
    is_read = isinstance(slug, str) and not is_tool_error(payload(result).get("content"))
    return slug.lower() if is_read else ""
