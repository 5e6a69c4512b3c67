"""``record``: let an agent answer user turns, and write what it did as a pi fixture."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from proctor.cli.options import AgentName
from proctor.cli.output import say, show_problems
from proctor.cli.streams import results_alone
from proctor.errors import UsageError
from proctor.excerpt import quote
from proctor.wording import count, listed

if TYPE_CHECKING:
    from proctor.config import Project
    from proctor.plan import AgentSpec, Limits
    from proctor.stages.record import Recording, Written

# The first line keeps the second from being wrapped, so that it can be pasted.
EXAMPLE: Final = (
    '\b\nExample: proctor record --agent specs.booking.booking_agent:agent --turn "We come late." --out late.jsonl'
)


def record(
    out: Annotated[Path, typer.Option("--out", help="The new file for the fixture, such as booking.jsonl.")],
    agent: AgentName = None,
    turn: Annotated[
        list[str] | None, typer.Option("--turn", help="What the user says; repeated for a conversation.")
    ] = None,
    turns: Annotated[
        Path | None,
        typer.Option("--turns", help="A file with them: one a line, a JSON list, a transcript or a pi fixture."),
    ] = None,
    suite: Annotated[Path | None, typer.Option("--suite", help="The suite that declares the agent.")] = None,
    fixture_id: Annotated[
        str | None, typer.Option("--fixture-id", help="The id of the fixture. Default: the name of the file.")
    ] = None,
    scenario: Annotated[
        str | None, typer.Option("--scenario", help="What the fixture is about. Default: what the user says first.")
    ] = None,
    pi_version: Annotated[
        str | None, typer.Option("--pi-version", help="The version of pi-agent-core, if the agent is made with it.")
    ] = None,
    system_prompt: Annotated[
        Path | None,
        typer.Option("--system-prompt", help="A file with the exact system prompt. Default: what was sent, if known."),
    ] = None,
    system_prompt_hash: Annotated[
        str | None, typer.Option("--system-prompt-hash", help="The SHA-256 of the system prompt.")
    ] = None,
    no_mask: Annotated[
        bool, typer.Option("--no-mask", help="Keep secrets and home folders as they were recorded.")
    ] = False,
) -> None:
    """Record a conversation with an agent as a pi fixture, which can be checked and replayed. Nothing is evaluated.

    Exit codes: 0 written, 2 cannot start, 3 the agent could not be run or a content filter stopped it.
    """
    from proctor.convert import check_place
    from proctor.stages.record import RecordOptions, check_options, write_recording
    from proctor.traces.pi_fixture import said_hash

    check_place(out)
    prompt = said_hash(system_prompt, system_prompt_hash)
    options = RecordOptions(fixture_id, scenario, pi_version, prompt, None if no_mask else os.environ)
    check_options(options)
    said = _turns(turn or [], turns)
    done = write_recording(_record(agent, suite, said), out, options)
    if done.warnings:
        show_problems(done.warnings)
    for line in _told(done, out):
        say(line)


def _turns(given: list[str], file: Path | None) -> tuple[str, ...]:
    from proctor.stages.user_turns import read_user_turns, refuse_empty

    if given and file is not None:
        raise UsageError("the user turns were given twice", hint="give --turn or --turns, not both")
    if file is not None:
        return read_user_turns(file)
    refuse_empty(given, "--turn has" if given else "there is")
    return tuple(given)


def _record(agent: str | None, suite: Path | None, said: tuple[str, ...]) -> Recording:
    import asyncio

    from proctor.config import load_project
    from proctor.stages.record import record as play

    project = load_project(suite or Path.cwd())
    spec, limits = _agent(agent, suite, project)
    with results_alone():
        return asyncio.run(play(spec, project.root, said, limits))


def _agent(name: str | None, suite: Path | None, project: Project) -> tuple[AgentSpec, Limits]:
    """The one agent to record, and the time that it has."""
    from proctor.config import agent_block
    from proctor.overrides import Overrides
    from proctor.stages.merge import declared_agents, merge_limits
    from proctor.stages.target import Target, find_target

    declared = (find_target(suite, project) if suite else Target(project.root, [])).suite
    block = agent_block(name) if name is not None else None
    specs = declared_agents(declared, project, Overrides(agent=name if block is None else None), block)
    if not specs:
        raise UsageError("there is no agent to record", hint="name one with --agent, or a suite that declares it")
    if len(specs) > 1:
        names = listed([spec.name for spec in specs], 10)
        raise UsageError("a fixture is the recording of one agent", hint=f"pick one with --agent: {names}")
    return specs[0], merge_limits(declared, project)


def _told(done: Written, out: Path) -> Iterator[str]:
    built = done.built
    roles = ", ".join(f"{number:,} {role}" for role, number in built.turns.items())
    yield f"recorded {count(built.turns.total(), 'turn')}, wrote fixture {quote(done.fixture_id, 80)} to {out}"
    yield f"  turns: {roles}"
    calls = f"tool_called for {count(built.calls, 'call')} and " if built.calls else ""
    yield f"  proposed: {calls}trace_max_turns; keep the assertions that matter"
    if done.masked:
        yield f"  {done.masked}; --no-mask keeps them"
    yield f"next: proctor validate {out}"
