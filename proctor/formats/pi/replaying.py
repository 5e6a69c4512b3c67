"""From a fixture to a case that an agent plays again: the recorded calls and answers, and the checks on the replay."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from proctor.checks.pi.trace import ASSISTANT, TOOL_RESULT, USER
from proctor.errors import Problem, Severity
from proctor.formats.base import Defaults
from proctor.formats.pi.fixture import Fixture, FixtureTurn, Record
from proctor.formats.pi.meta import sha256_in
from proctor.plan import Case
from proctor.replay import ReplayShape, SystemPrompt
from proctor.replay_plan import (
    AnswerCall,
    AnswerText,
    AnswerThinking,
    ModelAnswer,
    Replay,
    ReplayMode,
    ReplaySettings,
)
from proctor.trajectory import JsonValue, ToolCall


def prepared_case(case: Case, fixture: Fixture, defaults: Defaults) -> Case:
    """The case of a fixture as a run needs it: judged as recorded, or replayed.

    A live replay is played as often as other cases that are silent about it.
    """
    settings = defaults.replay
    drift = _prompt_check(fixture, settings)
    if settings.mode is ReplayMode.RECORDED:
        return case if settings.prompt is None else replace(case, checks=(*case.checks, drift))
    replayed = Replay(settings.mode, recorded_calls(fixture.turns), model_answers(fixture.turns))
    shape = ReplayShape(replayed.calls, settings.compare, settings.on_divergence)
    outline = replace(case.outline, recorded=None)
    if settings.mode is ReplayMode.LIVE:
        outline = replace(outline, runs=defaults.runs, threshold=defaults.threshold)
    return Case(outline, case.turns, (*case.checks, shape, drift), replay=replayed)


def replay_problems(fixture: Fixture, settings: ReplaySettings, path: Path) -> Iterator[Problem]:
    """What stands in the way of a replay, and what is lost in it. ``path`` is what problems show."""
    if settings.mode is ReplayMode.RECORDED:
        return
    users = [turn for turn in fixture.turns if turn.role == USER]
    if not users:
        message = "the fixture has no turn of the user, so there is nothing to replay"
        hint = "judge it as it is recorded: mode: recorded below replay: in the suite, or --replay recorded"
        yield Problem(path, "no_user_turn", message, fixture.meta.line, 1, hint=hint)
    for turn in users:
        content = turn.record["content"]
        if not isinstance(content, str) and any(block["type"] == "image" for block in content):
            message = "the images of the user are not sent in a replay, only the text"
            yield Problem(path, "image_not_sent", message, turn.line, 1, "content", severity=Severity.WARNING)


def recorded_calls(turns: Iterable[FixtureTurn]) -> tuple[ToolCall, ...]:
    """All calls in order, each with the first later result of its id; of equal ids, the first call comes first."""
    calls: list[ToolCall] = []
    waiting: defaultdict[str, deque[int]] = defaultdict(deque)
    for turn in turns:
        for block in turn.calls:
            waiting[block["id"]].append(len(calls))
            calls.append(ToolCall(block["name"], block["arguments"], block["id"]))
        if turn.role == TOOL_RESULT and (own := waiting[turn.record["toolUseId"]]):
            is_error = turn.record.get("isError") is True
            at = own.popleft()
            calls[at] = replace(calls[at], result=_result(turn), is_error=is_error)
    return tuple(calls)


def model_answers(turns: Iterable[FixtureTurn]) -> tuple[ModelAnswer, ...]:
    """The turns of the assistant, as a model would give them."""
    return tuple(tuple(map(_part, turn.record["content"])) for turn in turns if turn.role == ASSISTANT)


def _prompt_check(fixture: Fixture, settings: ReplaySettings) -> SystemPrompt:
    meta = fixture.meta
    recorder = f"pi-agent-core {meta.pi_version}"
    return SystemPrompt(sha256_in(meta.system_prompt_hash), recorder, settings.prompt, settings.on_drift)


def _result(turn: FixtureTurn) -> JsonValue:
    """What a tool gave: its text, or its blocks where there is more than text."""
    content = turn.record["content"]
    return turn.text if all(block["type"] == "text" for block in content) else list(content)


def _part(block: Record) -> AnswerText | AnswerThinking | AnswerCall:
    match block["type"]:
        case "text":
            return AnswerText(block["text"], _signature(block, "textSignature"))
        case "thinking":
            return AnswerThinking(block["thinking"], _signature(block, "thinkingSignature"))
        case _:
            signature = _signature(block, "thoughtSignature")
            return AnswerCall(block["name"], block["arguments"], block["id"], signature)


def _signature(block: Record, name: str) -> str | None:
    signature = block.get(name)
    return signature if isinstance(signature, str) else None
