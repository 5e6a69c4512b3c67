"""``capture``: let an agent answer the inputs of a data set, and write its answers as rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from proctor.cli.options import AgentName, Format, Refresh, Runs, Select, Tag, overrides_and_agent
from proctor.cli.output import OutputFormat, print_json, say, show_problems
from proctor.cli.streams import results_alone
from proctor.wording import count, share

if TYPE_CHECKING:
    from proctor.config import Project
    from proctor.stages.recorded.capture import Captured
    from proctor.stages.validate import Compiled

EXAMPLE: Final = "Example: proctor capture specs/assevra/answers.suite.yaml --out captured.jsonl"


def capture(
    dataset: Annotated[Path, typer.Argument(help="A data set whose rows have an input, or a suite that binds one.")],
    out: Annotated[Path, typer.Option("--out", help="The new file for the rows, such as rows.jsonl.")],
    select: Select = None,
    tag: Tag = None,
    runs: Runs = None,
    agent: AgentName = None,
    refresh: Refresh = False,
    new: Annotated[bool, typer.Option("--new", help="Start a new run, even if an unfinished one could go on.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it is there.")] = False,
    output: Format = OutputFormat.TEXT,
) -> None:
    """Record an agent's answers to the inputs of a data set, ready to be scored. Nothing is evaluated.

    Exit codes: 0 every answer is there, 2 cannot start, 3 the agent could not be run for some rows, which say so.
    """
    from proctor.config import load_project
    from proctor.stages.recorded.capture import capture_plan

    project = load_project(dataset)
    overrides, block = overrides_and_agent(select, tag, False, runs, agent, None, refresh, None)
    compiled = capture_plan(dataset, project, overrides, block)
    if compiled.plan.warnings:
        show_problems(compiled.plan.warnings)
    done = _capture(project, compiled, out, force=force, new=new)
    if output is OutputFormat.JSON:
        print_json({**asdict(done), "out": str(out), "agent": compiled.plan.agents[0].name})
    else:
        for line in _lines(compiled, done, out):
            say(line)
    if done.errored:
        _show_errors(done)
        raise typer.Exit(3)


def _capture(project: Project, compiled: Compiled, out: Path, *, force: bool, new: bool) -> Captured:
    import asyncio

    from proctor.cli.progress import watch
    from proctor.stages.progress import Progress
    from proctor.stages.recorded.capture import capture as record
    from proctor_flows.pipeline import open_project_store

    progress = Progress()
    with results_alone(), watch(progress), open_project_store(project) as store:
        return asyncio.run(record(compiled, store, out, force=force, fresh=new, progress=progress))


def _lines(compiled: Compiled, done: Captured, out: Path) -> Iterator[str]:
    plan = compiled.plan
    if done.resumed:
        yield f"went on with run {done.run_id}"
    asked = f"{count(plan.cases, 'question')} to the agent {plan.agents[0].name}"
    yield f"wrote {count(done.rows, 'row')} to {out}: {asked}"
    parts = [(done.played, "played"), (done.cached, "from the cache"), (done.stored, "stored before")]
    yield "answers: " + ", ".join(f"{number:,} {what}" for number, what in parts if number)
    if done.refused:
        yield f"{count(done.refused, 'answer')} stopped by a content filter: empty, with the reason in _capture_refused"
    yield f"next: proctor run {out}"


def _show_errors(done: Captured) -> None:
    say(f"error: the agent could not be run in {share(done.errored, done.rows, 'trial')}", err=True)
    say("  hint: _capture_error in those rows says why, and a release refuses them; start again with --force", err=True)
