"""Notes of judges as a page for people, from which they can be read back: each stands there as JSON too."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from proctor.markdown_text import cell, code, fenced, table_row
from proctor.value_text import value_text

_FENCE: Final = re.compile(r"(?P<ticks>`{3,})(?P<language>[a-z]*)")


def judge_notes_markdown(notes: Sequence[Mapping[str, Any]]) -> str:
    """The page with all notes, each below the id of its probe."""
    return "".join(["# Judge notes\n", *(part for note in notes for part in _note(note))])


def judge_notes_in(markdown: str) -> tuple[dict[str, Any], ...]:
    """The notes of a page that `judge_notes_markdown` made: whatever object stands there as JSON."""
    found = [_object(block) for block in _json_blocks(markdown)]
    return tuple(note for note in found if note is not None)


def _note(note: Mapping[str, Any]) -> Iterator[str]:
    yield f"\n## {code(_text(note.get('probe_id')))}\n\n"
    yield f"Verdict {code(_text(note.get('verdict')))}"
    yield f", score {code(_text(note['overall_score']))}.\n\n" if "overall_score" in note else ".\n\n"
    scores = note.get("scores")
    if isinstance(scores, list) and scores:
        rows = [_score(score) for score in scores if isinstance(score, Mapping)]
        head = (table_row("criterion", "score", "rationale"), table_row("---", "---", "---"))
        yield from (f"{line}\n" for line in (*head, *rows, ""))
    if note.get("overall_rationale"):
        yield fenced(_text(note["overall_rationale"]))
        yield "\n"
    # All of it is ASCII, so that nothing in it has to be marked and it reads back as it was.
    yield fenced(json.dumps(note, indent=2), "json")


def _score(score: Mapping[str, Any]) -> str:
    return table_row(*(cell(_text(score.get(name))) for name in ("criterion_id", "score", "rationale")))


def _text(value: Any) -> str:
    return "" if value is None else value_text(value)


def _json_blocks(markdown: str) -> Iterator[str]:
    """The fenced blocks of JSON; what stands in a block opens none."""
    fence, language = "", ""
    block: list[str] = []
    for line in markdown.split("\n"):
        opening = None if fence else _FENCE.fullmatch(line)
        if opening is not None:
            fence, language, block = opening["ticks"], opening["language"], []
        elif fence and line == fence:
            if language == "json":
                yield "\n".join(block)
            fence = ""
        else:
            block.append(line)


def _object(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
