"""Token counts as model providers and their SDKs name them, for rows that record usage instead of a price.

Counts that a provider reports beside its input or output (Anthropic's and Bedrock's cached tokens, Gemini's thoughts)
are added; counts that are a part of them (OpenAI's cached and reasoning tokens) are not. A total alone tells nothing:
input and output have different prices.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Final, NamedTuple

from proctor.checks.dimensions.amounts import EXACT, amount, amount_issue, is_amount
from proctor.checks.dimensions.base import RowIssue
from proctor.dataset import Price

# Each name with the names of the counts that come on top of it. The first name found is the one that counts.
_INPUT: Final[Mapping[str, tuple[str, ...]]] = {
    "input_tokens": ("cache_read_input_tokens", "cache_creation_input_tokens"),
    "prompt_tokens": (),
    "inputTokens": ("cacheReadInputTokens", "cacheWriteInputTokens"),
    "promptTokens": (),
    "prompt_token_count": ("tool_use_prompt_token_count",),
    "promptTokenCount": ("toolUsePromptTokenCount",),
    "gen_ai.usage.input_tokens": (),
    "gen_ai.usage.prompt_tokens": (),
    "prompt_eval_count": (),
}
_OUTPUT: Final[Mapping[str, tuple[str, ...]]] = {
    "output_tokens": (),
    "completion_tokens": (),
    "outputTokens": (),
    "completionTokens": (),
    "candidates_token_count": ("thoughts_token_count",),
    "candidatesTokenCount": ("thoughtsTokenCount",),
    "gen_ai.usage.output_tokens": (),
    "gen_ai.usage.completion_tokens": (),
    "eval_count": (),
}
_NAMES: Final = (*_INPUT, *_OUTPUT)
_KNOWN: Final = frozenset(
    name for names in (_INPUT, _OUTPUT) for key, extras in names.items() for name in (key, *extras)
)

# The JSON mapping of protocol buffers writes 64-bit integers as text.
_NUMBER_TEXT = re.compile(r"[0-9]{1,40}(?:\.[0-9]{1,40})?")

_MILLIONTH: Final = Decimal("1E-6")


class Tokens(NamedTuple):
    """Tokens that were paid for. Cached ones are among the input."""

    input: Decimal
    output: Decimal


def has_counts(usage: object) -> bool:
    """Whether a usage object has a count under a name that is known."""
    return isinstance(usage, dict) and any(_is_count(usage.get(name)) for name in _NAMES)


def tokens_of(usage: object) -> Tokens | None:
    """The tokens of a usage object; None where it `has_counts` not."""
    if not isinstance(usage, dict) or not has_counts(usage):
        return None
    return Tokens(_sum(usage, _INPUT), _sum(usage, _OUTPUT))


def dollars(tokens: Tokens, price: Price) -> Decimal:
    """The exact price of the tokens."""
    if not (tokens.input.is_finite() and tokens.output.is_finite()):
        return Decimal("Infinity")
    given = EXACT.multiply(tokens.input, price.input_per_mtok)
    made = EXACT.multiply(tokens.output, price.output_per_mtok)
    return EXACT.multiply(EXACT.add(given, made), _MILLIONTH)


def usage_issues(usage: object) -> Iterator[RowIssue]:
    """What hinders the known counts of a usage object from being read."""
    if isinstance(usage, dict):
        for name, value in usage.items():
            if name in _KNOWN and not _is_absent(value) and not _is_count(value):
                issue = amount_issue(("usage", name), value)
                if issue is not None:
                    yield issue


def _sum(usage: dict[str, Any], names: Mapping[str, tuple[str, ...]]) -> Decimal:
    for name, extras in names.items():
        total = _count(usage.get(name))
        if total is not None:
            for extra in extras:
                more = _count(usage.get(extra))
                total = EXACT.add(total, more) if more else total
            return total
    return Decimal(0)


def _is_count(value: object) -> bool:
    return is_amount(value) or (isinstance(value, str) and _NUMBER_TEXT.fullmatch(value) is not None)


def _count(value: object) -> Decimal | None:
    if isinstance(value, str):
        return Decimal(value) if _is_count(value) else None
    return amount(value)


def _is_absent(value: object) -> bool:
    return value is None or value == ""
