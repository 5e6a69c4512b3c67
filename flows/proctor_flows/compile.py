"""A spec as a Prefect flow named ``eval-<slug>``.

The flow has one signature, ``(overrides, pull_request)``, whatever the spec is. Its end state says what its exit code
says: Completed, Failed (a gate is not met), or Crashed (could not evaluate), each with a clear name and message.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from prefect import Flow, Task
from prefect.client.schemas.objects import State
from prefect.states import Completed, Crashed, Failed
from prefect.utilities.annotations import quote

from proctor.config import load_project
from proctor.errors import ProctorError
from proctor.overrides import Overrides, PullRequest
from proctor.real_path import real_path
from proctor.results import Decision, Summary
from proctor.stages.chunks import Chunk
from proctor.stages.recorded.chunks import RowChunk, WholeSource
from proctor.stages.run import Run
from proctor.stages.target import spec_slug
from proctor.stages.validate import Compiled
from proctor_flows.pipeline import Finished, Request, compile_request, describe, evaluate, open_project_store
from proctor_tasks.aggregate import aggregate
from proctor_tasks.deterministic_score import deterministic_score
from proctor_tasks.execute_runs import execute_runs
from proctor_tasks.judge_score import judge_score
from proctor_tasks.report import report
from proctor_tasks.validate import validate

NO_OVERRIDES = Overrides()

EvalFlow = Flow[..., Coroutine[Any, Any, State[Any]]]


class PrefectStages:
    """Runs each stage, or chunk of one, as a task. A run is passed quoted: Prefect must not look into it."""

    async def validate(self, request: Request, failed: frozenset[str]) -> Compiled:
        """Compile the spec."""
        state = await _result(validate, functools.partial(compile_request, request, failed))
        return cast("Compiled", await state.result())

    async def execute(self, run: Run, chunk: Chunk | WholeSource) -> object:
        """Play a chunk."""
        return await _result(execute_runs, run, chunk)

    async def score(self, run: Run, chunk: Chunk | RowChunk) -> object:
        """Score a chunk by rule."""
        return await _result(deterministic_score, run, chunk)

    async def judge(self, run: Run, chunk: Chunk | RowChunk) -> object:
        """Ask judges about a chunk."""
        return await _result(judge_score, run, chunk)

    async def aggregate(self, run: Run) -> Summary:
        """Decide."""
        await _result(aggregate, run)
        return run.store.summary(run.id)

    async def report(self, run: Run) -> Mapping[str, Path]:
        """Write reports and artifacts."""
        await _result(report, run)
        return {file.kind: Path(file.path) for file in run.store.reports(run.id)}


@dataclass(slots=True)
class FlowResult:
    """What a flow that was called in this process left for its caller: a finished run, or why there is none."""

    finished: Finished | None = None
    error: BaseException | None = None


def compile_spec(
    path: Path | str | None, *, request: Request | None = None, result: FlowResult | None = None
) -> EvalFlow:
    """Make the flow of a spec: a suite file, one spec file, or a folder.

    ``request`` holds what a caller in this process adds to the flow's parameters, ``result`` receives what came of it.
    The spec is read when the flow runs.
    """
    target = None if path is None else real_path(Path(path))
    project = request.project if request else load_project(target or Path.cwd())
    slug = spec_slug(target or project.root)
    wanted = request or Request(target, project, engine="prefect")

    async def run_spec(
        overrides: Overrides = NO_OVERRIDES,
        pull_request: PullRequest | None = None,
    ) -> State[Any]:
        return await _run(replace(wanted, overrides=overrides, pull_request=pull_request), result or FlowResult())

    return named_flow(run_spec, slug, f"Evaluates {target.name if target else project.root.name} with Proctor.")


def named_flow(function: Callable[..., Coroutine[Any, Any, State[Any]]], slug: str, description: str) -> EvalFlow:
    """A flow named ``eval-<slug>``, whose entry point is ``eval_<slug>``."""
    function.__name__ = f"eval_{slug.replace('-', '_')}"
    return Flow(function, name=f"eval-{slug}", description=description, persist_result=False)


async def _run(request: Request, result: FlowResult) -> State[Any]:
    try:
        with open_project_store(request.project) as store:
            result.finished = await evaluate(request, PrefectStages(), store)
            return end_state(result.finished.results.summary)
    except ProctorError as error:
        result.error = error
        if error.exit_code == 2:
            return Failed(name="Invalid spec", message=describe(error))
        return Crashed(name="Could not evaluate", message=describe(error))


def end_state(summary: Summary) -> State[Any]:
    """The state that a flow run ends in."""
    message = f"{summary.reason} (run {summary.run_id})"
    if summary.decision is Decision.PASSED:
        return Completed(message=message)
    if summary.decision is Decision.FAILED:
        return Failed(name="Gate not met", message=message)
    return Crashed(name="Could not evaluate", message=message)


async def _result(task: Task[..., Any], *arguments: object) -> State[Any]:
    """Run a task with quoted arguments, and give its state; a failed one raises what the task raised."""
    state: State[Any] = await task(*map(quote, arguments), return_state=True)
    if state.is_completed():
        return state
    error = getattr(state.data, "result", state.data)
    raise error if isinstance(error, BaseException) else RuntimeError(state.message or state.name)
