"""A transcript as its schema leaves it: plain data with almost everything optional, and the few ways to read it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

MODEL_CALL: Final = "model_call"
TOOL_CALL: Final = "tool_call"
TOOL_RESULT: Final = "tool_result"
FINAL_ANSWER: Final = "final_answer"

KINDS: Final = (MODEL_CALL, TOOL_CALL, TOOL_RESULT, FINAL_ANSWER)
"""The kinds of turns. The payload of a turn sits under the key named like its kind."""

Transcript: TypeAlias = Mapping[str, Any]
"""A transcript that its schema accepts."""
Payload: TypeAlias = Mapping[str, Any]


def payload(turn: Mapping[str, Any]) -> Payload:
    """The payload that fits the kind of a turn; empty where it is absent."""
    found: Payload = turn.get(turn["kind"], {})
    return found


def payloads(transcript: Transcript, kind: str) -> Iterator[Payload]:
    """The payloads of all turns of one kind, in order."""
    return (payload(turn) for turn in transcript["turns"] if turn["kind"] == kind)


def tool_name(found: Payload) -> str:
    """The tool that a call or a result names; empty where it names none."""
    name: str = found.get("tool_name", "")
    return name
