"""The messages of an agent on the way to its reply, as far as a turn tells them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from proctor.trajectory import Step, TurnRecord


def agent_messages(record: TurnRecord) -> Sequence[Step]:
    """The messages of the agent, the one with the reply last. There is at least one, to carry the tokens of the turn.

    Where they are not known, the calls of a turn are taken to be made by one message, and the reply to be another one.
    """
    if has_known_messages(record):
        return [*record.steps[:-1], replace(record.steps[-1], text=record.reply)]
    calling = [Step(calls=len(record.tool_calls))] if record.tool_calls else []
    return calling if calling and record.reply is None else [*calling, Step(record.reply)]


def has_known_messages(record: TurnRecord) -> bool:
    """Whether the messages of the agent are known, and account for all of its calls."""
    return bool(record.steps) and sum(step.calls for step in record.steps) == len(record.tool_calls)
