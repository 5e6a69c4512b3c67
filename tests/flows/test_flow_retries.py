"""A task is run again after an outage of the store or the disk, and after nothing else."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from proctor.errors import AgentSetupError, JudgeSetupError, SourceChanged, StoreError


class TestATask:
    @pytest.mark.parametrize(
        ("error", "again"),
        [
            (StoreError("locked"), True),
            (OSError("disk full"), True),
            (SourceChanged("changed"), False),
            (AgentSetupError("no module"), False),
            (JudgeSetupError("no key"), False),
            (ValueError("a bug"), False),
        ],
    )
    def test_is_run_again_after_an_outage_only(self, error: Exception, again: bool) -> None:
        from prefect.states import exception_to_failed_state

        from proctor_tasks.execute_runs import execute_runs

        state = asyncio.run(exception_to_failed_state(error))
        assert execute_runs.retry_condition_fn is not None
        assert execute_runs.retry_condition_fn(execute_runs, cast("Any", None), state) is again
