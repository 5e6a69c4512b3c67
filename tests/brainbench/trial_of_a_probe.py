"""Trials of one question: any that an agent can do, and one to look at."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from proctor.brainbench.recording.recorder import Adapter
from proctor.brainbench.tools import READ_TOOLS, WRITE_TOOLS
from proctor.trajectory import Ending, Step, ToolCall, Trajectory, TurnRecord, Usage

ADAPTER = Adapter("ferry-agent", "lanternfish-0.3")
START = datetime(2031, 5, 6, 19, 0, 0, 250_999, tzinfo=UTC)

texts = st.text(st.characters(exclude_categories=()), max_size=8)
words = texts | st.sampled_from(
    ["emails/em-0311", "see `People/Orla`", "[a](b/c)", "…[truncated]", "```", "x" * 140_000]
)
json_values: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([2**1024, 2**1024 - 1, 10**308, 1 - 10**308, 10**307, 1 - 10**307, 10**40])
    | st.floats(allow_nan=False, allow_infinity=False)
    | words
    | st.just({"error": "closed", "kind": "tool_error"}),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
calls = st.builds(
    ToolCall,
    name=st.sampled_from([*READ_TOOLS, *WRITE_TOOLS, "put_page", "fly", "\ud83d"]) | texts.filter(bool),
    arguments=st.dictionaries(texts, json_values, max_size=3) | st.none() | texts | st.lists(json_values, max_size=2),
    id=st.none() | texts,
    result=json_values,
    is_error=st.booleans(),
)
counts = st.integers(0, 2**40)
usages = st.builds(Usage, counts, counts, counts, counts, counts, st.none() | st.decimals(0, 100, places=4))


@st.composite
def turns(draw: st.DrawFn) -> TurnRecord:
    """A turn whose messages, if they are known, account for its calls, or do not."""
    return TurnRecord(
        user=draw(texts),
        reply=draw(words | st.none()),
        tool_calls=tuple(draw(st.lists(calls, max_size=4))),
        usage=draw(usages | st.none()),
        context=draw(texts | st.none()),
        steps=tuple(draw(st.lists(st.builds(Step, texts | st.none(), st.integers(0, 3)), max_size=3))),
    )


trials = st.builds(
    lambda turn, usage, latency, out_of_time: Trajectory(
        Ending.COMPLETED, (turn,), usage=usage, latency_ms=latency, out_of_time=out_of_time
    ),
    turns(),
    usages,
    st.floats(0, 1e10),
    st.booleans(),
)


def trial(reply: str | None, *made: ToolCall, **more: Any) -> Trajectory:
    """A trial that took 4.25 seconds."""
    return Trajectory(Ending.COMPLETED, (TurnRecord("Who?", reply, made, **more),), latency_ms=4250.4)
