"""The suite file (``*.suite.yaml``, YAML 1.2 core): it binds spec files to agents, a judge, gates and limits."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, Field, ValidationError
from pydantic_core import PydanticCustomError

from proctor.config import (
    Agents,
    AllowBlock,
    Block,
    Concurrency,
    GateBlock,
    Judge,
    ReportBlock,
    Runs,
    Share,
    TimeLimits,
    text_as,
)
from proctor.errors import Problem
from proctor.formats.brainbench_block import BrainBenchBlock
from proctor.formats.dataset_block import DatasetBlock
from proctor.formats.problems import model_problems
from proctor.formats.replay_block import ReplayBlock
from proctor.formats.yaml_reader import Dialect, Document, read_yaml

SUFFIXES: Final = (".suite.yaml", ".suite.yml")


def _number(value: Any) -> Any:
    """Python takes ``true`` for 1."""
    if isinstance(value, bool):
        raise PydanticCustomError("wrong_type", "must be the number 1")
    return value


class OwnCheckBlock(Block):
    """A check class of your own."""

    use: str = Field(description="An import string, pkg.module:Class.", pattern=r"^[\w.]+:[\w.]+$")
    arguments: dict[str, Any] = Field(default={}, alias="with", description="Keyword arguments to build it.")


OwnChecks = list[Annotated[OwnCheckBlock, text_as("use", OwnCheckBlock)]]
GateName = Annotated[str, Field(pattern=r"^\S(.*\S)?$", max_length=100)]


class Suite(Block):
    """A suite: what is evaluated, with which agents and judge, and what must hold."""

    suite: Annotated[Literal[1], BeforeValidator(_number)] = Field(
        default=1, description="The version of this file's form."
    )
    name: str | None = Field(
        default=None, min_length=1, max_length=100, description="The title; the file name by default."
    )
    specs: list[str] = Field(min_length=1, description="Spec files, folders or globs, relative to this file.")
    purpose: Literal["release", "triage", "self-test"] = Field(
        default="release", description="Only a release can say that something may ship."
    )
    agents: Agents | None = Field(
        default=None, description="The agents under test, by name; their results stand side by side."
    )
    judge: Judge | None = Field(default=None, description="How judges are asked.")
    runs: Runs | None = Field(default=None, description="Trials of cases that are silent about it.")
    threshold: Share | None = Field(default=None, description="Threshold of cases that are silent about it.")
    concurrency: Concurrency | None = Field(default=None, description="Trials at once.")
    timeouts: TimeLimits = Field(default=TimeLimits(), description="Time limits in seconds.")
    gates: dict[GateName, GateBlock] = Field(default={}, description="Quality gates, by name.")
    allow: AllowBlock = Field(default=AllowBlock(), description="How many trials may have no result.")
    dataset: DatasetBlock = Field(default=DatasetBlock(), description="How recorded rows are scored.")
    replay: ReplayBlock = Field(default=ReplayBlock(), description="What is done with recorded traces.")
    brainbench: BrainBenchBlock = Field(
        default=BrainBenchBlock(), description="How transcripts of BrainBench are read and scored."
    )
    checks: OwnChecks = Field(default=[], description="Checks of your own, on every trial.")
    environment: list[str] = Field(default=[], description="Environment variables that the agents depend on.")
    report: ReportBlock = Field(default=ReportBlock(), description="Which reports are written, and where.")
    compat: Literal["strict", "upstream"] | None = Field(
        default=None, description="upstream: behave as the format's own tool where Proctor is stricter."
    )


def is_suite(path: Path) -> bool:
    """Whether the name says that a file is a suite."""
    return path.name.endswith(SUFFIXES)


def load_suite(path: Path, data: bytes) -> tuple[Suite | None, Document, list[Problem]]:
    """Read a suite file. Without a suite, the problems say why."""
    document = read_yaml(path, data, Dialect.YAML_1_2_CORE)
    problems = list(document.problems)
    if document.root is None and problems:
        return None, document, problems
    try:
        suite = Suite.model_validate(document.value, by_alias=True)
    except ValidationError as error:
        return None, document, problems + model_problems(document, Suite, error)
    return (None if problems else suite), document, problems
