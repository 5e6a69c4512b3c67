"""Errors of model providers, as pydantic-ai raises them, in our words: outages, refusals, and the rest.

Imported only when pydantic_ai already is.
"""

from __future__ import annotations

from pydantic_ai import exceptions

from proctor.agents.base import AgentOutage
from proctor.errors import AgentRefused
from proctor.excerpt import mark_controls, shorten

_OUTAGES = (
    exceptions.ModelRateLimitError,
    exceptions.ModelUnavailableError,
    exceptions.ModelServerError,
    exceptions.ModelConnectionError,
    exceptions.ModelRequestTimeout,
    exceptions.ConcurrencyLimitExceeded,
)
# Request timeout and conflict: pydantic-ai gives them no category, the providers' SDKs retry them.
_OUTAGE_STATUSES = (408, 409)
_ACCOUNT = (exceptions.ModelAuthenticationError, exceptions.ModelQuotaExceededError)


def classify(error: Exception) -> Exception:
    """Turn an error of a model provider into AgentRefused or AgentOutage; give any other error back as it is."""
    if isinstance(error, exceptions.ContentFilterError):
        return AgentRefused(_text(error.message), hint="the provider's content filter stopped this answer")
    if isinstance(error, exceptions.FallbackExceptionGroup):
        return _first_outage(error)
    if isinstance(error, _ACCOUNT):
        return AgentOutage(
            f"the model provider turned the account away: {_text(str(error))}",
            hint="check the API key, its rights and the quota, then run again: finished trials are kept",
            is_transient=False,
        )
    if isinstance(error, _OUTAGES) or getattr(error, "status_code", None) in _OUTAGE_STATUSES:
        return AgentOutage(
            f"the model could not be reached: {_text(str(error))}",
            hint="run again when the provider answers: finished trials are kept",
            retry_after_s=getattr(error, "retry_after", None),
        )
    return error


def _first_outage(group: exceptions.FallbackExceptionGroup) -> Exception:
    outages = [found for found in map(classify, group.exceptions) if isinstance(found, AgentOutage)]
    return min(outages, key=lambda outage: not outage.is_transient, default=group)


def _text(text: str) -> str:
    return shorten(mark_controls(text), 400)
