"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proctor.cli.output import OutputFormat
from proctor.errors import UsageError
from proctor.replay_plan import ReplayMode

if TYPE_CHECKING:
    from proctor.config import AgentBlock
    from proctor.overrides import Overrides

SpecPath = Annotated[
    Path | None,
    typer.Argument(help="A suite file, a spec file, or a folder. Default: the project's transcript folders."),
]
Format = Annotated[OutputFormat, typer.Option("--format", help="text for people, json for machines.")]
Select = Annotated[
    list[str] | None, typer.Option("--select", help="Run only cases whose id or file matches; may be repeated.")
]
Tag = Annotated[str | None, typer.Option("--tag", help="Run only cases with these tags: 'smoke and not slow'.")]
Failed = Annotated[bool, typer.Option("--failed", help="Run only the cases that did not pass the last time.")]
Runs = Annotated[int | None, typer.Option("--runs", min=1, max=10_000, help="Trials per case, for every case.")]
AgentName = Annotated[
    str | None, typer.Option("--agent", help="A declared agent's name, pkg.module:object, or an http(s) URL.")
]
JudgeModel = Annotated[str | None, typer.Option("--judge", help="The judge model, such as openai:gpt-4o or self-test.")]
Refresh = Annotated[bool, typer.Option("--refresh", help="Ask agents and judges anew instead of using the cache.")]
Replay = Annotated[
    ReplayMode | None,
    typer.Option("--replay", help="What is done with recorded traces; live by default if there is an agent."),
]
Baseline = Annotated[
    str | None, typer.Option("--baseline", help="The run to compare with, instead of the last accepted one.")
]


def overrides_and_agent(
    select: list[str] | None,
    tag: str | None,
    failed: bool,
    runs: int | None,
    agent: str | None,
    judge: str | None,
    refresh: bool,
    baseline: str | None,
    replay: ReplayMode | None = None,
) -> tuple[Overrides, AgentBlock | None]:
    """The overrides of a run, and the agent if ``--agent`` says what it is rather than its name."""
    from proctor.config import agent_block
    from proctor.overrides import Overrides

    block = agent_block(agent) if agent is not None else None
    if judge is not None and judge.startswith("python:"):
        raise UsageError("--judge takes a model string", hint="declare a judge made by Python code in the suite")
    for option, value in (("--judge", judge), ("--baseline", baseline)):
        if value == "":
            raise UsageError(
                f"{option} is empty", hint="leave it out, or see whether a variable in the command is unset"
            )
    overrides = Overrides(
        runs=runs,
        select=select or [],
        tag=tag,
        failed=failed,
        agent=agent if block is None else None,
        judge=judge,
        refresh=refresh,
        baseline=baseline,
        replay=None if replay is None else replay.value,
    )
    return overrides, block
