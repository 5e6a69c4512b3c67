"""What an agent's tokens cost at the fixed prices that the benchmark reckons with, whatever model it really drove."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from proctor.brainbench.facts import Tokens

INPUT_USD: Final = Decimal(3) / 1_000_000
OUTPUT_USD: Final = Decimal(15) / 1_000_000
"""The prices of an agent's input and output token, in US dollars. Cached input has no price of its own."""


def agent_cost_usd(tokens: Tokens) -> Decimal:
    """The price of a run in US dollars."""
    return tokens.input * INPUT_USD + tokens.output * OUTPUT_USD
