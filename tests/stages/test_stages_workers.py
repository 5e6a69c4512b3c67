"""Jobs at once: results in order, and one error that leaves nothing at work."""

from __future__ import annotations

import asyncio

import pytest

from proctor.errors import StoreError
from proctor.stages.workers import run_all, run_workers


class TestRunAll:
    def test_results_come_in_the_order_of_the_jobs(self) -> None:
        async def job(number: int) -> int:
            await asyncio.sleep(0.001 * (3 - number))
            return number

        assert asyncio.run(run_all(job(number) for number in range(3))) == [0, 1, 2]
        assert asyncio.run(run_all([])) == []

    def test_the_first_error_is_raised_itself_when_all_others_have_stopped(self) -> None:
        stopped: list[str] = []

        async def endless() -> None:
            try:
                await asyncio.Event().wait()
            finally:
                stopped.append("endless")

        async def broken() -> None:
            await asyncio.sleep(0)
            raise StoreError("the disk is full")

        with pytest.raises(StoreError, match="the disk is full"):
            asyncio.run(run_all([endless(), broken(), endless()]))
        assert stopped == ["endless", "endless"]

    def test_an_error_of_nested_workers_is_not_in_a_group(self) -> None:
        async def broken() -> None:
            raise StoreError("no")

        with pytest.raises(StoreError):
            asyncio.run(run_all([run_workers(2, broken), run_workers(2, broken)]))
