"""Task ``validate``: a path and overrides become a plan. It is not retried: an invalid spec stays invalid."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from prefect import task
from prefect.cache_policies import NO_CACHE

from proctor.stages.progress import Stage
from proctor.stages.validate import Compiled


@task(name=Stage.VALIDATE.value, cache_policy=NO_CACHE, persist_result=False)
async def validate(compile_: Callable[[], Compiled]) -> Compiled:
    """Compile a spec. Raises SpecError or UsageError with everything that is wrong."""
    return await asyncio.to_thread(compile_)
