"""Task ``execute-runs``: one chunk of trials becomes stored trajectories."""

from __future__ import annotations

from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.states import Completed

from proctor.stages.chunks import Chunk
from proctor.stages.execute import execute
from proctor.stages.progress import Stage
from proctor.stages.recorded.chunks import WholeSource
from proctor.stages.run import Run
from proctor_tasks.retrying import RETRIES, RETRY_DELAY_S, is_outage


@task(
    name=Stage.EXECUTE.value,
    cache_policy=NO_CACHE,
    persist_result=False,
    retries=RETRIES,
    retry_delay_seconds=RETRY_DELAY_S,
    retry_condition_fn=is_outage,
)
async def execute_runs(run: Run, chunk: Chunk | WholeSource) -> State[Any]:
    """Play what is missing of a chunk. A chunk that needed no agent ends in a state named ``Cached``."""
    report = await execute(run, chunk)
    return Completed(name="Cached" if report.wholly_cached else "Completed", message=str(report))
