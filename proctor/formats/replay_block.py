"""The block ``replay:`` of a suite: whether recorded traces are replayed by the agents, and what has to hold then."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from proctor.config import Block, text_as


class PromptBlock(Block):
    """The system prompt of today: a file, or the text itself."""

    file: str | None = Field(default=None, min_length=1, description="A file in UTF-8, relative to the suite.")
    text: str | None = Field(default=None, description="The text itself.")

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if (self.file is None) == (self.text is None):
            raise PydanticCustomError("bad_value", "a system prompt needs exactly one of 'file' and 'text'")
        return self


class ReplaceBlock(Block):
    """A replacement in the system prompt, before it is compared."""

    pattern: str = Field(min_length=1, description="A regular expression of Python, found anywhere.")
    replacement: str = Field(alias="with", description="What stands there instead; \\1 is the first group.")


class ReplayBlock(Block):
    """What is done with recorded traces."""

    mode: Literal["recorded", "live", "harness"] | None = Field(
        default=None, description="recorded: judge what is recorded. The default is live if there is an agent."
    )
    compare: Literal["names", "shape", "values"] = Field(
        default="shape", description="What calls must have in common: shape is names and types of arguments."
    )
    on_divergence: Literal["warn", "fail"] = Field(
        default="warn", description="Whether a replay that leaves its recording fails."
    )
    on_drift: Literal["warn", "fail"] = Field(
        default="warn", description="Whether a system prompt other than the recorded one fails."
    )
    system_prompt: Annotated[PromptBlock, text_as("file", PromptBlock)] | None = Field(
        default=None, description="The system prompt of today; a text is short for its file."
    )
    replace: list[ReplaceBlock] = Field(default=[], description="Replacements in the system prompt.")

    @model_validator(mode="after")
    def _needs_prompt(self) -> Self:
        if self.system_prompt is None and self.on_drift == "fail":
            raise PydanticCustomError("bad_value", "'on_drift: fail' needs the 'system_prompt' to compare with")
        if self.system_prompt is None and self.replace:
            raise PydanticCustomError("bad_value", "'replace' needs the 'system_prompt' to replace in")
        return self
