"""The pytest-agent-eval transcript as pydantic models: the single source of its rules and of its JSON Schema.

What is accepted and refused follows the format's own loader (docs/formats/transcript.md): unknown keys and nulls are
refused at every level, scalars are never converted, a whole number may be written as 2.0.
"""

from __future__ import annotations

import re
import warnings
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

from proctor.formats.schema import Absent


def _compiles(pattern: str) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(pattern, re.IGNORECASE)
    except (re.error, OverflowError, RecursionError) as error:
        raise PydanticCustomError(
            "invalid_pattern", "not a valid Python regular expression: {problem}", {"problem": str(error)}
        ) from error
    return pattern


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _some_turns(value: Any) -> Any:
    if not value and value is not False:
        raise PydanticCustomError("empty", "a transcript needs at least one turn")
    return value


Words = list[str]
Patterns = list[Annotated[str, AfterValidator(_compiles)]]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class JudgeBlock(_Strict):
    """A rubric for a judge."""

    rubric: str = Field(description="What a judge has to find in the reply, in plain words.")
    model: Annotated[str | None, Absent] = Field(default=None, description="The judge model for this check.")


OptionalJudge = Annotated[JudgeBlock | None, Absent]


class ToolArguments(_Strict):
    """Checks on the arguments of one tool's calls in this turn; needs ``args``, ``judge`` or both."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"anyOf": [{"required": ["args"]}, {"required": ["judge"]}]}
    )

    tool: str = Field(description="The tool whose calls are looked at.")
    args: Annotated[dict[Any, Any] | None, Absent, WithJsonSchema({"type": "object"})] = Field(
        default=None, description="The expected arguments; one matching call is enough."
    )
    mode: Literal["subset", "exact"] = Field(
        default="subset", description="subset: further arguments are fine; exact: no others."
    )
    judge: OptionalJudge = Field(default=None, description="A judge for the arguments of all calls of the tool.")

    @model_validator(mode="after")
    def _asks_something(self) -> Self:
        if not {"args", "judge"} & self.model_fields_set:
            raise PydanticCustomError("needs_args_or_judge", "an entry needs 'args', 'judge' or both")
        return self


class Expect(_Strict):
    """What is checked of the agent's answer to one turn. An empty list checks nothing."""

    reply_contains_any: Words = Field(default=[], description="One of these occurs in the reply, in any case.")
    reply_contains_all: Words = Field(default=[], description="Each of these occurs in the reply, in any case.")
    reply_matches_any: Patterns = Field(default=[], description="One of these Python patterns is found in the reply.")
    reply_matches_all: Patterns = Field(default=[], description="Each of these Python patterns is found in the reply.")
    tool_calls_include: Words = Field(default=[], description="Tools that must be called in this turn.")
    tool_calls_exclude: Words = Field(default=[], description="Tools that must not be called in this turn.")
    tool_calls_ordered: bool = Field(default=False, description="tool_calls_include must occur in this order.")
    tool_calls_args: list[ToolArguments] = Field(default=[], description="Checks on the arguments of tool calls.")
    judge: OptionalJudge = Field(default=None, description="A judge for the reply.")


class TurnBlock(_Strict):
    """One user message and what is expected of the answer."""

    user: str = Field(description="The user's message, sent byte for byte.")
    audio: Annotated[str | None, Absent] = Field(
        default=None, description="A WAV file for voice agents, relative to this file."
    )
    expect: Annotated[Expect | None, Absent] = Field(default=None, description="What is checked of the answer.")


class Transcript(_Strict):
    """A transcript: one conversation with an agent, played ``runs`` times."""

    id: str = Field(description="The name of the case.")
    threshold: Annotated[Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] | None, Absent] = Field(
        default=None, description="The share of runs that must pass.", json_schema_extra={"default": 0.8}
    )
    runs: Annotated[Annotated[int, Field(ge=1)] | None, BeforeValidator(_whole), Absent] = Field(
        default=None, description="How often the conversation is played.", json_schema_extra={"default": 1}
    )
    tags: Words = Field(default=[], description="Names for gates and for selecting cases.")
    turns: Annotated[list[TurnBlock], BeforeValidator(_some_turns), Field(min_length=1)] = Field(
        description="The conversation; each turn sees all that came before."
    )
