"""Task ``aggregate``: results become cases, gates and one decision."""

from __future__ import annotations

import asyncio
from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.states import Completed

from proctor.stages.aggregate import aggregate as aggregate_run
from proctor.stages.progress import Stage
from proctor.stages.run import Run
from proctor_tasks.retrying import RETRIES, RETRY_DELAY_S, is_outage


@task(
    name=Stage.AGGREGATE.value,
    cache_policy=NO_CACHE,
    persist_result=False,
    retries=RETRIES,
    retry_delay_seconds=RETRY_DELAY_S,
    retry_condition_fn=is_outage,
)
async def aggregate(run: Run) -> State[Any]:
    """Decide. The task completes whatever the decision is; the flow's state tells that."""
    summary = await asyncio.to_thread(aggregate_run, run)
    return Completed(message=f"{summary.decision}: {summary.reason}")
