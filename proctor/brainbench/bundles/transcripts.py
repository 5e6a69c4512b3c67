"""Transcripts as a page for people. Everything that an agent chose stands in code spans and fences."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from proctor.brainbench.transcript import (
    FINAL_ANSWER,
    MODEL_CALL,
    TOOL_CALL,
    TOOL_RESULT,
    Payload,
    Transcript,
    payload,
    tool_name,
)
from proctor.markdown_text import cell, code, fenced, table_row
from proctor.value_text import value_text
from proctor.wording import count


def transcripts_markdown(transcripts: Sequence[Transcript]) -> str:
    """The page with all transcripts, each below the id of its probe."""
    parts = (part for transcript in transcripts for part in _transcript(transcript))
    return "".join([f"# Transcripts\n\n{count(len(transcripts), 'transcript')}.\n", *parts])


def _transcript(transcript: Transcript) -> Iterator[str]:
    yield f"\n## {code(transcript['probe_id'])}\n\n"
    adapter = transcript["adapter"]
    about = {"adapter": adapter["name"], "stack": adapter["stack_id"]}
    about |= {title: value_text(transcript[name]) for name, title in _HEAD.items() if name in transcript}
    rows = [
        table_row("", ""),
        table_row("---", "---"),
        *(table_row(title, cell(text)) for title, text in about.items()),
    ]
    yield from (f"{line}\n" for line in rows)
    yield from _more(adapter, ("name", "stack_id"))
    for turn in transcript["turns"]:
        yield from _turn(turn)


def _turn(turn: Mapping[str, Any]) -> Iterator[str]:
    kind = turn["kind"]
    yield f"\n### {value_text(turn['turn_index'])} {kind}\n"
    show, known = _KINDS[kind]
    found = payload(turn)
    yield from show(found)
    yield from _more(found, known)
    yield from _more(turn, ("turn_index", "kind", kind))


def _model_call(found: Payload) -> Iterator[str]:
    said = [code(found["model_id"])] if "model_id" in found else []
    said += [f"{found[name]} {words}" for name, words in _TOKENS.items() if name in found]
    said += [f"stopped for {code(found['stop_reason'])}"] if "stop_reason" in found else []
    yield _line(said)


def _tool_call(found: Payload) -> Iterator[str]:
    yield _line([code(tool_name(found))])
    if "tool_input" in found:
        yield _block(_indented(found["tool_input"]), "json")


def _tool_result(found: Payload) -> Iterator[str]:
    said = [code(tool_name(found))]
    said += ["cut at the limit"] if found.get("truncated") is True else []
    said += [f"planted item {code(each)}" for each in found.get("matched_poison_fixture_ids", ())]
    yield _line(said)
    content = found.get("content")
    if isinstance(content, str):
        yield _block(content)
    elif "content" in found:
        yield _block(_indented(content), "json")


def _final_answer(found: Payload) -> Iterator[str]:
    yield _block(found.get("text", ""))
    refs = [code(each) for each in found.get("evidence_refs", ())]
    if refs:
        yield f"\nCites {', '.join(refs)}.\n"


def _more(found: Mapping[str, Any], known: Sequence[str]) -> Iterator[str]:
    """What else stands there, as JSON: the places of a transcript are open."""
    rest = {name: value for name, value in found.items() if name not in known}
    if rest:
        yield _block(_indented(rest), "json")


def _line(said: Sequence[str]) -> str:
    return f"\n{', '.join(said)}\n" if said else ""


def _block(text: str, language: str = "") -> str:
    return f"\n{fenced(text, language)}"


def _indented(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)


_HEAD: Final[Mapping[str, str]] = {
    "started_at": "started",
    "ended_at": "ended",
    "elapsed_ms": "milliseconds",
    "total_input_tokens": "input tokens",
    "total_output_tokens": "output tokens",
}
_TOKENS: Final[Mapping[str, str]] = {"input_tokens": "tokens in", "output_tokens": "tokens out"}
_KINDS: Final[Mapping[str, tuple[Callable[[Payload], Iterator[str]], tuple[str, ...]]]] = {
    MODEL_CALL: (_model_call, ("model_id", "input_tokens", "output_tokens", "stop_reason")),
    TOOL_CALL: (_tool_call, ("tool_name", "tool_input")),
    TOOL_RESULT: (_tool_result, ("tool_name", "content", "truncated", "matched_poison_fixture_ids")),
    FINAL_ANSWER: (_final_answer, ("text", "evidence_refs")),
}
"""How the payload of each kind is shown, and which of its members that shows."""
