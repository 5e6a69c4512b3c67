"""Jobs at once, inside one event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

_Result = TypeVar("_Result")


async def run_workers(number: int, worker: Callable[[], Awaitable[_Result]]) -> list[_Result]:
    """Run a worker ``number`` times at once, and give what each returned. Errors are those of `run_all`."""
    return await run_all(worker() for _ in range(number))


async def run_all(jobs: Iterable[Awaitable[_Result]]) -> list[_Result]:
    """Run jobs at once, and give what each returned.

    The first exception cancels the others, waits for them, and is raised as it is, not in a group: nothing is at work
    any more when the caller goes on.
    """

    async def work(job: Awaitable[_Result]) -> _Result:
        return await job

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(work(job)) for job in jobs]
    except BaseExceptionGroup as group_error:
        raise _first(group_error) from None
    return [task.result() for task in tasks]


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    error = group.exceptions[0]
    return _first(error) if isinstance(error, BaseExceptionGroup) else error
