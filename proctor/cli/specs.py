"""``validate``, ``plan`` and ``schema``: what specs say, without running them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from proctor.cli.options import (
    AgentName,
    Baseline,
    Failed,
    Format,
    JudgeModel,
    Refresh,
    Replay,
    Runs,
    Select,
    SpecPath,
    Tag,
    overrides_and_agent,
)
from proctor.cli.output import OutputFormat, print_json, problem_json, say, show_problems
from proctor.errors import Severity, SpecError, UsageError
from proctor.wording import count

VALIDATE_EXAMPLE = "Example: proctor validate specs/"
PLAN_EXAMPLE = "Example: proctor plan specs/booking/booking.suite.yaml"
SCHEMA_EXAMPLE = "Example: proctor schema suite"


def validate(
    paths: Annotated[list[Path] | None, typer.Argument(help="Suite files, spec files or folders.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Refuse recorded rows that a release would refuse.")] = False,
    output: Format = OutputFormat.TEXT,
) -> None:
    """Check spec files: every problem of every file, with its line and what to do. Runs nothing."""
    from proctor.config import load_project
    from proctor.stages.validate import check_files

    project = load_project(paths[0] if paths else Path.cwd())
    files, problems = check_files(paths or [None], project, strict=strict)
    invalid = any(problem.severity is Severity.ERROR for problem in problems)
    if output is OutputFormat.JSON:
        print_json({"valid": not invalid, "files": files, "problems": [problem_json(problem) for problem in problems]})
    elif problems:
        show_problems(SpecError(problems).problems)
    if not invalid and output is OutputFormat.TEXT:
        say(f"{count(files, 'file')} valid")
    raise typer.Exit(2 if invalid else 0)


def plan(
    path: SpecPath = None,
    select: Select = None,
    tag: Tag = None,
    failed: Failed = False,
    runs: Runs = None,
    agent: AgentName = None,
    judge: JudgeModel = None,
    refresh: Refresh = False,
    replay: Replay = None,
    baseline: Baseline = None,
    output: Format = OutputFormat.TEXT,
) -> None:
    """Show the flow that a spec compiles to: tasks, trials, what the cache holds, judge calls. Runs nothing."""
    from proctor.config import load_project
    from proctor.stages.forecast import forecast
    from proctor.stages.history import not_passed
    from proctor.stages.target import spec_slug
    from proctor.stages.validate import compile_plan
    from proctor_flows.pipeline import open_project_store

    project = load_project(path or Path.cwd())
    overrides, block = overrides_and_agent(select, tag, failed, runs, agent, judge, refresh, baseline, replay)
    with open_project_store(project) as store:
        earlier = not_passed(store, spec_slug(path or project.root)) if failed else None
        compiled = compile_plan(path, project, overrides, agent=block, not_passed=earlier)
        found = forecast(compiled, store)
    if compiled.plan.warnings:
        show_problems(compiled.plan.warnings)
    if output is OutputFormat.JSON:
        print_json(found.to_json())
        return
    for line in found.lines():
        say(line)


def schema(
    name: Annotated[str, typer.Argument(help="transcript, assevra, pi, suite, report, scorecard, or agent.")],
) -> None:
    """Print the JSON Schema of a file: of a format, of suites, of the JSON reports, of the agent contract."""
    print_json(_schema(name))


def _schema(name: str) -> dict[str, Any]:
    from proctor.cli.schemas import SCHEMAS, read_schema

    if name not in SCHEMAS:
        raise UsageError(f"there is no schema {name!r}", hint=f"known: {', '.join(sorted(SCHEMAS))}")
    return read_schema(name)
