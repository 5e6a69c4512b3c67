"""The invariants of turns: how they are counted, what they carry, and which of them follows which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

from proctor.brainbench.findings.finding import Finding, Level
from proctor.brainbench.tools import TOOLS
from proctor.brainbench.transcript import FINAL_ANSWER, KINDS, MODEL_CALL, TOOL_CALL, TOOL_RESULT, payload
from proctor.excerpt import quote, shorten

Turns: TypeAlias = Sequence[Mapping[str, Any]]

_COUNTS: Final = ("input_tokens", "output_tokens")


def turn_findings(turns: Turns) -> Iterator[Finding]:
    """The invariants that the turns of a transcript break."""
    if not turns:
        yield Finding("empty_turns", Level.ERROR, "/turns", "there are no turns")
        return
    for place, turn in enumerate(turns):
        yield from _numbering(place, turn)
        yield from _payloads(place, turn)
        yield from _counts(place, turn)
        yield from _known_tool(place, turn)
    yield from _answers(turns)
    yield from _pairs(turns)
    yield from _first_call(turns)


def _numbering(place: int, turn: Mapping[str, Any]) -> Iterator[Finding]:
    if turn["turn_index"] != place:
        message = f"turn_index is {_shown(turn['turn_index'])}, but counted from 0 this is turn {place}"
        yield Finding("turn_index_sequence", Level.WARN, f"/turns/{place}/turn_index", message)


def _payloads(place: int, turn: Mapping[str, Any]) -> Iterator[Finding]:
    kind = turn["kind"]
    if kind not in turn:
        message = f"a turn of the kind {kind} has no member {kind}"
        yield Finding("payload_missing", Level.ERROR, f"/turns/{place}", message)
    for other in KINDS:
        if other in turn and other != kind:
            message = f"a turn of the kind {kind} has a member {other} as well"
            yield Finding("payload_foreign", Level.WARN, f"/turns/{place}/{other}", message)


def _counts(place: int, turn: Mapping[str, Any]) -> Iterator[Finding]:
    if turn["kind"] != MODEL_CALL:
        return
    for name in _COUNTS:
        if (count := payload(turn).get(name, 0)) < 0:
            message = f"a model call cannot have {_shown(count)} {name.replace('_', ' ')}"
            yield Finding("negative_tokens", Level.ERROR, f"/turns/{place}/{MODEL_CALL}/{name}", message)


def _known_tool(place: int, turn: Mapping[str, Any]) -> Iterator[Finding]:
    if turn["kind"] == TOOL_CALL and payload(turn).get("tool_name") not in (None, *TOOLS):
        message = f"{_tool(turn)} is none of the fifteen tools"
        yield Finding("unknown_tool", Level.INFO, f"/turns/{place}/{TOOL_CALL}/tool_name", message)


def _answers(turns: Turns) -> Iterator[Finding]:
    places = [place for place, turn in enumerate(turns) if turn["kind"] == FINAL_ANSWER]
    if not places:
        yield Finding("final_answer_missing", Level.ERROR, "/turns", "there is no final answer")
    for place in places:
        if place < len(turns) - 1:
            message = "a final answer has to be the last turn; the last one of a run is the one that counts"
            yield Finding("final_answer_not_last", Level.ERROR, f"/turns/{place}", message)
    for place in places[1:]:
        message = f"a second final answer; the first is turn {places[0]}"
        yield Finding("final_answer_repeated", Level.ERROR, f"/turns/{place}", message)


def _pairs(turns: Turns) -> Iterator[Finding]:
    """A call is answered by the next turn, and a result answers the turn before."""
    kinds = [None, *(turn["kind"] for turn in turns), None]
    for place, turn in enumerate(turns):
        before, kind, after = kinds[place : place + 3]
        if kind == TOOL_CALL and after != TOOL_RESULT:
            message = f"the call of {_tool(turn)} is not followed by its result"
            yield Finding("tool_call_unanswered", Level.ERROR, f"/turns/{place}", message)
        elif kind == TOOL_RESULT and before != TOOL_CALL:
            message = f"the result of {_tool(turn)} does not follow a call"
            yield Finding("tool_result_orphan", Level.ERROR, f"/turns/{place}", message)
        elif kind == TOOL_RESULT:
            yield from _names(place, turns[place - 1], turn)


def _names(place: int, call: Mapping[str, Any], result: Mapping[str, Any]) -> Iterator[Finding]:
    called, named = (payload(turn).get("tool_name") for turn in (call, result))
    if None not in (called, named) and called != named:
        message = f"the result is said to be of {quote(named, 80)}, the call before it is of {quote(called, 80)}"
        yield Finding("tool_name_mismatch", Level.ERROR, f"/turns/{place}/{TOOL_RESULT}/tool_name", message)


def _first_call(turns: Turns) -> Iterator[Finding]:
    for place, turn in enumerate(turns):
        if turn["kind"] == MODEL_CALL:
            return
        if turn["kind"] == TOOL_CALL:
            message = "a tool is called before any model was asked"
            yield Finding("tool_before_model", Level.WARN, f"/turns/{place}", message)
            return


def _tool(turn: Mapping[str, Any]) -> str:
    name = payload(turn).get("tool_name")
    return "a tool without a name" if name is None else quote(name, 80)


def _shown(number: float) -> str:
    return shorten(str(number), 40)
