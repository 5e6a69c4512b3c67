"""The ways to ask a judge model for its answer.

Not every server takes tools or a response format. The ladder goes from the way that models keep to best to the one
that every server understands: a tool call, a JSON schema as response format, JSON in plain text.
This module imports pydantic-ai; `proctor.judges` imports it only inside functions.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache

from pydantic import ValidationError
from pydantic_ai import Agent, ModelRetry, NativeOutput, TextOutput, ToolOutput
from pydantic_ai.exceptions import (
    ModelAuthenticationError,
    ModelContextWindowExceededError,
    ModelRequestRejectedError,
)
from pydantic_ai.models import Model

from proctor.judges.answer_kinds import Answer, RowAnswer
from proctor.judges.row_verdict import answered_fields, read_row_verdict, reason_of
from proctor.wording import listed

OUTPUT_RETRIES = 1
"""How often pydantic-ai shows a model what was wrong with its answer and asks again, inside one attempt."""

_SHOWN_PLACES = 10
_CALL_RULE = "Answer with a call of the tool `grade` and nothing else."


def object_reader(kind: type[Answer]) -> Callable[[str], Answer]:
    """Make the function that reads one kind of answer off plain text.

    The text has exactly one JSON object; a code fence or prose around it does not matter. The function raises
    ModelRetry, with what to do better, for none or several: which of two verdicts is meant is not for us to guess.
    """

    def read_answer(text: str) -> Answer:
        start, found = text.find("{"), []
        while start >= 0:
            try:
                value, end = json.JSONDecoder().raw_decode(text, start)
            except (ValueError, RecursionError):
                raise ModelRetry(f"This is not valid JSON. {kind.text_rule}") from None
            found.append(value)
            start = text.find("{", end)
        if len(found) != 1:
            raise ModelRetry(f"The answer has {len(found)} JSON objects. {kind.text_rule}")
        try:
            return kind.model_validate(found[0])
        except ValidationError as error:
            raise ModelRetry(f"Wrong or missing: {_places(error)}. {kind.text_rule}") from None

    return read_answer


def row_reader(kind: type[RowAnswer]) -> Callable[[str], Answer]:
    """Make the function that reads one kind of answer off plain text (`proctor.judges.row_verdict`).

    It raises ModelRetry, with what to do better, for a text that is no verdict, and for one on another question.
    """

    def read_row_answer(text: str) -> Answer:
        verdict = read_row_verdict(text)
        if verdict is None:
            raise ModelRetry(f"This is no verdict. {kind.text_rule}")
        if kind.field not in verdict:
            raise ModelRetry(f"The answer has no `{kind.field}`. {kind.text_rule}")
        reasoning = reason_of(verdict).encode("utf-8", "replace").decode()  # a lone surrogate cannot be kept
        answer = kind.model_validate({"reasoning": reasoning, kind.field: verdict[kind.field]})
        return answer.as_one_of(answered_fields(verdict))

    return read_row_answer


def _places(error: ValidationError) -> str:
    return listed([".".join(map(str, problem["loc"])) for problem in error.errors()], _SHOWN_PLACES)


@cache
def judge_agent(mode: str, kind: type[Answer]) -> Agent[None, Answer]:
    """Build the agent that asks for an answer in one output mode. Agents hold no model, so loops may share them.

    A judge of rows that is asked for a tool call may answer in plain text too: many a server of one's own takes tools
    and then lets its model say what it likes.
    """
    if mode == "native":
        return Agent(output_type=NativeOutput(kind, name="grade"), retries=OUTPUT_RETRIES)
    text: TextOutput[Answer] = TextOutput(row_reader(kind) if issubclass(kind, RowAnswer) else object_reader(kind))
    if mode == "text":
        return Agent(output_type=text, instructions=kind.text_rule, retries=OUTPUT_RETRIES)
    tool = ToolOutput(kind, name="grade")
    if issubclass(kind, RowAnswer):
        return Agent(output_type=[tool, text], instructions=_CALL_RULE, retries=OUTPUT_RETRIES)
    return Agent(output_type=tool, retries=OUTPUT_RETRIES)


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
