"""What tokens cost, by the public price list of genai-prices. A model that is not in it has no price: not 0."""

from __future__ import annotations

from decimal import Decimal

from proctor.trajectory import Usage


def price_usd(model_id: str, usage: Usage) -> Decimal | None:
    """Price the tokens of one model in US dollars; None where the list has no price for it.

    ``model_id`` is a provider's name for the model, with ``provider:`` before it or not.
    """
    from genai_prices import Usage as Tokens
    from genai_prices import calc_price

    provider, _, name = model_id.rpartition(":")
    tokens = Tokens(
        input_tokens=usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        output_tokens=usage.output_tokens,
    )
    try:
        return calc_price(tokens, name, provider_id=provider or None).total_price
    except (LookupError, ValueError):
        return None
