"""The recorded results of tool calls, each of which answers one call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from proctor.jsonvalue import json_equal
from proctor.trajectory import JsonValue, ToolCall


class RecordedResults:
    """The recorded calls that have a result and have not answered a call yet, in their order."""

    def __init__(self, calls: Iterable[ToolCall]) -> None:
        self._unused = [call for call in calls if call.result is not None]

    def __iter__(self) -> Iterator[ToolCall]:
        return iter(self._unused)

    def take(self, name: str, arguments: JsonValue, call_id: str | None = None) -> ToolCall | None:
        """Take the recorded call that answers a call, or None.

        It is the first with the id, if one is given and recorded; else the first of the same name with equal arguments;
        else the first of the same name. A call without arguments is one with an empty object of them.
        """
        wanted = {} if arguments is None else arguments
        return (
            (self._first(lambda call: call.id == call_id) if call_id else None)
            or self._first(lambda call: call.name == name and json_equal(call.arguments, wanted))
            or self._first(lambda call: call.name == name)
        )

    def _first(self, fits: Callable[[ToolCall], bool]) -> ToolCall | None:
        for index, call in enumerate(self._unused):
            if fits(call):
                return self._unused.pop(index)
        return None
