"""Awaits foreign code, and sorts what it raises: nothing that an agent does may end the run of the others."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from typing import TypeVar

from proctor.agents.base import AgentOutage
from proctor.errors import ProctorError, TrialError
from proctor.excerpt import mark_controls, shorten

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
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:
        task = asyncio.current_task()
        if isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling():
            raise
        raise TrialError(
            f"the agent {name} ended with {said(error)}", hint="an agent must not exit, skip or cancel itself"
        ) from error


def _classified(error: Exception) -> Exception:
    if "pydantic_ai.exceptions" not in sys.modules:
        return error
    from proctor.agents.model_errors import classify

    return classify(error)


def said(error: BaseException) -> str:
    """Name an exception with what it says: short, safe to show, and also when its ``__str__`` fails."""
    try:
        text = shorten(mark_controls(str(error)), 300)
    except Exception:
        text = "(the exception cannot be shown)"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
