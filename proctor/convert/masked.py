"""A trial without its secrets."""

from __future__ import annotations

from dataclasses import replace

from proctor.masking import Masker
from proctor.trajectory import Step, ToolCall, Trajectory, TurnRecord


def masked_trajectory(trajectory: Trajectory, masker: Masker) -> Trajectory:
    """The trial with what was said, given and answered masked; ids and names stay."""
    return replace(trajectory, turns=tuple(_turn(turn, masker) for turn in trajectory.turns))


def masked_call(call: ToolCall, masker: Masker) -> ToolCall:
    """The call with its arguments and its result masked."""
    return replace(call, arguments=masker.mask(call.arguments), result=masker.mask(call.result))


def _turn(turn: TurnRecord, masker: Masker) -> TurnRecord:
    return replace(
        turn,
        user=masker.mask(turn.user),
        reply=masker.mask(turn.reply),
        context=masker.mask(turn.context),
        tool_calls=tuple(masked_call(call, masker) for call in turn.tool_calls),
        steps=tuple(Step(masker.mask(step.text), step.calls) for step in turn.steps),
    )
