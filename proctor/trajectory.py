"""What an agent did in one trial: turns, tool calls, tokens, time, and how it ended.

All values are frozen and hold plain JSON data, so a trajectory survives a round trip through the store.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final, Self, TypeAlias

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"


RECORD_VERSION: Final = 1
"""The version of the stored form of a trajectory. It is part of every trial key: an older form is a cache miss."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and money of model calls.

    ``input_tokens`` excludes cached tokens; ``cost_usd`` is None when no price is known.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    requests: int = 0
    cost_usd: Decimal | None = None

    def __add__(self, other: Usage) -> Usage:
        costs = [cost for cost in (self.cost_usd, other.cost_usd) if cost is not None]
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cache_read_tokens + other.cache_read_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            self.requests + other.requests,
            sum(costs, Decimal(0)) if costs else None,
        )

    def to_json(self) -> dict[str, JsonValue]:
        """The non-zero members; money as text, so that no digit is lost."""
        numbers: dict[str, JsonValue] = {
            name: value
            for name in ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "requests")
            if (value := getattr(self, name))
        }
        return numbers if self.cost_usd is None else {**numbers, "cost_usd": str(self.cost_usd)}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """The inverse of `to_json`."""
        cost = data.get("cost_usd")
        return cls(**{**data, "cost_usd": None if cost is None else Decimal(str(cost))})


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool by the agent.

    ``arguments`` is None when the agent named the tool only ("not captured"). A mapping is what checks on
    arguments look at; any other value counts as not captured there.
    """

    name: str
    arguments: JsonValue = None
    id: str | None = None
    result: JsonValue = None
    is_error: bool = False

    def to_json(self) -> dict[str, JsonValue]:
        """The members that carry something."""
        data: dict[str, JsonValue] = {"name": self.name, "arguments": self.arguments}
        if self.id is not None:
            data["id"] = self.id
        if self.result is not None:
            data["result"] = self.result
        if self.is_error:
            data["is_error"] = True
        return data


@dataclass(frozen=True, slots=True)
class Step:
    """One message of the agent on the way to its reply: its text, if any, and how many of the turn's calls it made."""

    text: str | None = None
    calls: int = 0

    def to_json(self) -> dict[str, JsonValue]:
        """Both members."""
        return {"text": self.text, "calls": self.calls}


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """One exchange: what the user said, what the agent answered, and the tools it called for that answer.

    ``reply`` is None when the agent gave no reply at all, which is not the empty reply. ``context`` is what a recorded
    agent was given besides the message, such as documents. ``steps`` are the messages of the agent one by one, the
    reply last; they are kept where a trace is replayed.
    """

    user: str
    reply: str | None
    tool_calls: tuple[ToolCall, ...] = ()
    audio: str | None = None
    latency_ms: float = 0.0
    usage: Usage | None = None
    context: str | None = None
    steps: tuple[Step, ...] = ()

    def to_json(self) -> dict[str, JsonValue]:
        """The members that carry something."""
        data: dict[str, JsonValue] = {"user": self.user, "reply": self.reply, "latency_ms": round(self.latency_ms, 3)}
        if self.tool_calls:
            data["tool_calls"] = [call.to_json() for call in self.tool_calls]
        if self.audio is not None:
            data["audio"] = self.audio
        if self.usage is not None:
            data["usage"] = self.usage.to_json()
        if self.context is not None:
            data["context"] = self.context
        if self.steps:
            data["steps"] = [step.to_json() for step in self.steps]
        return data

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """The inverse of `to_json`."""
        usage = data.get("usage")
        return cls(
            user=data["user"],
            reply=data["reply"],
            tool_calls=tuple(ToolCall(**call) for call in data.get("tool_calls", ())),
            audio=data.get("audio"),
            latency_ms=data["latency_ms"],
            usage=None if usage is None else Usage.from_json(usage),
            context=data.get("context"),
            steps=tuple(Step(**step) for step in data.get("steps", ())),
        )


class Ending(StrEnum):
    """How a trial ended: only a completed one is scored."""

    COMPLETED = "completed"
    ERRORED = "errored"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a trial did not complete.

    ``kind`` is one of exception, timeout, malformed_reply, unavailable, refused; ``turn`` counts from 0.
    """

    kind: str
    type: str
    message: str
    turn: int | None = None

    def to_json(self) -> dict[str, JsonValue]:
        """All members."""
        return {"kind": self.kind, "type": self.type, "message": self.message, "turn": self.turn}


@dataclass(frozen=True, slots=True)
class CacheOrigin:
    """Where a cached answer was first made: the run, and when (ISO 8601, UTC)."""

    run_id: str
    created_at: str


@dataclass(frozen=True, slots=True)
class Trajectory:
    """All that one trial produced.

    ``usage`` covers every attempt, also those that were retried; ``attempts`` counts calls of the agent beyond
    one a turn plus one. ``cached`` is set when the answers were taken from the cache; latency and cost are then
    those of the first time. ``notes`` say where a replay left its recording, as far as the calls themselves do not
    show it. ``out_of_time``: a replay was stopped at a time limit, and is judged by what it did until then; later runs
    do not take it for an answer.
    """

    ending: Ending
    turns: tuple[TurnRecord, ...] = ()
    failure: Failure | None = None
    usage: Usage = field(default_factory=Usage)
    latency_ms: float = 0.0
    attempts: int = 1
    cached: CacheOrigin | None = None
    notes: tuple[str, ...] = ()
    out_of_time: bool = False

    def to_json(self) -> dict[str, JsonValue]:
        """A JSON object; the cache origin is kept beside it by the store, not in it."""
        data: dict[str, JsonValue] = {
            "ending": self.ending.value,
            "turns": [turn.to_json() for turn in self.turns],
            "usage": self.usage.to_json(),
            "latency_ms": round(self.latency_ms, 3),
            "attempts": self.attempts,
        }
        if self.failure is not None:
            data["failure"] = self.failure.to_json()
        if self.notes:
            data["notes"] = [*self.notes]
        if self.out_of_time:
            data["out_of_time"] = True
        return data

    @classmethod
    def from_json(cls, data: dict[str, Any], cached: CacheOrigin | None = None) -> Self:
        """The inverse of `to_json`."""
        failure = data.get("failure")
        return cls(
            ending=Ending(data["ending"]),
            turns=tuple(TurnRecord.from_json(turn) for turn in data["turns"]),
            failure=None if failure is None else Failure(**failure),
            usage=Usage.from_json(data["usage"]),
            latency_ms=data["latency_ms"],
            attempts=data["attempts"],
            cached=cached,
            notes=tuple(data.get("notes", ())),
            out_of_time=data.get("out_of_time", False),
        )
