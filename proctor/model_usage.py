"""The usage of pydantic-ai in our words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proctor.trajectory import Usage

if TYPE_CHECKING:
    from pydantic_ai.usage import RunUsage


def usage_of(usage: RunUsage) -> Usage:
    """Convert the usage of a run: pydantic-ai counts cached tokens among the input tokens, Proctor beside them."""
    return Usage(
        input_tokens=max(0, usage.input_tokens - usage.cache_read_tokens - usage.cache_write_tokens),
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        requests=usage.requests,
        cost_usd=usage.cost,
    )
