"""Task ``deterministic-score``: one chunk of trajectories becomes check results."""

from __future__ import annotations

import asyncio
from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.client.schemas.objects import State
from prefect.states import Completed

from proctor.stages.chunks import Chunk
from proctor.stages.deterministic import score
from proctor.stages.progress import Stage
from proctor.stages.recorded.chunks import RowChunk
from proctor.stages.run import Run
from proctor.wording import count
from proctor_tasks.retrying import RETRIES, RETRY_DELAY_S, is_outage


@task(
    name=Stage.SCORE.value,
    cache_policy=NO_CACHE,
    persist_result=False,
    retries=RETRIES,
    retry_delay_seconds=RETRY_DELAY_S,
    retry_condition_fn=is_outage,
)
async def deterministic_score(run: Run, chunk: Chunk | RowChunk) -> State[Any]:
    """Score a chunk by rule."""
    pending = await asyncio.to_thread(score, run, chunk)
    questions = f", {count(pending, 'question')} for judges" if pending else ""
    noun = "row" if isinstance(chunk, RowChunk) else "trial"
    return Completed(message=f"{count(len(chunk), noun)} scored{questions}")
