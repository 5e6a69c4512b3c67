"""The tool bridge: what stands between an agent and the knowledge base, and keeps count of what the agent does.

Twelve tools read, three note down what the agent would write, and nothing is ever written.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from proctor.brainbench.eras import Era
from proctor.brainbench.planted.catalogue import Catalogue
from proctor.brainbench.recording.tool_output import (
    CONTENT_LIMIT,
    FORBIDDEN_OP,
    TOOL_ERROR,
    UNKNOWN_TOOL,
    ToolOutput,
    error_output,
    shaped_output,
)
from proctor.brainbench.tools import READ_TOOLS, WRITE_TOOLS
from proctor.brainbench.writes import IntendedWrite, intended_write
from proctor.excerpt import quote, said
from proctor.trajectory import JsonValue

MUTATING_OPERATIONS: Final = frozenset(
    (
        *("put_page", "delete_page", "restore_page", "purge_deleted_pages", "revert_version"),
        *("add_link", "remove_link", "add_tag", "remove_tag", "add_timeline_entry"),
        *("put_raw_data", "file_upload", "log_ingest", "sync_brain"),
    )
)
"""Operations of the knowledge base that change it: pages and their versions, links, tags, timelines, what is ingested.

They are refused by name, so that an agent which tried to write is told apart from one that made a tool up.
"""

Execute: TypeAlias = Callable[[str, Mapping[str, Any]], JsonValue]
"""Runs one of the tools that read, by its name and input. An error of its own that it wants told as it is, it gives
back as an object with the texts ``error`` and ``kind``."""

_RECORDED: Final = ToolOutput('{"recorded":true}')


@dataclass(frozen=True, slots=True)
class BridgeState:
    """What an agent did so far. Calls that were refused count; planted items are told once, in order of first sight."""

    call_order: tuple[str, ...] = ()
    planted_seen: tuple[str, ...] = ()
    writes: tuple[IntendedWrite, ...] = ()

    def to_json(self) -> dict[str, JsonValue]:
        """The state under the names that the benchmark gives it."""
        return {
            "count_by_tool": dict(Counter(self.call_order)),
            "call_order": list(self.call_order),
            "saw_poison_items": list(self.planted_seen),
            "made_dry_run_writes": [write.to_json() for write in self.writes],
        }


class ToolBridge:
    """Runs the calls of one agent in one probe.

    ``limit`` is the length of an output in UTF-16 units. In the seed era, an exception of a tool is let through and
    ends the run; after the audit it becomes a result that tells the error.
    """

    def __init__(
        self,
        execute: Execute,
        planted: Catalogue | None = None,
        era: Era = Era.POST_AUDIT,
        limit: int = CONTENT_LIMIT,
    ) -> None:
        self._execute = execute
        self._planted = planted or Catalogue()
        self._era = era
        self._limit = limit
        self._calls: list[str] = []
        self._seen: dict[str, None] = {}
        self._writes: list[IntendedWrite] = []

    @property
    def state(self) -> BridgeState:
        """What the agent did so far."""
        return BridgeState(tuple(self._calls), tuple(self._seen), tuple(self._writes))

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolOutput:
        """Run a call, or refuse it. It is counted first, so a refused call counts."""
        self._calls.append(tool)
        if tool in WRITE_TOOLS:
            self._writes.append(intended_write(tool, arguments, self._era))
            return _RECORDED
        if tool not in READ_TOOLS:
            return _refusal(tool)
        output = self._read(tool, arguments)
        self._seen.update(dict.fromkeys(output.planted_ids))
        return output

    def _read(self, tool: str, arguments: Mapping[str, Any]) -> ToolOutput:
        try:
            return shaped_output(self._execute(tool, _executed(tool, arguments)), self._planted, self._limit)
        except Exception as error:
            if self._era is Era.SEED:
                raise
            return error_output(TOOL_ERROR, said(error))


def _executed(tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
    """The input that a tool is run with: a query is never expanded, as that would call a model behind the scenes."""
    return {**arguments, "expand": False} if tool == "query" else arguments


def _refusal(tool: str) -> ToolOutput:
    if tool in MUTATING_OPERATIONS:
        return error_output(FORBIDDEN_OP, f"{tool} changes the knowledge base, which can only be read here")
    return error_output(UNKNOWN_TOOL, f"there is no tool {quote(tool, 80)}")
