"""A judge that answers from a script, for tests and demonstrations without a network.

    pool = JudgePool(settings, provider=ScriptedJudge([True, {"passed": False, "reasoning": "rude"}]), root=root)

As ``python:package.module:object`` it can stand in a suite. An answer is one of:

* True or False: a verdict;
* a mapping: structured output as it is, right or wrong;
* a text: prose where a structured answer was asked for;
* an exception: raised, as a provider would;
* `HANG`: no answer at all;
* `Attempts`: one of these for each attempt at the same question, the last one repeating. A question that is put again
  because its answer left criteria out is another attempt.

Questions get the answers in the order in which they are first asked; with ``repeat_last``, all further questions get
the last one. This module imports pydantic-ai.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, FunctionModel

from proctor.jsonvalue import digest
from proctor.judges.prompts import CORRECTION


class Silence(Enum):
    """The answer that never comes."""

    HANG = "hang"


HANG = Silence.HANG

ScriptedAnswer: TypeAlias = "bool | str | Mapping[str, Any] | Exception | Silence"


@dataclass(frozen=True, slots=True)
class Attempts:
    """The answers to the attempts at one question. The last one repeats."""

    answers: tuple[ScriptedAnswer, ...]

    def __init__(self, first: ScriptedAnswer, *more: ScriptedAnswer) -> None:
        object.__setattr__(self, "answers", (first, *more))


@dataclass(slots=True)
class Question:
    """A question that was asked: of which model, with which prompt, and how many attempts it took so far."""

    model: str
    prompt: str
    script: Attempts
    attempts: int = 0

    def answer(self, *, is_new_attempt: bool) -> ScriptedAnswer:
        """Give the answer of this attempt; asked again inside one attempt, the same answer."""
        self.attempts += is_new_attempt
        return self.script.answers[min(self.attempts, len(self.script.answers)) - 1]


class ScriptedJudge:
    """A judge provider that answers from a script and keeps what it was asked.

    With no answer left it says so, which is unscored: a test that asks more than it wrote down must not pass.
    """

    def __init__(self, answers: Sequence[ScriptedAnswer | Attempts], *, repeat_last: bool = False) -> None:
        self._answers = [answer if isinstance(answer, Attempts) else Attempts(answer) for answer in answers]
        self._repeat_last = repeat_last
        self._open: dict[str, Question] = {}

    @property
    def version(self) -> str:
        """A digest of the script: another script is another judge, also for kept verdicts."""
        rest = ["and so on"] if self._repeat_last else []
        return digest([*(repr(answer) for answer in self._answers), *rest])

    @property
    def questions(self) -> list[Question]:
        """The questions in the order in which they were first asked."""
        return list(self._open.values())

    @property
    def prompts(self) -> list[str]:
        """The prompts of the questions: instructions and text."""
        return [question.prompt for question in self.questions]

    def __call__(self, model_id: str) -> Model:
        """Make the model for one model string. All of them share the script."""

        async def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
            question = self._question(model_id, messages, info)
            return await _respond(question.answer(is_new_attempt=_is_new_attempt(messages)), info)

        return FunctionModel(reply, model_name=model_id)

    def _question(self, model_id: str, messages: list[ModelMessage], info: AgentInfo) -> Question:
        # Each prompt has a random marker of its own, so equal texts are attempts at one question.
        text = _user_text(messages)
        if text not in self._open:
            self._open[text] = Question(model_id, f"{info.instructions}\n\n{text}", self._next_answer())
        return self._open[text]

    def _next_answer(self) -> Attempts:
        number, known = len(self._open), len(self._answers)
        if number < known:
            return self._answers[number]
        if self._repeat_last and known:
            return self._answers[-1]
        raise UserError(f"the script has {known} answers, and another question was asked")


def _user_text(messages: list[ModelMessage]) -> str:
    first = messages[0]
    parts = first.parts if isinstance(first, ModelRequest) else []
    return "\n".join(str(part.content) for part in parts if isinstance(part, UserPromptPart))


def _is_new_attempt(messages: list[ModelMessage]) -> bool:
    """Whether a question is put, or put again to have it answered in full; else only the form was complained of."""
    return len(messages) == 1 or _user_text(messages[-1:]).startswith(CORRECTION)


async def _respond(answer: ScriptedAnswer, info: AgentInfo) -> ModelResponse:
    if isinstance(answer, Exception):
        raise answer
    if isinstance(answer, Silence):
        forever: asyncio.Future[ModelResponse] = asyncio.get_running_loop().create_future()
        return await forever
    if isinstance(answer, str):
        return ModelResponse(parts=[TextPart(answer)])
    output = {"reasoning": "scripted", "passed": answer} if isinstance(answer, bool) else dict(answer)
    if info.output_tools:
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, output)])
    return ModelResponse(parts=[TextPart(json.dumps(output))])
