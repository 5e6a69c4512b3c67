"""Awaits foreign code, and sorts what it raises: nothing that an agent does may end the run of the others."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import TypeVar

from proctor.agents.base import AgentOutage
from proctor.errors import ProctorError, TrialError
from proctor.excerpt import said

T = TypeVar("T")


async def guarded(name: str, call: Callable[[], Awaitable[T]]) -> T:
    """Await foreign code, and classify what it raises.

    Errors of ours and of the agent itself pass. Lost connections, time-outs of the agent's own and errors of the model
    provider become outages or refusals. What would end the whole run, such as SystemExit, becomes a TrialError.
    """
    try:
        return await call()
    except ProctorError:
        raise
    except (ConnectionError, TimeoutError) as error:
        raise AgentOutage(
            f"the agent {name} ran into {said(error)}", hint="check the network and the services that the agent uses"
        ) from error
    except Exception as error:
        classified = _classified(error)
        if classified is error:
            raise
        raise classified from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        if isinstance(error, asyncio.CancelledError) and is_cancelled():
            raise
        raise TrialError(
            f"the agent {name} ended with {said(error)}", hint="an agent must not exit, skip or cancel itself"
        ) from error


def is_cancelled() -> bool:
    """Whether the running task is asked to stop; an agent may also raise CancelledError by itself."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _classified(error: Exception) -> Exception:
    if "pydantic_ai.exceptions" not in sys.modules:
        return error
    from proctor.agents.model_errors import classify

    return classify(error)
