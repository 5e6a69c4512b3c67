"""``run``: evaluate a spec, print the summary, and end with the exit code of its decision."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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
from proctor.cli.output import OutputFormat, print_json, say, show_problems, speaks_unicode, wants_color, width
from proctor.cli.streams import emit, results_alone
from proctor.errors import EngineError, UsageError

if TYPE_CHECKING:
    from proctor_flows.pipeline import Finished, Request
    from proctor_flows.server import Engine

EXAMPLE = "Example: proctor run specs/booking/booking.suite.yaml --engine inline"

EngineName = Annotated[
    str | None, typer.Option("--engine", help="prefect or inline; inline runs the same stages without Prefect.")
]


def run(
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
    accept: Annotated[
        bool, typer.Option("--accept", help="Make the run the next baseline, if it has a verdict and did not regress.")
    ] = False,
    new: Annotated[bool, typer.Option("--new", help="Start a new run, even if an unfinished one could go on.")] = False,
    engine: EngineName = None,
    no_gate: Annotated[bool, typer.Option("--no-gate", help="End with 0 although a gate is not met.")] = False,
    output: Format = OutputFormat.TEXT,
) -> None:
    """Evaluate a spec: validate, execute, score, judge, aggregate, report.

    Exit codes: 0 gates met, 1 a gate failed, 2 invalid spec or usage, 3 could not evaluate, 130 interrupted.
    """
    from proctor.config import load_project
    from proctor_flows.pipeline import Request, compile_request

    project = load_project(path or Path.cwd())
    overrides, block = overrides_and_agent(select, tag, failed, runs, agent, judge, refresh, baseline, replay)
    engine_name = engine or project.settings.engine or "prefect"
    if engine_name not in ("prefect", "inline"):
        raise UsageError(f"there is no engine {engine_name!r}", hint="known: prefect, inline")
    request = Request(path, project, overrides, agent=block, fresh=new)
    if not failed:  # an invalid spec is told at once, before a server is started
        request.compiled = compile_request(request, frozenset())
        if request.compiled.plan.warnings:
            show_problems(request.compiled.plan.warnings)
    with results_alone():
        finished = _evaluate(request, engine_name)
    _print(finished, output)
    if accept:
        _accept(request, finished)
    code = finished.results.summary.exit_code
    raise typer.Exit(0 if no_gate and code == 1 else code)


def _accept(request: Request, finished: Finished) -> None:
    from proctor.stages.history import accept_unless_worse
    from proctor_flows.pipeline import open_project_store

    with open_project_store(request.project) as store:
        refused = accept_unless_worse(store, finished.results.summary)
    run_id = finished.results.summary.run_id
    say(f"not accepted as a baseline: {refused}" if refused else f"accepted {run_id} as the baseline", err=True)


def _evaluate(request: Request, engine_name: str) -> Finished:
    from proctor.cli.progress import watch

    if engine_name == "inline":
        with watch(request.progress):
            return _evaluate_inline(request)
    from proctor_flows.server import choose_engine
    from proctor_flows.settings import quiet_client

    os.environ.setdefault("PREFECT_LOGGING_HANDLERS_CONSOLE_LEVEL", "CRITICAL")
    os.environ.setdefault("PREFECT_INTERNAL_LOGGING_LEVEL", "CRITICAL")
    quiet_client()
    engine = choose_engine(request.project.root)
    if engine.message:
        say(engine.message, err=True)
    with watch(request.progress):
        return _evaluate_with_prefect(request, engine)


def _evaluate_inline(request: Request) -> Finished:
    import asyncio

    from proctor_flows.inline import evaluate_inline
    from proctor_flows.pipeline import open_project_store

    with open_project_store(request.project) as store:
        return asyncio.run(evaluate_inline(request, store))


def _evaluate_with_prefect(request: Request, engine: Engine) -> Finished:
    import asyncio

    from proctor_flows.compile import FlowResult, compile_spec

    request.engine = f"prefect ({engine.kind})"
    result = FlowResult()
    try:
        with engine.activate():
            flow = compile_spec(request.path, request=request, result=result)
            state = asyncio.run(flow(request.overrides, return_state=True))
    except EngineError as error:
        if result.finished is None:
            raise
        say(f"warning: {error.message}; its record of the run is incomplete, the results here are not", err=True)
        return result.finished
    if result.error is not None:
        raise result.error
    if result.finished is None:
        raise EngineError(f"the flow run ended in {state.name}: {state.message}", hint="start the run again to go on")
    return result.finished


def _print(finished: Finished, output: OutputFormat) -> None:
    if output is OutputFormat.JSON:
        from proctor_reports.json_report import summary_json

        reports = {kind: str(path) for kind, path in finished.reports.items()}
        print_json({**summary_json(finished.results.summary), "resumed": finished.resumed, "reports": reports})
        return
    from proctor_reports.terminal import render_terminal

    if finished.resumed:
        say(f"went on with run {finished.results.summary.run_id}", err=True)
    text = render_terminal(
        finished.results, color=wants_color(), width=width(), unicode=speaks_unicode(), paths=finished.reports
    )
    emit(text)
