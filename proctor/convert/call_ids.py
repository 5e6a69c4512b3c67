"""Ids of tool calls that are there and told apart, as results are joined to calls by them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from proctor.trajectory import Trajectory


class CallIds:
    """Gives each call of a trial an id: its own, unless it has none or another call had it first."""

    def __init__(self, trajectory: Trajectory) -> None:
        own = {call.id for turn in trajectory.turns for call in turn.tool_calls}
        self._made: Iterator[str] = (name for number in count(1) if (name := f"call-{number}") not in own)
        self._given: set[str] = set()

    def give(self, own: str | None) -> str:
        """The id of the next call."""
        name = own if own and own not in self._given else next(self._made)
        self._given.add(name)
        return name
