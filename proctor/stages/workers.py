"""Workers that share one queue, inside one event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

_Result = TypeVar("_Result")


async def run_workers(number: int, worker: Callable[[], Awaitable[_Result]]) -> list[_Result]:
    """Run a worker ``number`` times at once, and give what each returned.

    The first exception of a worker cancels the others and is raised as it is, not in a group.
    """

    async def work() -> _Result:
        return await worker()

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(work()) for _ in range(number)]
    except BaseExceptionGroup as group_error:
        raise _first(group_error) from None
    return [task.result() for task in tasks]


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    error = group.exceptions[0]
    return _first(error) if isinstance(error, BaseExceptionGroup) else error
