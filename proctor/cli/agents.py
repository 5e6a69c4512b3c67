"""``agents check``: try an agent before evaluating it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proctor.cli.output import say
from proctor.errors import UsageError

if TYPE_CHECKING:
    from proctor.agents import Finding
    from proctor.plan import AgentSpec

app = typer.Typer(help="Agents under test.", no_args_is_help=True, rich_markup_mode=None)

CHECK_EXAMPLE = "Example: proctor agents check --suite specs/booking/booking.suite.yaml"


@app.command("check", epilog=CHECK_EXAMPLE)
def check(
    agent: Annotated[str | None, typer.Argument(help="A declared name, pkg.module:object, or an http(s) URL.")] = None,
    suite: Annotated[Path | None, typer.Option("--suite", help="The suite that declares the agent.")] = None,
    timeout: Annotated[float, typer.Option("--timeout", min=0.1, help="Seconds for each conversation.")] = 60.0,
) -> None:
    """Talk to an agent twice and say whether it keeps its contract. Ends with 0 if it does, else 3."""
    import asyncio

    from proctor.agents import Level
    from proctor.config import agent_block, load_project
    from proctor.overrides import Overrides
    from proctor.stages.merge import declared_agents
    from proctor.stages.target import find_target

    project = load_project(suite or Path.cwd())
    block = agent_block(agent) if agent is not None else None
    overrides = Overrides(agent=agent if block is None else None)
    declared = find_target(suite, project).suite if suite else None
    specs = declared_agents(declared, project, overrides, block)
    if not specs:
        raise UsageError("there is no agent to check", hint="name one, or a suite that declares some with --suite")
    failed = False
    for spec in specs:
        say(f"{spec.name} ({spec.kind}: {spec.target})")
        for finding in asyncio.run(_talk(spec, project.root, timeout)):
            failed |= finding.level is Level.ERROR
            say(f"  {finding.level.value:<8} {finding.message}")
    raise typer.Exit(3 if failed else 0)


async def _talk(spec: AgentSpec, root: Path, timeout_s: float) -> list[Finding]:
    from proctor.agents import build_agent, check_agent

    agent = build_agent(spec, root)
    try:
        return await check_agent(agent, timeout_s)
    finally:
        await agent.close()
