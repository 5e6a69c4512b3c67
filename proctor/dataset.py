"""How a data set of recorded rows is scored: dimensions, thresholds, budgets, and what a gate asks of the numbers.

Settings come from `.assevra.yml`, the suite, and defaults; see docs/formats/assevra.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any, TypeAlias

Row: TypeAlias = Mapping[str, Any]
"""A recorded row as JSON gives it."""

RECORDED = "recorded"
"""The agent name of every recorded row: nobody is called, the answers are in the file."""


class RowState(StrEnum):
    """What validation says of a row. Only a labelled one can be scored."""

    LABELED = "labeled"
    UNLABELED = "unlabeled"
    INVALID = "invalid"


@dataclass(frozen=True, slots=True)
class Span:
    """Consecutive lines of a file: where they are (bytes), the first line (from 1), and their SHA-256.

    ``rows`` counts the rows that are scored, without blank lines and without rows that a selection leaves out.
    """

    offset: int
    size: int
    line: int
    rows: int
    digest: str


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a million tokens."""

    input_per_mtok: Decimal
    output_per_mtok: Decimal


@dataclass(frozen=True, slots=True)
class RowSettings:
    """What the project adds to a row. ``has_judge``: a judge can be asked; budgets are for rows without their own.

    ``presidio``: Presidio looks for personal data as well; it has to be installed.
    """

    has_judge: bool = False
    cost_budget_usd: Decimal | None = None
    latency_budget_ms: Decimal | None = None
    price: Price | None = None
    presidio: bool = False


class Bound(StrEnum):
    """What a gate compares with its threshold: the share itself, or the lower end of its 95 % interval."""

    RATE = "rate"
    LOWER = "lower"


@dataclass(frozen=True, slots=True)
class DimensionRule:
    """When a dimension passes: its ``threshold`` is reached by ``bound``, with at least ``min_rows`` decided rows."""

    threshold: float
    bound: Bound = Bound.RATE
    min_rows: int = 1


@dataclass(frozen=True, slots=True)
class RegressionRule:
    """How a run is compared with its baseline: level of the tests (over all dimensions), power of the stated effect.

    ``by_interval``: a rate below the baseline's interval is a regression too, as in Assevra; only without it does
    ``level`` bound the share of false alarms. ``blocks``: a regression, or a baseline that cannot be compared, hinders
    the run from passing.
    """

    level: float = 0.05
    power: float = 0.8
    by_interval: bool = True
    blocks: bool = False


@dataclass(frozen=True, slots=True)
class CalibrationRule:
    """When a judge is trusted: Cohen's kappa of at least ``bar`` on at least ``min_rows`` rows of each dimension.

    ``label_field`` holds the human verdict. ``blocks``: an untrusted or uncalibrated judge hinders a pass. With
    ``upstream``, labels that cannot be read are left out, and full agreement counts on any number of rows, also where
    all are of one class: as Assevra has it.
    """

    label_field: str = "human_label"
    bar: float = 0.85
    bars: Mapping[str, float] = field(default_factory=dict)
    min_rows: int = 4
    blocks: bool = False
    upstream: bool = False


@dataclass(frozen=True, slots=True)
class DatasetSettings:
    """All settings of a run over recorded rows.

    ``rules`` has an entry for every known dimension. ``required`` dimensions must be there and decided. ``slices``
    names fields of rows by whose values the results are also told apart; tags always are. ``strict``: a row that cannot
    be scored is refused at validation, which a release always asks for.
    """

    rules: Mapping[str, DimensionRule]
    required: tuple[str, ...] = ()
    row: RowSettings = field(default_factory=RowSettings)
    pass_k: int = 2
    slices: tuple[str, ...] = ()
    strict: bool = True
    regression: RegressionRule = field(default_factory=RegressionRule)
    calibration: CalibrationRule = field(default_factory=CalibrationRule)
