"""The JSON contract with agents outside of this process, version 1: what HTTP and command agents are sent and answer.

A turn is one exchange, or several when the agent hands its tool calls over:

1. We send ``{"proctor": 1, "type": "turn", "session": id, "messages": [...], "tools": "own" | "host"}``.
2. The agent answers with its reply, ``{"reply": text or null, "tool_calls": [...], "usage": {...}}``, or with
   ``{"refused": text}`` or ``{"error": text}``: the turn is over.
3. With ``"tools": "host"`` it may answer ``{"type": "tool_calls", "tool_calls": [{"id", "name", "arguments"}]}``.
   We send ``{"proctor": 1, "type": "tool_results", ..., "tool_results": [{"id", "name", "result", "is_error"}]}`` with
   one result for each call just made, in their order, and go back to 2.

`CONTRACT_SCHEMA` is the same as JSON Schema.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, NoReturn

from proctor.agents.answer import describe, known_members, malformed, read_answer, read_tool_call
from proctor.agents.base import CONTRACT_VERSION, AgentReply, Message, ToolHost
from proctor.errors import AgentRefused, MalformedReply, TrialError
from proctor.excerpt import mark_controls, quote, shorten
from proctor.trajectory import Step, ToolCall

CONTRACT_SCHEMA = Path(__file__).with_name("contract.schema.json")
"""The file with the JSON Schema of requests and answers."""

MAX_ANSWER_BYTES = 16 * 1024 * 1024
"""The longest answer that is read."""

MAX_ROUNDS = 200
"""How often an agent may ask for tools in one turn."""

Exchange = Callable[[dict[str, Any]], Awaitable[object]]
"""Sends one request and gives the parsed answer."""


async def converse(exchange: Exchange, session: str, messages: list[Message], tools: ToolHost | None) -> AgentReply:
    """Ask for one turn, answering tool calls from the host, until the reply is there.

    With a host, each exchange counts as one request to the agent's model, which cannot be seen from here. Raises
    MalformedReply, AgentRefused, TrialStopped of the host or, for an error that the agent reports, TrialError.
    """
    head = {"proctor": CONTRACT_VERSION, "type": "turn", "session": session, "messages": messages}
    if tools is None:
        return _own_tools(_object(await exchange({**head, "tools": "own"})))
    tools.before_model_request()
    answer = _object(await exchange({**head, "tools": "host"}))
    calls: list[ToolCall] = []
    steps: list[Step] = []
    for _ in range(MAX_ROUNDS):
        if answer.get("type") != "tool_calls":
            return _handed_over_reply(answer, calls, steps)
        done = [await _answered(call, tools) for call in _requested(answer)]
        calls += done
        steps.append(Step(calls=len(done)))
        tools.before_model_request()
        results = {"type": "tool_results", "tool_results": [_result(call) for call in done]}
        answer = _object(await exchange({**head, **results}))
    raise MalformedReply(f"the agent asked for tools {MAX_ROUNDS} times in one turn", hint="look for an endless loop")


def encode(request: dict[str, Any]) -> bytes:
    """Write a request as one line of ASCII JSON, without the line feed."""
    return json.dumps(request).encode("ascii")


def decode(body: bytes | bytearray) -> object:
    """Parse an answer. Raises MalformedReply for anything but one JSON value in UTF-8; NaN is none."""
    try:
        return json.loads(bytes(body), parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise MalformedReply(
            f"the answer is no JSON ({type(error).__name__}): {quote(body[:400].decode(errors='replace'))}",
            hint='answer one JSON object such as {"reply": "text", "tool_calls": []}',
        ) from error


def too_long() -> MalformedReply:
    """Build the error for an answer of more than `MAX_ANSWER_BYTES`."""
    return MalformedReply(
        f"the answer is longer than {MAX_ANSWER_BYTES // 2**20} MiB and was not read to its end",
        hint="leave large tool results out of the answer, or shorten them",
    )


def _object(answer: object) -> dict[str, Any]:
    if not isinstance(answer, dict):
        raise malformed(f"the answer is {describe(answer)}, not a JSON object")
    return answer


def _own_tools(answer: dict[str, Any]) -> AgentReply:
    if answer.get("type") == "tool_calls":
        raise MalformedReply(
            'the agent asks us to run its tools, although the request said "tools": "own"',
            hint='run the tools in the agent and list them in "tool_calls" of the reply',
        )
    return _reply(answer)


def _handed_over_reply(answer: dict[str, Any], calls: list[ToolCall], steps: list[Step]) -> AgentReply:
    reply = _reply(answer)
    if reply.tool_calls:
        raise MalformedReply(
            'the reply lists tool calls, although the request said "tools": "host"',
            hint="with tools on the host, the calls that were handed over are the record: leave them out of the reply",
        )
    last = () if reply.reply is None else (Step(reply.reply),)
    return AgentReply(reply.reply, tuple(calls), reply.usage, (*steps, *last))


def _reply(answer: dict[str, Any]) -> AgentReply:
    for outcome in ("refused", "error"):
        if outcome in answer:
            _raise_outcome(answer, outcome)
    return read_answer(answer)


def _raise_outcome(answer: dict[str, Any], outcome: str) -> NoReturn:
    known_members(answer, (outcome,), "the answer")
    said = answer[outcome]
    if not isinstance(said, str):
        raise malformed(f'"{outcome}" is {describe(said)}, not a text')
    text = shorten(mark_controls(said), 1000)
    if outcome == "refused":
        raise AgentRefused(f"the agent's content filter stopped it: {text}")
    raise TrialError(f"the agent reports an error: {text}", hint="look into the agent's own log for its cause")


def _requested(answer: dict[str, Any]) -> list[ToolCall]:
    known_members(answer, ("type", "tool_calls"), "the answer")
    asked = answer.get("tool_calls")
    if not isinstance(asked, list) or not asked:
        raise malformed('an answer of type "tool_calls" has no list of tool calls')
    calls = [_handed_over(call, f"tool_calls[{index}]") for index, call in enumerate(asked)]
    if len({call.id for call in calls}) < len(calls):
        raise malformed("two of the tool calls that the agent hands over have the same id")
    return calls


def _handed_over(value: object, place: str) -> ToolCall:
    if not isinstance(value, dict):
        raise malformed(f"{place} is {describe(value)}, not an object with id, name and arguments")
    known_members(value, ("id", "name", "arguments"), place)
    call = read_tool_call(value, place)
    if not call.id:
        raise malformed(f"{place} has no id, so its result could not be told apart")
    return call


async def _answered(call: ToolCall, tools: ToolHost) -> ToolCall:
    result, is_error = await tools.call(call.name, call.arguments, call.id)
    return ToolCall(call.name, call.arguments, call.id, result, is_error)


def _result(call: ToolCall) -> dict[str, Any]:
    return {"id": call.id, "name": call.name, "result": call.result, "is_error": call.is_error}


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")
