"""What is odd about the evidence of a run before any judge sees it, as warnings."""

from __future__ import annotations

from collections.abc import Iterator

from proctor.brainbench.findings.finding import Finding, Level
from proctor.brainbench.judging.shown_names import NO_SLUG, shown_slug
from proctor.brainbench.planted.catalogue import Catalogue
from proctor.brainbench.planted.exposure import planted_gold
from proctor.brainbench.probes import Probe
from proctor.brainbench.tools import ADD_LINK, WRITE_TOOLS
from proctor.brainbench.transcript import TOOL_CALL, Transcript, payload, tool_name
from proctor.excerpt import quote

WRITE_WITHOUT_SLUG = "write_without_slug"
WRITE_SLUG_SHAPE = "write_slug_shape"
GROUND_TRUTH_IS_POISON = "ground_truth_is_poison"


def evidence_findings(transcript: Transcript, probe: Probe | None, planted: Catalogue) -> tuple[Finding, ...]:
    """Intended writes that name no page, or something that is no slug; gold pages that are planted.

    A planted gold page reaches the judge in full, and the judge takes it for the facts.
    """
    return (*_of_writes(transcript), *(() if probe is None else _of_gold(probe, planted)))


def _of_writes(transcript: Transcript) -> Iterator[Finding]:
    for place, turn in enumerate(transcript["turns"]):
        if turn["kind"] != TOOL_CALL or (tool := tool_name(call := payload(turn))) not in WRITE_TOOLS:
            continue
        member = "from" if tool == ADD_LINK else "slug"
        arguments = call.get("tool_input", {})
        slug = arguments.get(member)
        if not isinstance(slug, str) or not slug:
            pointer = f"/turns/{place}/tool_call/tool_input"
            yield Finding(WRITE_WITHOUT_SLUG, Level.WARN, pointer, f"the intended write names no page in {member}")
        elif shown_slug(slug) == NO_SLUG:
            pointer = f"/turns/{place}/tool_call/tool_input/{member}"
            message = f"{quote(slug, 80)} is no slug of a page; a judge is shown {NO_SLUG}"
            yield Finding(WRITE_SLUG_SHAPE, Level.WARN, pointer, message)


def _of_gold(probe: Probe, planted: Catalogue) -> Iterator[Finding]:
    for fixture_id in planted_gold(probe, planted):
        page = quote(planted.by_id[fixture_id].slug, 80)
        message = (
            f"the gold page {page} of the probe is the planted item {quote(fixture_id, 80)}: a judge reads it in full, "
            "and takes it for the facts"
        )
        yield Finding(GROUND_TRUTH_IS_POISON, Level.WARN, "/probe_id", message)
