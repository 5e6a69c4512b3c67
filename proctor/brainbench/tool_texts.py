"""Every text that tools were given and gave in a transcript, with its place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from proctor.brainbench.transcript import TOOL_CALL, TOOL_RESULT, Transcript, payload, tool_name
from proctor.value_text import value_text


class ToolText(NamedTuple):
    """A text of the turn at place ``turn``: of a result, or of the input of a call."""

    turn: int
    kind: str
    tool: str
    text: str

    @property
    def pointer(self) -> str:
        """The JSON pointer of the content or the input that has the text."""
        return f"/turns/{self.turn}/{self.kind}/{'content' if self.kind == TOOL_RESULT else 'tool_input'}"


def result_texts(transcript: Transcript) -> Iterator[ToolText]:
    """The content of each result; of a structured one its JSON text, and every string in it without JSON's escapes."""
    for place, turn in enumerate(transcript["turns"]):
        if turn["kind"] != TOOL_RESULT or "content" not in (found := payload(turn)):
            continue
        content, tool = found["content"], tool_name(found)
        if not isinstance(content, str):
            yield ToolText(place, TOOL_RESULT, tool, value_text(content))
        yield from (ToolText(place, TOOL_RESULT, tool, text) for text in strings_in(content))


def input_texts(transcript: Transcript) -> Iterator[ToolText]:
    """Every string in the input of each call."""
    for place, turn in enumerate(transcript["turns"]):
        if turn["kind"] == TOOL_CALL:
            found = payload(turn)
            texts = strings_in(found.get("tool_input"))
            yield from (ToolText(place, TOOL_CALL, tool_name(found), text) for text in texts)


def strings_in(value: Any) -> Iterator[str]:
    """Every string in a JSON value, names of members too."""
    pending = [value]
    while pending:
        found = pending.pop()
        if isinstance(found, str):
            yield found
        elif isinstance(found, dict):
            pending += [*reversed(found.values()), *reversed(found)]
        elif isinstance(found, list):
            pending += reversed(found)
