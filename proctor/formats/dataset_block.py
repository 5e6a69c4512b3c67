"""The block ``dataset:`` of a suite: how recorded rows are scored, and what their numbers have to reach."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from proctor.config import Block, Share


def _money(value: object) -> object:
    """Strict models take no number for a decimal; the shortest spelling of a float is what its author wrote."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise PydanticCustomError("wrong_type", "must be a number of at least 0")
    return Decimal(str(value))


Money = Annotated[Decimal, BeforeValidator(_money, json_schema_input_type=float), Field(ge=0, allow_inf_nan=False)]


class DimensionBlock(Block):
    """What a dimension has to reach."""

    threshold: Share | None = Field(default=None, description="The share of its rows that must pass.")
    bound: Literal["rate", "lower"] | None = Field(
        default=None, description="lower: the lower end of the 95 % interval must reach the threshold."
    )
    min_rows: Annotated[int, Field(ge=1, le=1_000_000_000)] | None = Field(
        default=None, description="With fewer decided rows the dimension could not be evaluated."
    )


class PriceBlock(Block):
    """US dollars for a million tokens."""

    input_per_mtok: Money
    output_per_mtok: Money


class BudgetBlock(Block):
    """Budgets of rows that carry none, and the price of their tokens."""

    cost_usd: Money | None = None
    latency_ms: Money | None = None
    price: PriceBlock | None = None


class RegressionBlock(Block):
    """How a run is compared with the last accepted one."""

    block: bool = Field(default=False, description="A regression fails the run.")
    rule: Literal["interval-or-test", "test"] = Field(
        default="interval-or-test", description="test: only a significant test counts, with a stated error rate."
    )
    level: Annotated[float, Field(gt=0, lt=0.5)] = Field(default=0.05, description="The error rate of the tests.")
    power: Annotated[float, Field(ge=0.5, lt=1)] = Field(
        default=0.8, description="With this chance the stated drop is found."
    )


class CalibrationBlock(Block):
    """When a judge is trusted."""

    label_field: str | None = Field(default=None, min_length=1, description="The field with the human verdict.")
    bar: Annotated[float, Field(ge=-1, le=1)] | None = Field(default=None, description="The least Cohen's kappa.")
    bars: dict[str, Annotated[float, Field(ge=-1, le=1)]] = Field(default={}, description="Other bars, by dimension.")
    min_rows: Annotated[int, Field(ge=1, le=1_000_000_000)] | None = Field(
        default=None, description="The least labelled rows."
    )
    block: bool = Field(default=False, description="A judge that is not trusted fails the run.")


def _threshold(value: object) -> object:
    """Let a number stand for a block with that threshold."""
    return {"threshold": value} if isinstance(value, int | float) and not isinstance(value, bool) else value


Dimension = Annotated[DimensionBlock, BeforeValidator(_threshold, json_schema_input_type=Share | DimensionBlock)]


class DatasetBlock(Block):
    """How recorded rows are scored. It stands above what ``.assevra.yml`` says."""

    config: str | None = Field(
        default=None, description="A configuration file, relative to the suite; none: look for no file."
    )
    dimensions: dict[str, Dimension] = Field(default={}, description="What each dimension has to reach.")
    required: list[str] | None = Field(default=None, description="Dimensions that must be there and be decided.")
    budgets: BudgetBlock = Field(default=BudgetBlock())
    pass_k: Annotated[int, Field(ge=1, le=1000)] | None = Field(
        default=None, description="The k of pass^k and pass@k for repeated cases."
    )
    slices: list[Annotated[str, Field(min_length=1)]] = Field(
        default=[], description="Fields of rows by whose values the results are also told apart."
    )
    pii: Literal["patterns", "presidio"] = Field(
        default="patterns", description="presidio adds its recognisers; it needs the extra proctor-evals[pii]."
    )
    regression: RegressionBlock | None = Field(default=None, description="The comparison with the last accepted run.")
    calibration: CalibrationBlock | None = Field(default=None, description="When a judge is trusted.")
