"""A pydantic-ai model that plays recorded answers, word for word and in their order.

Imported only with a pydantic-ai agent.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelResponse, ModelResponsePart, TextPart, ThinkingPart, ToolCallPart
from pydantic_ai.models import CompletedStreamedResponse, Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import RunContext
from typing_extensions import override

from proctor.agents.base import ModelHost
from proctor.jsonvalue import well_formed, well_formed_value
from proctor.replay_plan import AnswerCall, AnswerText, AnswerThinking


class RecordedModel(Model[Any]):
    """Answers each request with what the host says next, whatever is asked. It spends no tokens."""

    def __init__(self, host: ModelHost) -> None:
        super().__init__()
        self._host = host

    @property
    def model_name(self) -> str:
        """What the messages of a replay name as their model."""
        return "recorded"

    @property
    def system(self) -> str:
        """The provider: none."""
        return "proctor"

    @override
    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        return self._answer()

    @override
    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncIterator[StreamedResponse]:
        yield CompletedStreamedResponse(
            self._answer(), model_request_parameters=model_request_parameters, replay_events=True
        )

    def _answer(self) -> ModelResponse:
        return ModelResponse([_part(part) for part in self._host.answer()], model_name=self.model_name)


def _part(part: AnswerText | AnswerThinking | AnswerCall) -> ModelResponsePart:
    """One part in pydantic-ai's form, which takes no unpaired surrogates: its validation and logs encode UTF-8."""
    if isinstance(part, AnswerThinking):
        return ThinkingPart(well_formed(part.text), signature=part.signature)
    details = None if part.signature is None else {"signature": part.signature}
    if isinstance(part, AnswerText):
        return TextPart(well_formed(part.text), provider_details=details)
    return ToolCallPart(part.name, well_formed_value(part.arguments), part.id, provider_details=details)
