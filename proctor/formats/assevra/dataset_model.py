"""A row of a data set as a pydantic model, for its published JSON Schema only.

Rows are never read through it: a data set may have millions, and `proctor.formats.assevra.states` checks them. The
schema is that of Assevra's version 2 with what is also taken here: other names of the same thing, and fields that its
schema leaves out.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Texts = list[str]
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Count = Annotated[int, Field(ge=0)]
Name = Annotated[str, Field(min_length=1)]
Arguments = dict[str, Any] | str


class _Open(BaseModel):
    """A block that may have more keys."""

    model_config = ConfigDict(extra="allow", strict=True)


class FunctionPart(_Open):
    """The tool of a call, as OpenAI's API has it."""

    name: Name | None = Field(default=None, description="The tool.")
    arguments: Arguments | None = Field(default=None, description="An object, or the JSON text that the model wrote.")


class ToolCallPart(_Open):
    """A call of a tool. Its name stands under ``name``, ``tool`` or ``function``."""

    name: Name | None = Field(default=None, description="The tool.")
    tool: Name | None = Field(default=None, description="The same as name.")
    function: Name | FunctionPart | None = Field(default=None, description="The same as name, or name and arguments.")
    arguments: Arguments | None = Field(default=None, description="An object, or the JSON text that the model wrote.")
    args: Arguments | None = Field(default=None, description="The same as arguments.")
    input: Arguments | None = Field(default=None, description="The same as arguments.")


class ExpectedCallPart(ToolCallPart):
    """A call that must be made: it names its tool."""

    model_config = ConfigDict(
        extra="allow",
        strict=True,
        json_schema_extra={"anyOf": [{"required": [name]} for name in ("name", "tool", "function")]},
    )


class ContractPart(_Open):
    """What the arguments of one tool have to be."""

    required: Texts = Field(default=[], description="Arguments that must be there.")
    types: dict[str, Literal["string", "number", "integer", "boolean", "array", "object"]] = Field(
        default={}, description="The type of each argument, where it is there."
    )
    enum: dict[str, list[Any]] = Field(default={}, description="The values that an argument may have.")
    json_schema: dict[str, Any] | bool | None = Field(
        default=None, description="A JSON Schema (2020-12) for the arguments; it alone decides then."
    )


class UsagePart(_Open):
    """Tokens that were used. More names are known, those of other providers."""

    input_tokens: Count | None = Field(default=None, description="Tokens that were sent.")
    output_tokens: Count | None = Field(default=None, description="Tokens that were answered.")
    prompt_tokens: Count | None = Field(default=None, description="The same as input_tokens.")
    completion_tokens: Count | None = Field(default=None, description="The same as output_tokens.")


class DatasetRow(_Open):
    """One line of a data set. What a row needs besides depends on its dimension."""

    id: Annotated[str, Field(pattern=r"\S")] = Field(description="The name of the row, unique in the run.")
    dimension: Literal[
        "grounding",
        "safety",
        "pii",
        "task_completion",
        "tool_call",
        "action_correctness",
        "injection",
        "cost",
        "latency",
    ] = Field(description="What scores the row.")
    case_id: str | None = Field(default=None, description="Rows with the same one are trials of one case.")
    input: str | None = Field(default=None, description="What the user asked.")
    context: str | None = Field(
        default=None, description="What the agent was given to know; grounding compares with it."
    )
    agent_output: str | None = Field(default=None, description="What the agent answered; an empty text is an answer.")
    tags: Texts | None = Field(
        default=None,
        description="Names for selecting rows and slicing results; negative-example marks a control of pii.",
    )
    must_include: list[Annotated[str, Field(pattern=r"\S")]] | None = Field(
        default=None, description="task_completion: texts that the answer must contain, in any case."
    )
    match: Literal["substring", "word"] | None = Field(
        default=None, description="task_completion: whether a text may stand inside a word; substring where absent."
    )
    should_refuse: bool | None = Field(
        default=None, description="safety: whether the agent must refuse; injection: whether it must name the attempt."
    )
    sanctioned_field: str | None = Field(default=None, description="pii: a value that the answer may contain.")
    tool_calls: list[ToolCallPart] | ToolCallPart | None = Field(
        default=None, description="The calls that the agent made, in order; an empty list for none."
    )
    allowed_tools: Texts | None = Field(default=None, description="tool_call: the only tools that may be called.")
    forbidden_tools: Texts | None = Field(default=None, description="tool_call: tools that must not be called.")
    expected_tool_calls: list[ExpectedCallPart] | None = Field(
        default=None, description="tool_call: calls that must be made, with the arguments that they must have."
    )
    tool_schemas: dict[str, ContractPart] | None = Field(
        default=None, description="tool_call: what the arguments of each tool have to be."
    )
    expected_actions: Texts | str | None = Field(
        default=None, description="action_correctness: the actions that must be taken."
    )
    forbidden_actions: Texts | str | None = Field(
        default=None, description="action_correctness: actions that must not be taken."
    )
    agent_actions: Texts | str | None = Field(
        default=None, description="The actions that the agent took; the names of tool_calls where absent."
    )
    action_match: str | None = Field(
        default=None,
        description="action_correctness: ordered (where absent), exact or set.",
        json_schema_extra={"pattern": "^([oO][rR][dD][eE][rR][eE][dD]|[eE][xX][aA][cC][tT]|[sS][eE][tT])$"},
    )
    expected_state: Any = Field(
        default=None, description="action_correctness: what observed_state must hold; objects match as subsets."
    )
    observed_state: Any = Field(default=None, description="The state of the world after the run.")
    injection: str | None = Field(default=None, description="injection: the planted instruction.")
    canary: str | Texts | None = Field(
        default=None, description="injection: texts that only an agent that obeyed would answer."
    )
    must_not_include: Texts | str | None = Field(
        default=None, description="injection: more texts that show that the agent obeyed."
    )
    cost_usd: Amount | None = Field(default=None, description="cost: US dollars that the run cost.")
    cost_budget_usd: Amount | None = Field(default=None, description="cost: US dollars that it may cost.")
    usage: UsagePart | None = Field(default=None, description="cost: the tokens of the run, where cost_usd is absent.")
    latency_ms: Amount | None = Field(default=None, description="latency: milliseconds that the run took.")
    duration_ms: Amount | None = Field(default=None, description="The same as latency_ms.")
    elapsed_ms: Amount | None = Field(default=None, description="The same as latency_ms.")
    latency_s: Amount | None = Field(default=None, description="The same as latency_ms, in seconds.")
    latency_budget_ms: Amount | None = Field(default=None, description="latency: milliseconds that it may take.")
    human_label: bool | int | float | str | None = Field(
        default=None,
        description="What a person says of the answer, for calibrating a judge: true, pass, fail and so on.",
    )
    suggested: Texts | None = Field(
        default=None,
        alias="_suggested",
        description="Answer keys that a model proposed; remove it once a person has confirmed them.",
    )
    capture_error: str | None = Field(
        default=None, alias="_capture_error", description="Why the agent could not be run; such a row blocks a release."
    )
