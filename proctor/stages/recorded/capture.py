"""An agent answers the questions of a data set, and its answers become rows.

It is execute-runs alone, on cases that are rows (`proctor.stages.recorded.row_cases`): with the same answer cache, the
same lock, and going on after a kill. The run is stored under a slug of its own, ``capture-<slug>``, and evaluates
nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from proctor.config import AgentBlock, Project
from proctor.dataset import DatasetSettings
from proctor.errors import StoreError, UsageError
from proctor.formats import format_of, has_rows
from proctor.formats.assevra.seen_ids import SeenIds
from proctor.overrides import Overrides
from proctor.plan import CAPTURE, JudgeSettings, Plan
from proctor.stages.dataset_choice import choose_dataset
from proctor.stages.execute import ChunkReport, execute
from proctor.stages.merge import merge_defaults, merge_plan
from proctor.stages.progress import Progress, Stage
from proctor.stages.reading import Reading, scan_source
from proctor.stages.recorded.captured_rows import taken, write_rows
from proctor.stages.recorded.row_cases import check_question, input_problems, read_row_cases, row_cases
from proctor.stages.run import Given, Run, open_run
from proctor.stages.selection import RowFilter, row_filter, select
from proctor.stages.target import find_target
from proctor.stages.validate import MOST_TRIALS, Compiled
from proctor.stages.workers import run_all
from proctor.store import RunStatus
from proctor.trajectory import Ending

if TYPE_CHECKING:
    from proctor.store import Store


@dataclass(frozen=True, slots=True)
class Captured:
    """A finished capture: its rows by how their trials ended, and where their answers come from."""

    run_id: str
    rows: int
    errored: int
    refused: int
    played: int
    cached: int
    stored: int
    resumed: bool


def capture_plan(path: Path, project: Project, overrides: Overrides, agent: AgentBlock | None = None) -> Compiled:
    """Compile the questions of a data set, or of all that a suite binds. Nobody is asked here.

    Raises:
        SpecError: with every problem of every file.
        UsageError: there is no data set, no row, or not one agent.
    """
    target = find_target(path, project)
    files = [file for file in target.files if has_rows(format_of(file))]
    if not files:
        raise UsageError(f"{path} has no recorded rows to ask again", hint="name a data set, or a suite that binds one")
    choice = choose_dataset(target, project, overrides)
    runs = overrides.runs or merge_defaults(target.suite, project).runs
    wanted = row_filter(overrides)
    found = Reading(problems=[*target.problems, *choice.problems])
    ids = SeenIds()
    for file in files:
        _read(file, project, replace(choice.settings, strict=False), ids, wanted, runs, found)
    found.refuse_errors()
    sources, selection = select(tuple(found.sources), overrides)
    plan = merge_plan(target, project, overrides, agent, sources, selection, tuple(found.problems), choice)
    plan = replace(
        plan,
        slug=f"{CAPTURE}-{plan.slug}",
        purpose=CAPTURE,
        judge=JudgeSettings(),
        gates=(),
        checks=(),
        dataset=None,
    )
    _refuse(plan)
    return Compiled(plan, {}, read_cases=read_row_cases)


async def capture(
    compiled: Compiled,
    store: Store,
    out: Path,
    *,
    force: bool = False,
    fresh: bool = False,
    given: Given | None = None,
    progress: Progress | None = None,
) -> Captured:
    """Play what is missing, and write all answers to ``out``.

    ``force`` replaces a file that is there; ``fresh`` starts a new run although an unfinished one could go on.

    Raises:
        UsageError: the file cannot be written.
        CouldNotEvaluate: the agent cannot be built, or the run stopped before its end; it can be resumed.
    """
    _refuse_place(compiled.plan, out, force=force)
    run = await asyncio.to_thread(lambda: open_run(compiled, store, given=given, fresh=fresh, progress=progress))
    try:
        reports = await _play(run)
        endings = await asyncio.to_thread(write_rows, run, out, replace=force)
        store.end_run(run.id, RunStatus.FINISHED)
    except BaseException:
        with suppress(StoreError):  # the error at hand is the one to tell
            store.end_run(run.id, RunStatus.INTERRUPTED)
        raise
    finally:
        run.release()
    return Captured(
        run_id=run.id,
        rows=endings.total(),
        errored=endings[Ending.ERRORED],
        refused=endings[Ending.REFUSED],
        played=sum(report.played for report in reports),
        cached=sum(report.cached for report in reports),
        stored=sum(report.stored for report in reports),
        resumed=run.resumed,
    )


async def _play(run: Run) -> Sequence[ChunkReport]:
    async with run:
        run.progress.expect(Stage.EXECUTE, run.plan.trials)
        return await run_all(execute(run, chunk) for chunk in run.execute_chunks())


def _read(
    file: Path,
    project: Project,
    settings: DatasetSettings,
    ids: SeenIds,
    wanted: RowFilter | None,
    runs: int,
    found: Reading,
) -> None:
    """Add the questions of a file, and its problems. That a row could not be captured before is none."""
    source, problems = scan_source(file, project.root, settings, ids, check=check_question)
    found.problems += [problem for problem in problems if problem.code != "capture_error"]
    if source.digest:
        found.problems += input_problems(source, wanted)
        outlines = tuple(case.outline for case in row_cases(source, runs))
        found.sources.append(replace(source, spans=(), cases=outlines))


def _refuse(plan: Plan) -> None:
    if not plan.cases:
        raise UsageError(
            f"no row to ask: {plan.selection} selects none" if plan.selection else "no row to ask: there is none",
            hint="proctor validate shows the rows of a data set",
        )
    if len(plan.agents) > 1:
        names = ", ".join(agent.name for agent in plan.agents)
        raise UsageError("a captured file holds the answers of one agent", hint=f"pick one with --agent: {names}")
    if plan.trials > MOST_TRIALS:
        raise UsageError(
            f"there are {plan.trials:,} answers to capture; a run has at most {MOST_TRIALS:,}",
            hint="lower runs, or capture a part with --select",
        )


def _refuse_place(plan: Plan, out: Path, *, force: bool) -> None:
    """Raise UsageError before the agent is asked, if the file could not be written afterwards."""
    if any(out.exists() and out.samefile(source.path) for source in plan.sources):
        raise UsageError(f"{out} holds the questions themselves", hint="name another file with --out")
    if out.exists() and not (force and out.is_file()):
        raise taken(out)
    if not out.parent.is_dir():
        raise UsageError(f"the folder of {out} is not there", hint=f"make it: mkdir -p {out.parent}")
