"""From a trial to drafts of Assevra rows, as an import drafts them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from proctor.convert.trials import Trial
from proctor.masking import Masker
from proctor.traces import TraceRow, to_rows
from proctor.trajectory import ToolCall, Trajectory, Usage


def rows_of(trial: Trial, masker: Masker | None = None) -> Iterator[dict[str, Any]]:
    """The rows of a trial: one for each dimension that it has observations for.

    A conversation is one row: all that the user said, all calls, and the last reply.
    """
    trace = _trace(trial)
    yield from to_rows(trace if masker is None else _masked(trace, masker))


def _trace(trial: Trial) -> TraceRow:
    trajectory = trial.trajectory
    turns = trajectory.turns
    return TraceRow(
        line=0,
        id=trial.name,
        case_id=trial.group,
        input="\n".join(turn.user for turn in turns) or None,
        agent_output=turns[-1].reply if turns else None,
        context="\n\n".join(filter(None, (turn.context for turn in turns))) or None,
        tool_calls=tuple(call for turn in turns for call in turn.tool_calls),
        usage=_usage(trajectory),
        cost_usd=None if trajectory.usage.cost_usd is None else float(trajectory.usage.cost_usd),
        latency_ms=round(trajectory.latency_ms, 3) or None,
    )


def _usage(trajectory: Trajectory) -> dict[str, int] | None:
    """The tokens, with cached ones beside the input under Anthropic's names; None where nobody told any."""
    usage = trajectory.usage
    if usage == Usage() and all(turn.usage is None for turn in trajectory.turns):
        return None
    cached = {
        "cache_read_input_tokens": usage.cache_read_tokens,
        "cache_creation_input_tokens": usage.cache_write_tokens,
    }
    counted = {name: number for name, number in cached.items() if number}
    return {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens, **counted}


def _masked(trace: TraceRow, masker: Masker) -> TraceRow:
    """The trace without secrets in what was said and in the arguments of calls; ids and names stay."""
    return replace(
        trace,
        input=masker.mask(trace.input),
        agent_output=masker.mask(trace.agent_output),
        context=masker.mask(trace.context),
        tool_calls=tuple(_masked_call(call, masker) for call in trace.tool_calls or ()),
    )


def _masked_call(call: ToolCall, masker: Masker) -> ToolCall:
    return replace(call, arguments=masker.mask(call.arguments))
