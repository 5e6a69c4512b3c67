"""Questions about a rubric, and answers to them, for the tests of judges that score criteria."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, ToolCallPart, UserPromptPart
from pydantic_ai.models import Model
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.profiles import ModelProfile

from proctor.judges import JudgePool
from proctor.judges.scripted import Attempts, ScriptedAnswer, ScriptedJudge
from proctor.plan import CriterionSpec, Evidence, JudgeRequest, JudgeSettings
from proctor.results import Verdict

RUBRIC = (
    CriterionSpec("a", "Names the surveyor"),
    CriterionSpec("b", "Cites a page", 2),
    CriterionSpec("c", "Is true", 2),
)
EVIDENCE = (Evidence("Question", "Who?"), Evidence("Answer", "Ada."), Evidence("Gold page 1 of 1", "Ada was it."))
REQUEST = JudgeRequest("rubric_scores", "Score it.", EVIDENCE, passing_score=3.5, criteria=RUBRIC)

NEEDED = "give exactly one score for each of a, b, c"
CORRECTION = "Your answer is incomplete: {}; " + NEEDED + ". Grade again, in the same form and with nothing left out."


def answer(**scores: Any) -> dict[str, Any]:
    """An answer with a score for each named criterion."""
    return answer_of(list(scores.items()))


def answer_of(scores: Sequence[tuple[str, Any]], reasoning: str = "all seen") -> dict[str, Any]:
    entries = [{"criterion_id": name, "rationale": f"why {name}", "score": score} for name, score in scores]
    return {"reasoning": reasoning, "scores": entries}


def ask(*answers: ScriptedAnswer, request: JudgeRequest = REQUEST, **changes: Any) -> tuple[Verdict, ScriptedJudge]:
    """Ask one question of a scripted judge; an answer stands for each attempt and for the correction."""
    judge = ScriptedJudge([Attempts(*answers)])

    async def run() -> Verdict:
        settings = JudgeSettings(**{"model": "lab:judge", "backoff_s": 0.0, **changes})
        return await JudgePool(settings, provider=judge, root=Path.cwd()).ask(request)

    return asyncio.run(run()), judge


class Rung:
    """A model that takes one way of asking only, and keeps what it was sent."""

    def __init__(self, rung: str, answers: Sequence[Any]) -> None:
        self._rung = rung
        self._answers = list(answers)
        self.sent: list[list[ModelMessage]] = []

    def __call__(self, model_id: str) -> Model:
        profile = ModelProfile(supports_tools=self._rung == "tool", supports_json_schema_output=self._rung == "native")
        return FunctionModel(self._reply, model_name=model_id, profile=profile)

    def ask(self, request: JudgeRequest = REQUEST, retries: int = 0) -> Verdict:
        async def run() -> Verdict:
            settings = JudgeSettings(model="lab:judge", retries=retries, backoff_s=0.0)
            return await JudgePool(settings, provider=self, root=Path.cwd()).ask(request)

        return asyncio.run(run())

    @property
    def last_texts(self) -> list[str]:
        """The last user text of each request."""
        return [
            [str(part.content) for message in messages if isinstance(message, ModelRequest)
             for part in message.parts if isinstance(part, UserPromptPart)][-1]
            for messages in self.sent
        ]  # fmt: skip

    def _reply(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        assert bool(info.output_tools) is (self._rung == "tool")
        assert (info.model_request_parameters.output_object is not None) is (self._rung == "native")
        self.sent.append(list(messages))
        said = self._answers[min(len(self.sent), len(self._answers)) - 1]
        if isinstance(said, dict) and info.output_tools:
            return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, said)])
        return ModelResponse(parts=[TextPart(said if isinstance(said, str) else json.dumps(said))])
