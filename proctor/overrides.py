"""What a person or a deployment may change about a run without touching the spec."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator


class Overrides(BaseModel):
    """Changes to one run. They are parameters of the flow, so a deployment shows them as a form."""

    model_config = ConfigDict(extra="forbid")

    runs: int | None = Field(default=None, ge=1, le=10_000, description="Trials per case, instead of the spec's own.")
    select: list[str] = Field(default_factory=list, description="Case ids or file names to run; * and ? are wildcards.")
    tag: str | None = Field(default=None, description="Tags to run, such as 'smoke and not slow'.")
    failed: bool = Field(default=False, description="Only the cases that did not pass in the newest run.")
    agent: str | None = Field(default=None, description="The name of a declared agent; the others are left out.")
    judge: str | None = Field(default=None, description="The judge model, instead of the suite's.")
    baseline: str | None = Field(
        default=None, min_length=1, description="The run to compare with, instead of the last accepted one."
    )
    replay: Literal["recorded", "live", "harness"] | None = Field(
        default=None, description="What is done with recorded traces, instead of the suite's own."
    )
    refresh: bool = Field(default=False, description="Ask agents and judges anew instead of reading the cache.")

    @field_validator("judge")
    @classmethod
    def _no_import_string(cls, model: str | None) -> str | None:
        """A parameter of a flow must not be able to run code."""
        if model is not None and model.startswith("python:"):
            raise ValueError("a judge made by Python code must be declared in the suite or in [tool.proctor]")
        return model


class PullRequest(BaseModel):
    """The pull request that a run belongs to."""

    model_config = ConfigDict(extra="forbid")

    repo: str = Field(description="owner/name")
    number: int = Field(ge=1, description="The number of the pull request.")
    sha: str | None = Field(default=None, description="The commit that was evaluated.")
