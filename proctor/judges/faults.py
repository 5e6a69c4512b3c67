"""What an exception of a judge call means: why there is no verdict, and whether to try again.

This module imports pydantic-ai; `proctor.judges` imports it only inside functions.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from pydantic_ai.exceptions import (
    ContentFilterError,
    FallbackExceptionGroup,
    ModelAPIError,
    ModelAuthenticationError,
    ModelHTTPError,
    ModelQuotaExceededError,
    ModelRequestRejectedError,
    UnexpectedModelBehavior,
    UsageLimitExceeded,
    UserError,
)

from proctor.judges.causes import Cause


class Again(Enum):
    """Whether another attempt makes sense: not at all, one fresh one, or as many as the settings allow."""

    NEVER = 0
    ONCE = 1
    ALWAYS = 2


@dataclass(frozen=True, slots=True)
class Fault:
    """An exception, classified. ``pause_s`` is how long the provider asked everybody to wait."""

    cause: Cause
    again: Again
    text: str
    pause_s: float | None = None


# The first match counts, so a subclass stands above its base. What is not in the table is taken for an outage:
# broken bodies surface as IndexError or TypeError of the SDK, and the next call may be fine.
_TABLE: tuple[tuple[type[Exception] | tuple[type[Exception], ...], Cause, Again], ...] = (
    (ContentFilterError, Cause.REFUSED, Again.NEVER),
    (UnexpectedModelBehavior, Cause.MALFORMED, Again.ONCE),
    (ModelQuotaExceededError, Cause.QUOTA, Again.NEVER),
    (ModelAuthenticationError, Cause.AUTH, Again.NEVER),
    ((ModelRequestRejectedError, UsageLimitExceeded), Cause.REJECTED, Again.NEVER),
    (TimeoutError, Cause.TIMEOUT, Again.ALWAYS),
    ((UserError, ImportError), Cause.SETUP, Again.NEVER),
)


def classify(error: Exception) -> Fault:
    """Classify what a judge call raised."""
    if isinstance(error, FallbackExceptionGroup):
        faults = [classify(member) for member in error.exceptions]
        return max(faults, key=lambda fault: fault.again.value)
    cause, again = _row(error)
    pause_s = error.retry_after if isinstance(error, ModelAPIError) else None
    return Fault(cause, again, _text(error), pause_s)


def _row(error: Exception) -> tuple[Cause, Again]:
    for types, cause, again in _TABLE:
        if isinstance(error, types):
            return cause, again
    if isinstance(error, RuntimeError) and "event loop" in str(error):
        return Cause.SETUP, Again.NEVER
    if type(error) is ModelHTTPError and _is_final(error.status_code):
        return Cause.REJECTED, Again.NEVER
    return Cause.UNAVAILABLE, Again.ALWAYS


def _is_final(status: int) -> bool:
    """A status that pydantic-ai has no category for: 408 and 409 pass by, other client errors stay."""
    return 400 <= status < 500 and status not in (408, 409)


def _text(error: Exception) -> str:
    # str() of pydantic-ai's errors may append the whole response; their message does not.
    message = getattr(error, "message", None) or str(error)
    name = type(error).__name__.lstrip("_")
    wrong = f": {error.__cause__}" if isinstance(error, UnexpectedModelBehavior) and error.__cause__ else ""
    return f"{name}: {message}{wrong}" if message else name
