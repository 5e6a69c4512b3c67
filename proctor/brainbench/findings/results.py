"""The invariants of tool results: their length, the mark of a cut, the planted items that they are tagged with."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from proctor.brainbench.facts import is_tool_error
from proctor.brainbench.findings.finding import Finding, Level
from proctor.brainbench.planted.catalogue import Catalogue
from proctor.brainbench.recording.tool_output import CONTENT_LIMIT, CUT_MARK, utf16_units
from proctor.brainbench.tools import READ_TOOLS
from proctor.brainbench.transcript import TOOL_RESULT, Payload, payload, tool_name
from proctor.excerpt import quote, shorten

_TAGS: Final = "matched_poison_fixture_ids"


def result_findings(turns: Sequence[Mapping[str, Any]], catalogue: Catalogue | None) -> Iterator[Finding]:
    """The invariants that the tool results among the turns of a transcript break."""
    for place, turn in enumerate(turns):
        if turn["kind"] == TOOL_RESULT:
            result, pointer = payload(turn), f"/turns/{place}/{TOOL_RESULT}"
            yield from _content(result, pointer)
            if catalogue is not None:
                yield from _tags(result, pointer, catalogue)


def content_text(result: Payload) -> str:
    """The text of a result as it is searched for the names of pages; structured content as JSON text."""
    content = result.get("content", "")
    return content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)


def _content(result: Payload, pointer: str) -> Iterator[Finding]:
    content = result.get("content", "")
    if not isinstance(content, str):
        message = "the content is structured; the recorder writes text"
        yield Finding("content_not_string", Level.INFO, f"{pointer}/content", message)
        return
    is_cut, is_marked = result.get("truncated", False), content.endswith(CUT_MARK)
    if is_cut and not is_marked:
        message = f"the result is flagged as cut, but does not end with {CUT_MARK}"
        yield Finding("truncation_marker", Level.WARN, pointer, message)
    elif is_marked and not is_cut:
        message = f"the content ends with {CUT_MARK}, but the result is not flagged as cut"
        yield Finding("truncation_marker", Level.WARN, pointer, message)
    if 2 * len(content) > CONTENT_LIMIT and (units := utf16_units(content)) > CONTENT_LIMIT:
        message = f"the content has {units:,} UTF-16 units; the recorder keeps {CONTENT_LIMIT:,} at most"
        yield Finding("content_over_cap", Level.WARN, f"{pointer}/content", message)


def _tags(result: Payload, pointer: str, catalogue: Catalogue) -> Iterator[Finding]:
    tags = result.get(_TAGS, [])
    named = dict.fromkeys(catalogue.named_in(content_text(result)))
    for place, tag in enumerate(tags):
        if tag not in catalogue.by_id:
            message = f"there is no planted item {quote(tag, 80)} in the catalogue"
            yield Finding("poison_id_unknown", Level.WARN, f"{pointer}/{_TAGS}/{place}", message)
        elif tag not in named:
            message = f"the content does not name the page of the planted item {quote(tag, 80)}"
            yield Finding("poison_overtagged", Level.WARN, f"{pointer}/{_TAGS}/{place}", message)
    tagged = frozenset(tags)
    untagged = [found for found in named if found not in tagged]
    if untagged and tool_name(result) in READ_TOOLS and not is_tool_error(result.get("content")):
        message = f"the content names planted items that it is not tagged with: {_listed(untagged)}"
        yield Finding("poison_untagged", Level.WARN, pointer, message)


def _listed(names: list[str]) -> str:
    return shorten(", ".join(quote(name, 80) for name in names[:5]) + (", …" if len(names) > 5 else ""), 400)
