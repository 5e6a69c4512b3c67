"""From a trace to drafts of Assevra rows: what was observed is filled in, what a person has to say is not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from proctor.traces.base import TraceRow
from proctor.traces.content_blocks import as_text
from proctor.trajectory import ToolCall


@dataclass(frozen=True, slots=True)
class Draft:
    """How a row of one dimension is drafted.

    ``observed`` are fields of a trace, one of which has to be there. ``fields`` are taken over. ``to_label`` says what
    a person adds, any one of these; empty: nothing. ``by_default``: drafted where nobody names dimensions.
    """

    observed: tuple[str, ...]
    fields: tuple[str, ...]
    to_label: str = ""
    by_default: bool = True


DRAFTS: Final[Mapping[str, Draft]] = {
    "grounding": Draft(("context",), ("input", "context", "agent_output")),
    "safety": Draft(("agent_output",), ("input", "agent_output"), "should_refuse"),
    "pii": Draft(("agent_output",), ("input", "agent_output")),
    "task_completion": Draft(("agent_output",), ("input", "agent_output"), "must_include"),
    "tool_call": Draft(
        ("tool_calls",),
        ("input", "agent_output", "tool_calls"),
        "expected_tool_calls, allowed_tools, forbidden_tools or tool_schemas",
    ),
    "action_correctness": Draft(
        ("tool_calls",),
        ("input", "agent_output", "tool_calls"),
        "expected_actions, forbidden_actions or expected_state",
    ),
    "injection": Draft(
        ("agent_output",), ("input", "context", "agent_output"), "canary, must_not_include or should_refuse", False
    ),
    "cost": Draft(
        ("cost_usd", "usage"), ("input", "usage", "cost_usd"), "cost_budget_usd, or budgets.cost_usd in .assevra.yml"
    ),
    "latency": Draft(
        ("latency_ms",), ("input", "latency_ms"), "latency_budget_ms, or budgets.latency_ms in .assevra.yml"
    ),
}
"""By dimension, in the order in which rows of a trace are written."""

_NEEDS_ANSWER: Final = frozenset(("grounding", "safety", "pii", "task_completion", "injection"))


def to_rows(trace: TraceRow, dimensions: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
    """Draft the rows of a trace, one for each dimension that it has observations for.

    ``dimensions`` chooses among `DRAFTS`; by default it is all that need no decision of a person to be drafted, and a
    trace without tool calls gets no row about them. Raises KeyError for an unknown dimension.
    """
    for name in dimensions if dimensions is not None else DRAFTS:
        if can_draft(trace, name) and (dimensions is not None or _is_usual(trace, name)):
            yield _row(trace, name)


def can_draft(trace: TraceRow, dimension: str) -> bool:
    """Whether a trace shows what a row of this dimension needs."""
    if dimension in _NEEDS_ANSWER and trace.agent_output is None:
        return False
    return any(getattr(trace, name) is not None for name in DRAFTS[dimension].observed)


def _is_usual(trace: TraceRow, dimension: str) -> bool:
    draft = DRAFTS[dimension]
    return draft.by_default and (draft.observed != ("tool_calls",) or bool(trace.tool_calls))


def _row(trace: TraceRow, dimension: str) -> dict[str, Any]:
    stem = trace.id or trace.trace_id or str(trace.line)
    row: dict[str, Any] = {"id": f"{stem}:{dimension}", "dimension": dimension}
    for name in ("trace_id", "case_id", *DRAFTS[dimension].fields):
        value = getattr(trace, name)
        if value is not None:
            row[name] = [_call(call) for call in value] if name == "tool_calls" else value
    return row


def _call(call: ToolCall) -> dict[str, Any]:
    """A call as the row format has it: arguments are an object, a text or null."""
    arguments = call.arguments
    row: dict[str, Any] = {
        "name": call.name,
        "arguments": arguments if arguments is None or isinstance(arguments, dict | str) else as_text(arguments),
    }
    return row if call.id is None else {**row, "id": call.id}
