"""What a transcript says, derived from its turns: tools, tokens, times, the answer, citations, planted items."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from pydantic_core import from_json

from proctor.brainbench.eras import Era
from proctor.brainbench.slugs import cited_slugs
from proctor.brainbench.tools import READ_TOOLS, WRITE_TOOLS
from proctor.brainbench.transcript import (
    FINAL_ANSWER,
    KINDS,
    MODEL_CALL,
    TOOL_CALL,
    TOOL_RESULT,
    Payload,
    Transcript,
    payload,
    payloads,
    tool_name,
)
from proctor.brainbench.writes import IntendedWrite, intended_write

_LONGEST_ERROR: Final = 4_096
"""Characters of a tool's error object at most; a longer result is no error."""


class Ordering(StrEnum):
    """Whether the agent read before it answered."""

    NO_BRAIN_CALLS = "no_brain_calls"
    ANSWER_BEFORE_BRAIN = "answer_before_brain"
    NO_ANSWER = "no_answer"
    BRAIN_BEFORE_ANSWER = "brain_before_answer"


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of model calls."""

    input: int = 0
    output: int = 0


@dataclass(frozen=True, slots=True)
class Facts:
    """What a transcript says.

    ``tool_names`` are all calls in order, refused ones too. ``summed`` is taken from the model turns, ``declared`` from
    the totals (None where one is absent). ``wall_ms`` is the time between the two timestamps, ``elapsed_ms`` the
    declared one. ``answer`` is the text of the last answer, None where there is no answer turn with a text;
    ``answered``: the agent gave it, it was not added by the recorder. ``cited`` are the citations
    that the recorder kept, ``text_slugs`` those that the answer's text yields.
    """

    kinds: Mapping[str, int]
    tool_names: tuple[str, ...]
    writes: tuple[IntendedWrite, ...]
    model_ids: tuple[str, ...]
    summed: Tokens
    declared_input: int | None
    declared_output: int | None
    wall_ms: float | None
    elapsed_ms: int | None
    answer: str | None
    answered: bool
    cited: tuple[str, ...]
    text_slugs: tuple[str, ...]
    planted_ids: tuple[str, ...]
    truncated_results: int
    tool_errors: int
    ordering: Ordering

    @property
    def count_by_tool(self) -> dict[str, int]:
        """Calls of each tool, in the order of first use."""
        return dict(Counter(self.tool_names))

    @property
    def total_tokens(self) -> int:
        """The declared totals, each replaced by the sum over the turns where it is absent."""
        declared = (self.declared_input, self.summed.input), (self.declared_output, self.summed.output)
        return sum(summed if total is None else total for total, summed in declared)

    @property
    def reads(self) -> int:
        """Calls of the twelve tools that read."""
        return sum(name in READ_TOOLS for name in self.tool_names)


def facts_of(transcript: Transcript, era: Era = Era.POST_AUDIT) -> Facts:
    """Derive the facts of a transcript that its schema accepts."""
    calls = list(payloads(transcript, TOOL_CALL))
    results = list(payloads(transcript, TOOL_RESULT))
    answer, answered = _answer(transcript)
    text = _text(answer)
    return Facts(
        kinds={kind: sum(turn["kind"] == kind for turn in transcript["turns"]) for kind in KINDS},
        tool_names=tuple(map(tool_name, calls)),
        writes=tuple(_writes(calls, era)),
        model_ids=tuple(_each_once(found.get("model_id") for found in payloads(transcript, MODEL_CALL))),
        summed=_summed(transcript),
        declared_input=_declared(transcript, "total_input_tokens"),
        declared_output=_declared(transcript, "total_output_tokens"),
        wall_ms=wall_ms(transcript),
        elapsed_ms=_declared(transcript, "elapsed_ms"),
        answer=text,
        answered=answered,
        cited=tuple(answer.get("evidence_refs", ())),
        text_slugs=cited_slugs(text or ""),
        planted_ids=tuple(
            _each_once(each for found in results for each in found.get("matched_poison_fixture_ids", ()))
        ),
        truncated_results=sum(found.get("truncated") is True for found in results),
        tool_errors=sum(is_tool_error(found.get("content")) for found in results),
        ordering=_ordering(transcript, answered=answered, era=era),
    )


def is_tool_error(content: object) -> bool:
    """Whether a result is the small object by which the loop tells an error: ``error`` and ``kind`` are texts."""
    if isinstance(content, str) and len(content) <= _LONGEST_ERROR and content.lstrip().startswith("{"):
        try:
            content = from_json(content)
        except ValueError:
            return False
    return isinstance(content, dict) and all(isinstance(content.get(key), str) for key in ("error", "kind"))


def wall_ms(transcript: Transcript) -> float | None:
    """Milliseconds between the two timestamps, below 0 if the clock runs backwards.

    None if one of them cannot be computed with: a leap second is a time of the schema, and none of Python's.
    """
    try:
        started, ended = (datetime.fromisoformat(transcript[name].upper()) for name in ("started_at", "ended_at"))
        return (ended - started).total_seconds() * 1000
    except (ValueError, OverflowError):
        return None


def _answer(transcript: Transcript) -> tuple[Payload, bool]:
    """The last answer, and whether the agent gave it: an empty one behind a tool result was added by the recorder."""
    turns = transcript["turns"]
    position = next((place for place in reversed(range(len(turns))) if turns[place]["kind"] == FINAL_ANSWER), None)
    if position is None:
        return {}, False
    answer = payload(turns[position])
    follows_model = position > 0 and turns[position - 1]["kind"] == MODEL_CALL
    return answer, _has_text(answer) or follows_model


def _ordering(transcript: Transcript, *, answered: bool, era: Era) -> Ordering:
    has_text_before = False
    for turn in transcript["turns"]:
        if turn["kind"] == FINAL_ANSWER and _has_text(payload(turn)):
            has_text_before = True
        elif turn["kind"] == TOOL_CALL and tool_name(payload(turn)) in READ_TOOLS:
            break
    else:
        return Ordering.NO_BRAIN_CALLS
    if has_text_before:
        return Ordering.ANSWER_BEFORE_BRAIN
    if not answered:
        return Ordering.ANSWER_BEFORE_BRAIN if era is Era.SEED else Ordering.NO_ANSWER
    return Ordering.BRAIN_BEFORE_ANSWER


def _summed(transcript: Transcript) -> Tokens:
    calls = list(payloads(transcript, MODEL_CALL))
    return Tokens(
        sum(int(found.get("input_tokens", 0)) for found in calls),
        sum(int(found.get("output_tokens", 0)) for found in calls),
    )


def _declared(transcript: Transcript, name: str) -> int | None:
    """A number of the transcript as a whole number: the schema takes 3.0 for one."""
    return int(transcript[name]) if name in transcript else None


def _writes(calls: list[Payload], era: Era) -> list[IntendedWrite]:
    named = [(tool_name(call), call.get("tool_input", {})) for call in calls]
    return [intended_write(name, arguments, era) for name, arguments in named if name in WRITE_TOOLS]


def _text(answer: Payload) -> str | None:
    text: str | None = answer.get("text")
    return text


def _has_text(answer: Payload) -> bool:
    return bool((_text(answer) or "").strip())


def _each_once(values: Iterable[str | None]) -> dict[str, None]:
    return dict.fromkeys(value for value in values if value is not None)
