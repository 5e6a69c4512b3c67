"""What tokens cost by the public price list."""

from __future__ import annotations

from decimal import Decimal

import pytest

from proctor.prices import price_usd
from proctor.trajectory import Usage

SONNET = "claude-sonnet-4-6"


class TestAPrice:
    @pytest.mark.parametrize("model", [SONNET, f"anthropic:{SONNET}"])
    def test_is_that_of_the_tokens_in_and_out(self, model: str) -> None:
        """Three dollars for a million in, fifteen for a million out."""
        assert price_usd(model, Usage(100_000, 10_000)) == Decimal("0.45")

    def test_is_less_for_tokens_from_a_cache_and_more_for_those_into_it(self) -> None:
        plain = price_usd(SONNET, Usage(100_000))
        read = price_usd(SONNET, Usage(cache_read_tokens=100_000))
        written = price_usd(SONNET, Usage(cache_write_tokens=100_000))
        assert plain is not None
        assert read is not None
        assert written is not None
        assert 0 < read < plain < written
        assert price_usd(SONNET, Usage(100_000, 0, cache_read_tokens=100_000)) == plain + read

    @pytest.mark.parametrize("model", ["", ":", "pilot-1", f"openai:{SONNET}", f"nobody:{SONNET}", "\ud800"])
    def test_is_not_zero_but_unknown_for_what_is_not_in_the_list(self, model: str) -> None:
        assert price_usd(model, Usage(100_000, 10_000)) is None
