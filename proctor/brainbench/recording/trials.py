"""From a trial to a transcript, as the recorder of the benchmark would have written it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from math import isfinite
from typing import Any

from proctor.agent_messages import agent_messages, has_known_messages
from proctor.brainbench.facts import Tokens, is_tool_error
from proctor.brainbench.planted.catalogue import Catalogue
from proctor.brainbench.recording.recorder import Adapter, Recorder, Unrecordable
from proctor.brainbench.recording.tool_output import TOOL_ERROR, ToolOutput, error_output, shaped_output
from proctor.brainbench.tools import WRITE_TOOLS
from proctor.trajectory import Ending, JsonValue, Step, ToolCall, Trajectory, TurnRecord, Usage
from proctor.value_text import value_text


def transcript_of(
    trajectory: Trajectory,
    probe_id: str,
    adapter: Adapter,
    started_at: datetime,
    planted: Catalogue | None = None,
    model_id: str | None = None,
) -> dict[str, Any]:
    """The transcript of a trial that completed. ``model_id``: the model that answered, where one is known.

    The format takes one question with one answer, so a conversation is refused. Tool results are cut and searched for
    planted items as the tool bridge does, but those that intended writes and errors gave. A failed call without an
    error object gets one. The tokens of a turn stand at its last model call, as nobody told those of the others.

    Raises:
        Unrecordable: the format has no place for it.
    """
    record = only_turn(trajectory)
    recorder = Recorder(probe_id, _with_run(adapter, trajectory), started_at, _about(record))
    steps, calls = agent_messages(record), iter(record.tool_calls)
    for position, step in enumerate(steps):
        is_last = position == len(steps) - 1
        _record_model_call(
            recorder, step, _usage(trajectory, record) if is_last else Usage(), model_id, is_last=is_last
        )
        for call in islice(calls, step.calls):
            _record_tool_call(recorder, call, planted or Catalogue())
    reason = _end_reason(trajectory, record)
    return recorder.finish(record.reply or "", _elapsed_ms(trajectory), loop_end_reason=reason)


def only_turn(trajectory: Trajectory) -> TurnRecord:
    """The question of a trial with its answer.

    Raises:
        Unrecordable: it did not complete, or has not exactly one.
    """
    if trajectory.ending is not Ending.COMPLETED:
        stopped = "was stopped by a content filter" if trajectory.ending is Ending.REFUSED else "could not be run"
        raise Unrecordable(stopped)
    if len(trajectory.turns) != 1:
        has = "is a conversation" if trajectory.turns else "has no turn"
        raise Unrecordable(f"{has}, and a transcript has one question and one answer")
    return trajectory.turns[0]


def gaps(trajectory: Trajectory) -> Iterator[str]:
    """What a transcript has a place for and the trial does not tell: a sentence for each."""
    calls = [call for record in trajectory.turns for call in record.tool_calls]
    if any(len(record.tool_calls) > 1 and not has_known_messages(record) for record in trajectory.turns):
        yield "which calls were made together is not known: they follow one model call"
    if any(record.usage is None for record in trajectory.turns) and trajectory.usage == Usage():
        yield "the agent told no tokens: the totals are 0"
    if any(not isinstance(call.arguments, dict) for call in calls):
        yield "the arguments of some call are no object: its input is empty, and arguments_error says why"
    if any(call.result is None for call in calls):
        yield "the result of some call is not known: its content is empty"
    if not trajectory.latency_ms:
        yield "how long the agent took is not known: elapsed_ms is 0"


def _about(record: TurnRecord) -> dict[str, JsonValue]:
    return {"question": record.user, "audio": record.audio, "context": record.context}


def _with_run(adapter: Adapter, trajectory: Trajectory) -> Adapter:
    """The adapter with what is known of the run and has no other place."""
    cost, cached = trajectory.usage.cost_usd, trajectory.cached
    run: dict[str, JsonValue] = {
        "cost_usd": None if cost is None else str(cost),
        "attempts": trajectory.attempts if trajectory.attempts > 1 else None,
        "notes": [*trajectory.notes] or None,
        "cached": None if cached is None else {"run_id": cached.run_id, "created_at": cached.created_at},
    }
    return Adapter(adapter.name, adapter.stack_id, {**adapter.details, **run})


def _usage(trajectory: Trajectory, record: TurnRecord) -> Usage:
    return trajectory.usage if record.usage is None else record.usage


def _record_model_call(recorder: Recorder, step: Step, usage: Usage, model_id: str | None, *, is_last: bool) -> None:
    recorder.model_call(
        Tokens(usage.input_tokens, usage.output_tokens),
        model_id,
        text=None if is_last else step.text,
        cache_read_tokens=usage.cache_read_tokens or None,
        cache_write_tokens=usage.cache_write_tokens or None,
    )


def _record_tool_call(recorder: Recorder, call: ToolCall, planted: Catalogue) -> None:
    recorder.tool_call(
        call.name,
        call.arguments,
        _output(call, planted),
        call.id,
        is_error=call.is_error or None,
        not_recorded=True if call.result is None else None,
    )


def _output(call: ToolCall, planted: Catalogue) -> ToolOutput:
    is_told = is_tool_error(call.result)
    if call.is_error and not is_told:
        return error_output(TOOL_ERROR, "" if call.result is None else value_text(call.result))
    is_searched = call.name not in WRITE_TOOLS and not is_told
    return shaped_output("" if call.result is None else call.result, planted if is_searched else Catalogue())


def _end_reason(trajectory: Trajectory, record: TurnRecord) -> str:
    """Why the loop ended, by the names of the benchmark where it has one."""
    if trajectory.out_of_time:
        return "time_limit"
    return "no_reply" if record.reply is None else "end_turn"


def _elapsed_ms(trajectory: Trajectory) -> int:
    if not isfinite(trajectory.latency_ms):
        raise Unrecordable("took a time that is no number")
    return round(trajectory.latency_ms)
