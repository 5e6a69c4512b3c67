"""From what an agent did to the turns of a pi fixture.

The steps of a reply are messages of their own where they are known. Where they are not, the calls of a turn are taken
to be made by one message, and the reply to be another one, as `proctor.checks.pi.trace` does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any, Final

from proctor.agent_messages import agent_messages, has_known_messages
from proctor.checks.pi.trace import ASSISTANT, TOOL_RESULT, USER
from proctor.convert.call_ids import CallIds
from proctor.formats.pi.fixture import TokenLedger
from proctor.trajectory import JsonValue, ToolCall, Trajectory, TurnRecord, Usage
from proctor.value_text import in_range

Turn = dict[str, Any]

_SPELL: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def fixture_turns(trajectory: Trajectory) -> list[Turn]:
    """The turn records of a trial, in their order."""
    ids = CallIds(trajectory)
    members = chain.from_iterable(_exchange(record, ids) for record in trajectory.turns)
    return [{"type": "turn", "turnIndex": index, **turn} for index, turn in enumerate(members)]


def gaps(trajectory: Trajectory) -> Iterator[tuple[str, str]]:
    """What a fixture has a place for and the trial does not tell: a stable code and a sentence for each."""
    calls = [call for record in trajectory.turns for call in record.tool_calls]
    if any(len(record.tool_calls) > 1 and not has_known_messages(record) for record in trajectory.turns):
        yield "one_message", "which calls of a turn were made together is not known: one message has all"
    if any(record.usage is None for record in trajectory.turns):
        yield "no_usage", "the agent told no tokens for some turn: its token ledger has zeros"
    if any(not isinstance(call.arguments, dict) for call in calls):
        yield "no_arguments", "the arguments of some call are no object: argumentsError says so"
    if any(call.result is None for call in calls):
        yield "no_result", "the result of some call is not known: it is empty"


def _exchange(record: TurnRecord, ids: CallIds) -> Iterator[Turn]:
    """The user's message, and the messages of the agent with the results of their calls."""
    yield {"role": USER, "content": record.user}
    steps, calls = agent_messages(record), iter(record.tool_calls)
    for position, step in enumerate(steps):
        made = [(ids.give(call.id), call) for call in islice(calls, step.calls)]
        is_last = position == len(steps) - 1
        content = [*_text(step.text, is_last=is_last), *(_call(name, call) for name, call in made)]
        ledger = _ledger(record.usage if is_last else None)
        yield {"role": ASSISTANT, "content": content, "tokenLedger": ledger}
        yield from (_result(name, call) for name, call in made)


def _text(text: str | None, *, is_last: bool) -> list[dict[str, Any]]:
    """The text block of a message. An empty one is kept as the reply: it is not the same as no reply."""
    return [{"type": "text", "text": text}] if text or (is_last and text is not None) else []


def _call(name: str, call: ToolCall) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "toolCall", "id": name, "name": call.name, "arguments": {}}
    if isinstance(call.arguments, dict):
        return {**block, "arguments": in_range(call.arguments)}
    known = call.arguments is not None
    problem = f"no JSON object: {_spelled(call.arguments)}" if known else "the arguments were not recorded"
    return {**block, "argumentsError": problem}


def _result(name: str, call: ToolCall) -> Turn:
    content = [] if call.result is None else [{"type": "text", "text": _spelled(call.result)}]
    turn: Turn = {"role": TOOL_RESULT, "toolUseId": name, "content": content}
    return {**turn, "isError": True} if call.is_error else turn


def _ledger(usage: Usage | None) -> dict[str, JsonValue]:
    used = usage or Usage()
    ledger = TokenLedger(used.input_tokens, used.cache_read_tokens, used.cache_write_tokens, used.output_tokens)
    return ledger.to_json()


def _spelled(value: JsonValue) -> str:
    """A text as it is, anything else as JSON."""
    return value if isinstance(value, str) else _SPELL(value)
