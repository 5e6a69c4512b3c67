"""Agents and judges that follow the script of a vector."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from proctor.judges.scripted import HANG, Attempts, ScriptedAnswer
from tests.conformance.mapping import attempts_of

Step = Mapping[str, Any]


class ScriptedAgent:
    """A factory of conversations: the n-th one follows the n-th row. Keeps what each was given."""

    def __init__(self, rows: Sequence[Sequence[Step]]) -> None:
        self._rows = rows
        self.histories: list[list[list[dict[str, Any]]]] = []

    def __call__(self) -> Conversation:
        number = len(self.histories)
        self.histories.append([])
        return Conversation(self._rows[number % len(self._rows)], self.histories[number])


class Conversation:
    """One run of a script."""

    def __init__(self, steps: Sequence[Step], history: list[list[dict[str, Any]]]) -> None:
        self._steps, self._history = steps, history

    async def __call__(self, messages: list[dict[str, Any]]) -> tuple[str | None, Any]:
        self._history.append(copy.deepcopy(messages))
        return answer(self._steps[len(self._history) - 1])


class AnsweringAgent:
    """An agent that answers by the last message."""

    def __init__(self, answers: Mapping[str, Step]) -> None:
        self._answers = answers

    async def __call__(self, messages: list[dict[str, Any]]) -> tuple[str | None, Any]:
        return answer(self._answers[messages[-1]["content"]])


def answer(step: Step) -> tuple[str | None, Any]:
    """What an agent returns for one step."""
    if "raise" in step:
        raise RuntimeError(step["raise"])
    return step.get("reply", ""), step.get("tool_calls", [])


def judge_answers(script: Sequence[Mapping[str, Any]]) -> list[Attempts]:
    """The answers of a scripted judge, in the order run, turn, check."""
    return [Attempts(*map(_judge_answer, attempts_of(entry))) for entry in script]


def _judge_answer(given: Mapping[str, Any]) -> ScriptedAnswer:
    from pydantic_ai.exceptions import ModelUnavailableError

    if "raise" in given:
        return ModelUnavailableError("scripted", given["raise"])
    if given.get("hang"):
        return HANG
    if "output" in given:
        return given["output"] if isinstance(given["output"], dict) else str(given["output"])
    if "text" in given:
        return str(given["text"])
    return {"passed": given["passed"], "reasoning": given.get("reasoning", "scripted")}
