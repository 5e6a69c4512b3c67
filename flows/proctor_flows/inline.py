"""The six stages in this process, without Prefect: the same store, cache, files and exit codes."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from proctor.results import Summary
from proctor.stages.aggregate import aggregate
from proctor.stages.chunks import Chunk
from proctor.stages.deterministic import score
from proctor.stages.execute import execute
from proctor.stages.judge import judge
from proctor.stages.recorded.chunks import RowChunk, WholeSource
from proctor.stages.run import Run
from proctor.stages.validate import Compiled
from proctor_flows.pipeline import Finished, Request, compile_request, evaluate
from proctor_reports.run_report import report

if TYPE_CHECKING:
    from proctor.store import Store


class InlineStages:
    """Calls the stage functions directly; what blocks goes to a thread."""

    async def validate(self, request: Request, failed: frozenset[str]) -> Compiled:
        """Compile the spec."""
        return await asyncio.to_thread(compile_request, request, failed)

    async def execute(self, run: Run, chunk: Chunk | WholeSource) -> object:
        """Play a chunk."""
        return await execute(run, chunk)

    async def score(self, run: Run, chunk: Chunk | RowChunk) -> object:
        """Score a chunk by rule."""
        return await asyncio.to_thread(score, run, chunk)

    async def judge(self, run: Run, chunk: Chunk | RowChunk) -> object:
        """Ask judges about a chunk."""
        return await judge(run, chunk)

    async def aggregate(self, run: Run) -> Summary:
        """Decide."""
        return await asyncio.to_thread(aggregate, run)

    async def report(self, run: Run) -> Mapping[str, Path]:
        """Write the reports."""
        return await asyncio.to_thread(report, run)


async def evaluate_inline(request: Request, store: Store) -> Finished:
    """Evaluate without Prefect. Raises what `proctor_flows.pipeline.evaluate` raises."""
    return await evaluate(request, InlineStages(), store)
