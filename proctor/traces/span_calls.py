"""The tool calls of a trace: what models asked for and what was executed, each call once, in the order of time."""

from __future__ import annotations

from typing import NamedTuple

from proctor.jsonvalue import json_equal
from proctor.traces.messages import last_exchange
from proctor.traces.span_content import call_of, output_of
from proctor.traces.span_tree import SpanTree
from proctor.traces.spans import Kind
from proctor.trajectory import ToolCall


class _Seen(NamedTuple):
    time: int
    call: ToolCall


def calls_of(tree: SpanTree) -> tuple[ToolCall, ...] | None:
    """The calls; empty where models answered without any, None where nothing of either is recorded."""
    models = [(span, output_of(span)) for span in tree.of_kind(Kind.MODEL)]
    speaking = {id(span): messages for span, messages in models if messages}
    asked: list[_Seen] = []
    for span in tree.innermost(span for span, messages in models if messages):
        for message in speaking[id(span)]:
            asked += [_Seen(span.end or 0, call) for call in message.calls if not _is_known(call, asked)]
    executed = [_Seen(span.start or 0, call_of(span)) for span in tree.once(tree.of_kind(Kind.TOOL))]
    seen = sorted(_united(asked, executed), key=lambda each: each.time)
    if seen or speaking:
        return tuple(each.call for each in seen)
    return _calls_of_agents(tree)


def _calls_of_agents(tree: SpanTree) -> tuple[ToolCall, ...] | None:
    """What the outermost agent says, where neither models nor tools are recorded."""
    for span in sorted(tree.of_kind(Kind.AGENT), key=tree.depth):
        calls = last_exchange(output_of(span)).calls
        if calls:
            return calls
    return None


def _is_known(call: ToolCall, seen: list[_Seen]) -> bool:
    """Whether the same call was recorded before. The id alone does not say so: some servers count from 0 every time."""
    return call.id is not None and any(
        each.call.id == call.id and each.call.name == call.name and _may_agree(each.call, call) for each in seen
    )


def _united(asked: list[_Seen], executed: list[_Seen]) -> list[_Seen]:
    united = list(asked)
    open_calls = list(range(len(asked)))
    done: set[str] = set()
    for each in executed:
        if each.call.id is not None and each.call.id in done:
            continue  # tried once more
        match = _match(each.call, united, open_calls)
        if match is None:
            united.append(each)
        else:
            open_calls.remove(match)
            united[match] = _Seen(united[match].time, _merged(united[match].call, each.call))
        if each.call.id is not None:
            done.add(each.call.id)
    return united


def _match(call: ToolCall, asked: list[_Seen], open_calls: list[int]) -> int | None:
    """Which of the open calls was executed: the one with its id, else one of its name, best with equal arguments."""
    if call.id is not None:
        same_id = next((at for at in open_calls if asked[at].call.id == call.id), None)
        if same_id is not None:
            return same_id
    same_name = [at for at in open_calls if asked[at].call.name == call.name and None in (call.id, asked[at].call.id)]
    equal = (at for at in same_name if json_equal(asked[at].call.arguments, call.arguments))
    agreeing = (at for at in same_name if _may_agree(asked[at].call, call))
    return next(equal, next(agreeing, None))


def _may_agree(left: ToolCall, right: ToolCall) -> bool:
    """Whether the arguments can be the same: a span may have none, or a spelling of its own."""
    if isinstance(left.arguments, dict) and isinstance(right.arguments, dict):
        return json_equal(left.arguments, right.arguments)
    return True


def _merged(asked: ToolCall, executed: ToolCall) -> ToolCall:
    keeps = isinstance(asked.arguments, dict) or executed.arguments is None
    arguments = asked.arguments if keeps else executed.arguments
    return ToolCall(asked.name or executed.name, arguments, asked.id or executed.id)
