"""From the turns of a transcript to a trajectory, which is what every stage and report takes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from proctor.brainbench.facts import Facts, is_tool_error
from proctor.brainbench.transcript import MODEL_CALL, TOOL_CALL, TOOL_RESULT, Payload, Transcript, payload, tool_name
from proctor.prices import price_usd
from proctor.trajectory import Ending, JsonValue, ToolCall, Trajectory, TurnRecord, Usage

MOST_CHARACTERS: Final = 131_072
"""Characters of one tool result, or of the arguments of one call, that are kept in the store; the file has the rest."""


def recorded_trajectory(transcript: Transcript, facts: Facts, user: str) -> Trajectory:
    """The trial that a transcript records: one exchange. ``user`` is the text of the probe."""
    latency = float(facts.wall_ms or 0 if facts.elapsed_ms is None else facts.elapsed_ms)
    usage = _usage(transcript, facts)
    turn = TurnRecord(user, facts.answer, tuple(_calls(transcript)), latency_ms=max(0.0, latency), usage=usage)
    return Trajectory(Ending.COMPLETED, (turn,), usage=usage, latency_ms=max(0.0, latency))


def _calls(transcript: Transcript) -> Iterator[ToolCall]:
    """Each call with the result that follows it. A result without a call is shown as a call without arguments."""
    turns = transcript["turns"]
    for place, turn in enumerate(turns):
        before = turns[place - 1]["kind"] if place else None
        after = turns[place + 1] if place + 1 < len(turns) else None
        if turn["kind"] == TOOL_CALL:
            result = payload(after) if after is not None and after["kind"] == TOOL_RESULT else None
            yield _call(payload(turn), payload(turn).get("tool_input"), result)
        elif turn["kind"] == TOOL_RESULT and before != TOOL_CALL:
            yield _call(payload(turn), None, payload(turn))


def _call(named: Payload, arguments: Any, result: Payload | None) -> ToolCall:
    content = None if result is None else result.get("content")
    return ToolCall(
        name=tool_name(named),
        arguments=_kept_value(arguments),
        result=_kept_value(content),
        is_error=is_tool_error(content),
    )


def _kept_value(value: Any) -> JsonValue:
    """A value as it is, or the beginning of one that is too long for the store."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(text) <= MOST_CHARACTERS:
        kept: JsonValue = value
        return kept
    return f"{text[:MOST_CHARACTERS]} […{len(text) - MOST_CHARACTERS:,} more characters…]"


def _usage(transcript: Transcript, facts: Facts) -> Usage:
    """The tokens of the model turns, else the declared ones; priced where the model is one and known."""
    has_calls = bool(facts.kinds[MODEL_CALL])
    usage = Usage(
        input_tokens=max(0, facts.summed.input if has_calls else facts.declared_input or 0),
        output_tokens=max(0, facts.summed.output if has_calls else facts.declared_output or 0),
        requests=facts.kinds[MODEL_CALL],
    )
    return usage if (cost := _cost(transcript, facts)) is None else usage + Usage(cost_usd=cost)


def _cost(transcript: Transcript, facts: Facts) -> Decimal | None:
    """The sum over all model turns; None if one of them has no price."""
    total = Decimal(0)
    for turn in transcript["turns"]:
        if turn["kind"] != MODEL_CALL:
            continue
        found = payload(turn)
        spent = Usage(max(0, int(found.get("input_tokens", 0))), max(0, int(found.get("output_tokens", 0))))
        price = price_usd(found["model_id"], spent) if "model_id" in found else None
        if price is None:
            return None
        total += price
    return total if facts.kinds[MODEL_CALL] else None
