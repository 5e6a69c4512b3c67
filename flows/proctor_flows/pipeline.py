"""The order of the six stages, the same with Prefect and without.

1. validate; 2. execute-runs, all chunks at once; 3. deterministic-score; 4. judge-score; 5. aggregate; 6. report.
The next stage begins when every chunk of the last one is done. Results, gates and reports are on disk when `evaluate`
returns. A run that is interrupted keeps what it has and can be resumed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from proctor.config import AgentBlock, Project
from proctor.dimension_scores import RowLine
from proctor.errors import ProctorError, StoreError
from proctor.overrides import Overrides, PullRequest
from proctor.results import CaseDetail, RunResults, Summary
from proctor.stages.chunks import Chunk
from proctor.stages.history import not_passed
from proctor.stages.progress import Progress, Stage
from proctor.stages.recorded.chunks import RowChunk, WholeSource
from proctor.stages.run import Given, Run, open_run
from proctor.stages.target import spec_slug
from proctor.stages.validate import Compiled, compile_plan
from proctor.stages.workers import run_all
from proctor.store import RunStatus, open_store

if TYPE_CHECKING:
    from proctor.store import Store


@dataclass(slots=True)
class Request:
    """What a caller wants evaluated, and how it watches.

    ``path`` None means the project's own transcript folders. ``agent`` replaces the declared agents, ``given`` holds
    Python objects of the API. ``fresh`` starts a new run even if an unfinished one could be resumed. ``compiled`` is
    what the caller has compiled already.
    """

    path: Path | None
    project: Project
    overrides: Overrides = field(default_factory=Overrides)
    agent: AgentBlock | None = None
    given: Given = field(default_factory=Given)
    fresh: bool = False
    engine: str = "inline"
    progress: Progress = field(default_factory=Progress)
    pull_request: PullRequest | None = None
    compiled: Compiled | None = None


@dataclass(frozen=True, slots=True)
class Finished:
    """A run that reached its end: its results, which stream from the store, and its reports by format."""

    results: RunResults
    reports: Mapping[str, Path]
    resumed: bool = False


class Stages(Protocol):
    """The six stages as somebody runs them: directly, or as Prefect tasks."""

    async def validate(self, request: Request, failed: frozenset[str]) -> Compiled:
        """Compile the spec; ``failed`` holds the cases that ``--failed`` means."""
        ...

    async def execute(self, run: Run, chunk: Chunk | WholeSource) -> object:
        """Play a chunk of trials, or verify a recorded file."""
        ...

    async def score(self, run: Run, chunk: Chunk | RowChunk) -> object:
        """Score a chunk by rule."""
        ...

    async def judge(self, run: Run, chunk: Chunk | RowChunk) -> object:
        """Ask judges about a chunk; the empty chunk asks nothing."""
        ...

    async def aggregate(self, run: Run) -> Summary:
        """Decide, and store the summary."""
        ...

    async def report(self, run: Run) -> Mapping[str, Path]:
        """Write the reports, and give their paths by format."""
        ...


async def evaluate(request: Request, stages: Stages, store: Store) -> Finished:
    """Run the six stages.

    Raises:
        SpecError: the spec is invalid; nothing ran.
        UsageError: a flag or a setting cannot be used; nothing ran.
        CouldNotEvaluate: the run stopped before its end; it can be resumed.
    """
    failed = frozenset(
        not_passed(store, spec_slug(request.path or request.project.root)) if request.overrides.failed else ()
    )
    compiled = await stages.validate(request, failed)
    facts = {} if request.pull_request is None else {"pull_request": request.pull_request.model_dump()}
    run = await asyncio.to_thread(
        lambda: open_run(
            compiled,
            store,
            given=request.given,
            fresh=request.fresh,
            engine=request.engine,
            progress=request.progress,
            facts=facts,
        )
    )
    try:
        reports = await _finish(run, stages)
        return Finished(stored_results(request.project, store.summary(run.id)), reports, run.resumed)
    except BaseException:
        with suppress(StoreError):  # the error at hand is the one to tell
            store.end_run(run.id, RunStatus.INTERRUPTED)
        raise
    finally:
        run.release()


async def _finish(run: Run, stages: Stages) -> Mapping[str, Path]:
    trials = run.plan.trials
    async with run:
        run.progress.expect(Stage.EXECUTE, trials)
        await run_all(stages.execute(run, chunk) for chunk in run.execute_chunks())
        run.progress.expect(Stage.SCORE, trials)
        await run_all(stages.score(run, chunk) for chunk in run.scoring_chunks())
        judged = run.judged_chunks()
        run.progress.expect(Stage.JUDGE, sum(map(len, judged)))
        await run_all(stages.judge(run, chunk) for chunk in judged or [()])
    await stages.aggregate(run)
    reports = await stages.report(run)
    run.store.end_run(run.id, RunStatus.FINISHED)
    return reports


def compile_request(request: Request, failed: frozenset[str]) -> Compiled:
    """Compile what was requested, unless the caller has done it."""
    if request.compiled is not None:
        return request.compiled
    return compile_plan(
        request.path,
        request.project,
        request.overrides,
        agent=request.agent,
        not_passed=failed,
        has_judge=request.given.judge is not None,
    )


def stored_results(project: Project, summary: Summary) -> RunResults:
    """The results of a finished run, for callers that outlive its store: each reading opens the store anew."""

    def cases() -> Iterator[CaseDetail]:
        with open_project_store(project) as store:
            yield from store.results(summary.run_id).cases()

    def rows() -> Iterator[RowLine]:
        with open_project_store(project) as store:
            yield from store.results(summary.run_id).rows()

    return RunResults(summary, cases, rows)


def open_project_store(project: Project) -> Store:
    """The store of a project: `proctor.store.open_store` with its settings."""
    return open_store(project.settings.store, project.root)


def describe(error: BaseException) -> str:
    """One line for the state of a flow run."""
    text = error.message if isinstance(error, ProctorError) else f"{type(error).__name__}: {error}"
    return text.splitlines()[0] if text else type(error).__name__
