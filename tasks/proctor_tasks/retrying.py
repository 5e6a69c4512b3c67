"""When Prefect runs a task again: after an outage of the store or the disk, not after a mistake.

Calls of agents and judges are retried inside, where Retry-After can be honoured. A chunk that runs again only does what
is not stored yet.
"""

from __future__ import annotations

from typing import Any, Final

from prefect import Task
from prefect.client.schemas.objects import State, TaskRun

from proctor.errors import StoreError

RETRIES: Final = 1
RETRY_DELAY_S: Final = 2.0


def is_outage(_task: Task[..., Any], _run: TaskRun, state: State[Any]) -> bool:
    """Whether a task failed because something was not there for a moment."""
    error = getattr(state.data, "result", state.data)
    return isinstance(error, StoreError | OSError)
