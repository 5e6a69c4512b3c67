"""How recorded trials are replayed, as plain data: the settings of a run, and what one case is replayed from."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, TypeAlias

from proctor.trajectory import JsonValue, ToolCall


class ReplayMode(StrEnum):
    """What a trial that a file holds is used for.

    ``RECORDED``: it is judged as it stands, and nobody is called. ``LIVE``: the user's messages go to the agent under
    test, and its tool calls are answered from the recording. ``HARNESS``: the answers of the model come from the
    recording too, so the loop of the agent is what is tested.
    """

    RECORDED = "recorded"
    LIVE = "live"
    HARNESS = "harness"


class Compare(StrEnum):
    """What two calls must have in common: their names, also the types of their arguments, or also the values."""

    NAMES = "names"
    SHAPE = "shape"
    VALUES = "values"


class Policy(StrEnum):
    """What a divergence or a drift does to a trial: it is reported only, or fails it."""

    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class CurrentPrompt:
    """The system prompt of today, as its SHA-256 in lower-case hex.

    ``trimmed`` is that of the text without its last line break, if it has one: editors add it. ``replacements`` is the
    number of replacements that were made in the text before.
    """

    sha256: str
    trimmed: str | None = None
    replacements: int = 0


@dataclass(frozen=True, slots=True)
class ReplaySettings:
    """How the recorded trials of a run are replayed."""

    mode: ReplayMode = ReplayMode.RECORDED
    compare: Compare = Compare.SHAPE
    on_divergence: Policy = Policy.WARN
    on_drift: Policy = Policy.WARN
    prompt: CurrentPrompt | None = None


class AnswerText(NamedTuple):
    """Text that the model said. A ``signature`` is the provider's, kept as it is."""

    text: str
    signature: str | None = None


class AnswerThinking(NamedTuple):
    """What the model thought."""

    text: str
    signature: str | None = None


class AnswerCall(NamedTuple):
    """A call of a tool that the model asked for."""

    name: str
    arguments: dict[str, JsonValue]
    id: str
    signature: str | None = None


ModelAnswer: TypeAlias = tuple[AnswerText | AnswerThinking | AnswerCall, ...]
"""One recorded answer of a model, part by part."""


@dataclass(frozen=True, slots=True)
class Replay:
    """What one case is replayed from: all recorded calls in order with their results, and the model's answers.

    ``mode`` is never ``RECORDED``. A call whose ``result`` is None has none in the recording.
    """

    mode: ReplayMode
    calls: tuple[ToolCall, ...]
    answers: tuple[ModelAnswer, ...]

    @property
    def most_requests(self) -> int:
        """After so many model requests, a live replay is stopped: it runs away."""
        recorded = len(self.answers)
        return max(2 * recorded, recorded + 8)

    def to_json(self) -> dict[str, JsonValue]:
        """All that an agent can notice of it."""
        answers: list[JsonValue] = [[[type(part).__name__, *part] for part in answer] for answer in self.answers]
        return {
            "mode": self.mode.value,
            "calls": [call.to_json() for call in self.calls],
            "answers": answers if self.mode is ReplayMode.HARNESS else len(answers),
        }
