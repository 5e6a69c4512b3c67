"""The names under which logs keep what a row needs, and how a record is asked for them.

Names are compared without regard to case, and ``userInput``, ``user-input`` and ``User Input`` are one name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

INPUT: Final = (
    "input", "prompt", "question", "query", "user_input", "user_message", "user_query", "request", "instruction",
    "message", "task",
)  # fmt: skip
OUTPUT: Final = (
    "agent_output", "output", "actual_output", "final_output", "response", "answer", "completion", "reply", "result",
    "prediction", "generated_text", "assistant", "agent_response", "model_output",
)  # fmt: skip
CONTEXT: Final = (
    "context", "contexts", "retrieved_contexts", "retrieved_context", "retrieval_context", "retrieved_documents",
    "source_documents", "documents", "passages", "chunks",
)  # fmt: skip
TOOL_CALLS: Final = ("tool_calls", "function_calls", "tools_called", "agent_tool_calls")
"""``tools`` and ``functions`` are not among them: they list what may be called."""
TRACE_ID: Final = ("trace_id", "id", "run_id", "request_id", "custom_id", "interaction_id")
CASE_ID: Final = ("case_id",)
COST: Final = ("cost_usd", "cost", "total_cost", "total_cost_usd")
LATENCY_MS: Final = (
    "latency_ms", "duration_ms", "elapsed_ms", "response_time_ms", "latency_milliseconds", "duration_milliseconds",
)  # fmt: skip
LATENCY_S: Final = (
    "latency_s", "duration_s", "elapsed_s", "latency_seconds", "duration_seconds", "elapsed_seconds",
    "response_time_s",
)  # fmt: skip
USAGE: Final = ("usage", "token_usage", "usage_metadata")
INPUT_TOKENS: Final = ("input_tokens", "prompt_tokens", "prompt_token_count", "input_token_count")
OUTPUT_TOKENS: Final = ("output_tokens", "completion_tokens", "candidates_token_count", "output_token_count")
CACHED_TOKENS: Final = ("cache_read_input_tokens", "cache_creation_input_tokens")
"""Anthropic counts these beside its ``input_tokens``; everybody else counts cached tokens among them."""

_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SEPARATORS: Final = re.compile(r"[\s\-.]+")


@dataclass(frozen=True, slots=True)
class FieldNames:
    """The fields that a user names for himself; dots lead into objects. None: look for the usual names."""

    input: str | None = None
    output: str | None = None
    context: str | None = None

    @property
    def given(self) -> set[str]:
        """Those that were named."""
        return {name for name in (self.input, self.output, self.context) if name}

    def __bool__(self) -> bool:
        return bool(self.given)


NO_NAMES: Final = FieldNames()
"""No field is named by the user."""


class View:
    """A record that is asked for fields by any of their usual names, and remembers what nobody asked for."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self._record = record
        self._names = {usual_name(name): name for name in reversed(list(record))}
        self._taken: set[str] = set()

    def take(self, names: tuple[str, ...]) -> Any:
        """The value under the first name that has one; None where none has."""
        for name in names:
            own = self._names.get(name)
            if own is not None and self._record[own] is not None:
                self._taken.add(own)
                return self._record[own]
        return None

    def take_named(self, path: str | None, names: tuple[str, ...]) -> Any:
        """The value of the field that the user named, else `take`. Exact names come before dotted paths."""
        if path is None:
            return self.take(names)
        if path in self._record:
            self._taken.add(path)
            return self._record[path]
        found: Any = self._record
        for step in path.split("."):
            found = found.get(step) if isinstance(found, dict) else None
        self._taken.add(path.partition(".")[0])
        return found

    def has(self, names: tuple[str, ...]) -> bool:
        """Whether there is a field with one of these names."""
        return any(name in self._names for name in names)

    def unused(self) -> list[str]:
        """The fields that have something and that nobody took."""
        return [name for name, value in self._record.items() if name not in self._taken and value not in (None, "")]


@lru_cache(maxsize=4096)
def usual_name(name: str) -> str:
    """A name in lower case with underscores."""
    return _SEPARATORS.sub("_", _HUMP.sub("_", name.strip())).lower()
