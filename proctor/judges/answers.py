"""The answer of a judge model, and the ways to ask for it.

Not every server takes tools or a response format. The ladder goes from the way that models keep to best to the one
that every server understands: a tool call, a JSON schema as response format, JSON in plain text.
This module imports pydantic-ai; `proctor.judges` imports it only inside functions.
"""

from __future__ import annotations

import json
from functools import cache

from pydantic import BaseModel, Field, ValidationError
from pydantic_ai import Agent, ModelRetry, NativeOutput, TextOutput, ToolOutput
from pydantic_ai.exceptions import (
    ModelAuthenticationError,
    ModelContextWindowExceededError,
    ModelRequestRejectedError,
)
from pydantic_ai.models import Model

OUTPUT_RETRIES = 1
"""How often pydantic-ai shows a model what was wrong with its answer and asks again, inside one attempt."""

TEXT_MODE_RULE = (
    'Answer with one JSON object and nothing else: {"reasoning": "…", "passed": true} or '
    '{"reasoning": "…", "passed": false}.'
)
"""Added to the instructions where neither a tool nor a response format says what the answer looks like."""


class Answer(BaseModel):
    """The grade: the reasoning, then whether the rubric is met."""

    reasoning: str = Field(description="What in the evidence decides, in one to three sentences.")
    passed: bool = Field(description="True only if the rubric is met in full.")


def read_answer(text: str) -> Answer:
    """Read the answer off plain text.

    The text has exactly one JSON object; a code fence or prose around it does not matter. Raises ModelRetry, with
    what to do better, for none or several: which of two verdicts is meant is not for us to guess.
    """
    start, found = text.find("{"), []
    while start >= 0:
        try:
            value, end = json.JSONDecoder().raw_decode(text, start)
        except (ValueError, RecursionError):
            raise ModelRetry(f"This is not valid JSON. {TEXT_MODE_RULE}") from None
        found.append(value)
        start = text.find("{", end)
    if len(found) != 1:
        raise ModelRetry(f"The answer has {len(found)} JSON objects. {TEXT_MODE_RULE}")
    try:
        return Answer.model_validate(found[0])
    except ValidationError as error:
        fields = ", ".join(str(part) for problem in error.errors() for part in problem["loc"])
        raise ModelRetry(f"Wrong or missing: {fields}. {TEXT_MODE_RULE}") from None


@cache
def judge_agent(mode: str) -> Agent[None, Answer]:
    """Build the agent that asks for an answer in one output mode. Agents hold no model, so loops may share them."""
    if mode == "tool":
        return Agent(output_type=ToolOutput(Answer, name="grade"), retries=OUTPUT_RETRIES)
    if mode == "native":
        return Agent(output_type=NativeOutput(Answer, name="grade"), retries=OUTPUT_RETRIES)
    return Agent(output_type=TextOutput(read_answer), instructions=TEXT_MODE_RULE, retries=OUTPUT_RETRIES)


def output_modes(model: Model) -> list[str]:
    """List the output modes to try with a model, best first, by what its profile says of it."""
    profile = model.profile
    modes = ["tool"] if profile.get("supports_tools", True) else []
    if profile.get("supports_json_schema_output", False):
        prefers_native = profile.get("default_structured_output_mode") == "native"
        modes.insert(0 if prefers_native else len(modes), "native")
    return [*modes, "text"]


def is_about_output_mode(error: ModelRequestRejectedError) -> bool:
    """Tell whether a provider refused the way of asking, and not the question."""
    if isinstance(error, ModelAuthenticationError | ModelContextWindowExceededError):
        return False
    text = str(error).lower()
    return any(word in text for word in ("tool", "function", "response_format", "text.format", "schema"))
