"""Whether something of a run got into a judge's input that must not: tools' output, inputs, who answered.

This looks at the finished texts, not at how they were made, so it finds what a mistake in the making lets through.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from proctor.brainbench.judging.evidence import Evidence
from proctor.brainbench.judging.shown_names import NO_SLUG, shown_fixture, shown_slug
from proctor.brainbench.planted.catalogue import Catalogue
from proctor.brainbench.shared_text import RunFinder
from proctor.brainbench.tool_texts import input_texts, result_texts
from proctor.brainbench.tools import TOOLS
from proctor.brainbench.transcript import FINAL_ANSWER, MODEL_CALL, TOOL_CALL, Transcript, payload, payloads, tool_name
from proctor.excerpt import quote

LEAK: Final = 24
"""Characters (code points) that a judge's input may not have in common with a tool's text."""

LONG_NAME: Final = 8
"""Characters from which the name of an adapter, stack or model is looked for: a shorter one may occur by chance."""


@dataclass(frozen=True, slots=True)
class Leak:
    """Something that got into the judge's input. ``text`` is the beginning of it, ``pointer`` where it stands."""

    what: str
    pointer: str
    text: str

    def __str__(self) -> str:
        return f"the judge would read {quote(self.text, 80)}, which is of {self.what} at {self.pointer}"


def leaks(judge_input: Iterable[str], transcript: Transcript, evidence: Evidence) -> tuple[Leak, ...]:
    """Every leak into the texts of a judge's input: one at most for each text of a tool.

    A leak is a run of `LEAK` characters of one text that stands in a tool's result or input, or a long name, and that
    stands in none of what the judge may read: the answer, the question, the gold pages, the rubric, the fifteen tools,
    and the slugs and ids that the evidence carries.
    """
    texts = tuple(judge_input)
    allowed = tuple(_allowed(transcript, evidence))
    finder = RunFinder(_without_copies(texts, allowed), LEAK).without(allowed)
    return (*_of_tools(finder, transcript), *_of_names(texts, allowed, transcript))


def _allowed(transcript: Transcript, evidence: Evidence) -> Iterator[str]:
    """The answer is taken from the transcript: the evidence is what is being checked."""
    answers = [found.get("text", "") for found in payloads(transcript, FINAL_ANSWER)]
    yield from answers[-1:]
    yield from (evidence.probe_text, evidence.probe_id, *TOOLS)
    for page in evidence.ground_truth_pages:
        yield from (page.content, page.title, page.slug)
    for criterion in evidence.rubric:
        yield from (criterion.text, criterion.id)
    summary = evidence.tool_call_summary
    yield from (fixture for fixture in summary.saw_poison_items if shown_fixture(fixture, Catalogue()) == fixture)
    slugs = {*evidence.evidence_refs, *(write.slug or "" for write in summary.made_dry_run_writes)}
    for slug in slugs:
        if shown_slug(slug) != NO_SLUG:
            yield from (slug, slug.lower())


def _without_copies(texts: Iterable[str], allowed: Collection[str]) -> Iterable[str]:
    """The parts of a judge's input between whole copies of what it may read, which make up most of it."""
    parts = list(texts)
    for known in sorted((text for text in allowed if len(text) >= LEAK), key=len, reverse=True):
        parts = [part for text in parts for part in _around(text, known)]
    return parts


def _around(text: str, known: str) -> Iterator[str]:
    """Parts of a text that have every run of it which does not lie in a copy of the known text."""
    start = 0
    while (found := text.find(known, start)) >= 0:
        yield text[start : found + LEAK - 1]
        start = found + len(known) - LEAK + 1
    yield text[start:]


def _of_tools(finder: RunFinder, transcript: Transcript) -> Iterator[Leak]:
    for what, texts in (("a tool's output", result_texts), ("a tool's input", input_texts)):
        for found in texts(transcript):
            if (run := finder.first_in(found.text)) is not None:
                yield Leak(what, found.pointer, run)


def _of_names(texts: Collection[str], allowed: Collection[str], transcript: Transcript) -> Iterator[Leak]:
    for what, pointer, name in _names(transcript):
        is_shown = len(name) >= LONG_NAME and any(name in text for text in texts)
        if is_shown and not any(name in text for text in allowed):
            yield Leak(what, pointer, name)


def _names(transcript: Transcript) -> Iterator[tuple[str, str, str]]:
    adapter = transcript["adapter"]
    yield "the adapter's name", "/adapter/name", adapter["name"]
    yield "the adapter's stack", "/adapter/stack_id", adapter["stack_id"]
    told: set[str] = set()
    for place, turn in enumerate(transcript["turns"]):
        found = payload(turn)
        if turn["kind"] == MODEL_CALL and (model := found.get("model_id")) is not None and model not in told:
            told.add(model)
            yield "a model's id", f"/turns/{place}/model_call/model_id", model
        if turn["kind"] == TOOL_CALL and (tool := tool_name(found)) not in TOOLS and tool not in told:
            told.add(tool)
            yield "an invented tool's name", f"/turns/{place}/tool_call/tool_name", tool
