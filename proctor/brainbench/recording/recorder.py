"""The recorder: builds the transcript of one probe, event by event or of a trajectory.

What it gives fits the schemas of both eras, as far as the id of the probe does, and keeps every invariant that matters.
The format has no place for much of what a recorder knows: when a turn was, why the loop ended, the id of a call, what
the model wrote next to it. That stands in an object ``proctor`` of the turn or the adapter, which are open.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from proctor.brainbench.eras import Era
from proctor.brainbench.facts import Tokens
from proctor.brainbench.recording.probe_ids import is_probe_id
from proctor.brainbench.recording.tool_output import ToolOutput
from proctor.brainbench.slugs import cited_slugs
from proctor.brainbench.transcript import FINAL_ANSWER, MODEL_CALL, TOOL_CALL, TOOL_RESULT
from proctor.excerpt import quote
from proctor.trajectory import JsonValue
from proctor.value_text import in_range, value_text

EXTRAS: Final = "proctor"
"""The member of a turn and of the adapter that holds what the format has no place for."""

SCHEMA_VERSION: Final = 1


class Unrecordable(ValueError):
    """The format has no place for what was done. The text says why, behind "it"."""


@dataclass(frozen=True, slots=True)
class Adapter:
    """Who was asked. ``stack_id`` tells states of the system apart; ``details`` is what else is known of it."""

    name: str
    stack_id: str
    details: Mapping[str, JsonValue] = field(default_factory=dict)


class Recorder:
    """Takes the events of one probe in their order; ``finish`` gives the transcript.

    ``about`` is what is known of the question, and stands at the first turn. Of the details of an event, those that are
    None are left out.
    """

    def __init__(
        self, probe_id: str, adapter: Adapter, started_at: datetime, about: Mapping[str, JsonValue] | None = None
    ) -> None:
        if not is_probe_id(probe_id, Era.POST_AUDIT):
            raise Unrecordable(f"has the id {quote(probe_id, 80)}, which no probe can have")
        self._probe_id = probe_id
        self._adapter = adapter
        self._started_at = started_at
        self._about = about or {}
        self._turns: list[dict[str, Any]] = []
        self._tokens = Tokens()

    def model_call(
        self, tokens: Tokens, model_id: str | None = None, stop_reason: str | None = None, **details: JsonValue
    ) -> None:
        """Record that a model was called.

        Raises:
            Unrecordable: a count is below 0.
        """
        if tokens.input < 0 or tokens.output < 0:
            raise Unrecordable("has a model call with fewer than 0 tokens")
        self._tokens = Tokens(self._tokens.input + tokens.input, self._tokens.output + tokens.output)
        told = {
            "model_id": model_id,
            "input_tokens": tokens.input,
            "output_tokens": tokens.output,
            "stop_reason": stop_reason,
        }
        self._turns.append(self._turn(MODEL_CALL, _known(told), details))

    def tool_call(
        self, tool: str, arguments: JsonValue, output: ToolOutput, call_id: str | None = None, **details: JsonValue
    ) -> None:
        """Record a call and its result, which stand next to each other. ``details`` are those of the result.

        Arguments that are no object leave an empty input; what they were is told beside it.
        """
        tool_input, fault = _input(arguments)
        call = {"tool_name": tool, "tool_input": tool_input}
        self._turns.append(self._turn(TOOL_CALL, call, {"call_id": call_id, "arguments_error": fault}))
        result = {
            "tool_name": tool,
            "content": output.content,
            "truncated": output.truncated,
            "matched_poison_fixture_ids": list(output.planted_ids),
        }
        self._turns.append(self._turn(TOOL_RESULT, result, {"call_id": call_id, **details}))

    def finish(self, text: str, elapsed_ms: int, **details: JsonValue) -> dict[str, Any]:
        """The transcript with the answer; empty text where the agent gave none.

        Raises:
            Unrecordable: it took less than no time, or its times are in no calendar.
        """
        answer = {"text": text, "evidence_refs": list(cited_slugs(text))}
        turns = [*self._turns, self._turn(FINAL_ANSWER, answer, details)]
        started_at, ended_at = _times(self._started_at, elapsed_ms)
        return {
            "schema_version": SCHEMA_VERSION,
            "probe_id": self._probe_id,
            "adapter": _with_extras(
                {"name": self._adapter.name, "stack_id": self._adapter.stack_id}, self._adapter.details
            ),
            "started_at": started_at,
            "ended_at": ended_at,
            "turns": turns,
            "total_input_tokens": self._tokens.input,
            "total_output_tokens": self._tokens.output,
            "elapsed_ms": elapsed_ms,
        }

    def _turn(self, kind: str, payload: Mapping[str, Any], details: Mapping[str, JsonValue]) -> dict[str, Any]:
        place = len(self._turns)
        about = details if place else {**self._about, **details}
        return _with_extras({"turn_index": place, "kind": kind, kind: payload}, about)


def _with_extras(value: dict[str, Any], details: Mapping[str, JsonValue]) -> dict[str, Any]:
    extras = in_range(_known(details))
    return {**value, EXTRAS: extras} if extras else value


def _known(members: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {name: value for name, value in members.items() if value is not None}


def _input(arguments: JsonValue) -> tuple[dict[str, Any], str | None]:
    """The input of a call, and what was wrong with its arguments."""
    if isinstance(arguments, dict):
        return in_range(arguments), None
    if arguments is None:
        return {}, "the arguments were not recorded"
    return {}, f"no JSON object: {value_text(arguments)}"


def _times(started_at: datetime, elapsed_ms: int) -> tuple[str, str]:
    """Both ends as the benchmark writes them: UTC, milliseconds, Z."""
    if elapsed_ms < 0:
        raise Unrecordable("ended before it began")
    try:
        begin = started_at.astimezone(UTC)
        begin = begin.replace(microsecond=begin.microsecond // 1000 * 1000)
        return _stamp(begin), _stamp(begin + timedelta(milliseconds=elapsed_ms))
    except (OverflowError, ValueError):
        raise Unrecordable("has a time that no calendar has") from None


def _stamp(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
