"""The fixed prices of tokens that the benchmark reckons with, whatever model it really drove."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from proctor.brainbench.facts import Tokens


@dataclass(frozen=True, slots=True)
class TokenPrice:
    """What a million tokens cost in US dollars. Cached input has no price of its own."""

    input_usd: Decimal
    output_usd: Decimal

    def of(self, tokens: Tokens) -> Decimal:
        """The price of some tokens in US dollars."""
        return (tokens.input * self.input_usd + tokens.output * self.output_usd) / 1_000_000


AGENT_PRICE: Final = TokenPrice(Decimal(3), Decimal(15))
JUDGE_PRICE: Final = TokenPrice(Decimal(1), Decimal(5))
