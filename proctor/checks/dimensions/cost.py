"""The dimension ``cost``: a run costs no more than its budget, in exact decimal dollars."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Final

from typing_extensions import override

from proctor.checks.dimensions.amounts import amount, field_issues, is_amount
from proctor.checks.dimensions.base import Dimension, Finding, Row, RowIssue, RowResult
from proctor.checks.dimensions.budgets import (
    NO_BUDGET,
    Quantity,
    budget_issues,
    budget_of,
    compare,
    has_budget,
    is_plain,
)
from proctor.checks.dimensions.token_usage import dollars, has_counts, tokens_of, usage_issues
from proctor.dataset import RowSettings
from proctor.results import Outcome

_COST: Final = Quantity("cost", "dollars", Decimal("0.000001"))
_REPORTED: Final = Finding("reported", "", "as the row reports it")
_FROM_USAGE: Final = Finding(
    "usage", "", "worked out from the token counts, with cached tokens at the price of other input"
)
_UNMEASURED: Final = RowResult(
    Outcome.UNSCORED,
    (Finding("unmeasured", "", "the row has neither cost_usd nor token counts under names that are known"),),
)
_NO_PRICES: Final = RowResult(
    Outcome.UNSCORED,
    (Finding("no_price_table", "", "the row has token counts, but the project sets no prices for a million tokens"),),
)


class Cost(Dimension):
    """Whether ``cost_usd``, or the price of ``usage``, is within ``cost_budget_usd`` or the project's budget."""

    name: Final = "cost"
    threshold: Final = 0.95
    required: Final[tuple[str, ...]] = ()
    answer_key: Final = ("cost_budget_usd",)
    is_judged: Final = False
    needs_judge: Final = False

    @override
    def issues(self, row: Row, settings: RowSettings) -> Iterable[RowIssue]:
        """Amounts that cannot be read, and a budget with nothing to compare it with."""
        if is_plain(row, "cost_usd", "cost_budget_usd"):
            return ()
        return (*_unmeasurable(row, settings), *_unreadable(row, settings))

    @override
    def is_labeled(self, row: Row, settings: RowSettings) -> bool:
        """Whether there are a budget and a cost."""
        return _has_budget(row, settings) and _is_measured(row, settings)

    @override
    def score(self, row: Row, settings: RowSettings) -> RowResult:
        """Compare the cost with the budget. The measure is in dollars, to six decimal places."""
        budget = budget_of(row, "cost_budget_usd", settings.cost_budget_usd)
        if budget is None:
            return NO_BUDGET
        measured = _measured(row, settings)
        if measured is None:
            return _NO_PRICES if has_counts(row.get("usage")) else _UNMEASURED
        return compare(*measured, budget=budget, quantity=_COST)


COST: Final = Cost()


def _has_budget(row: Row, settings: RowSettings) -> bool:
    return has_budget(row, "cost_budget_usd", settings.cost_budget_usd)


def _is_measured(row: Row, settings: RowSettings) -> bool:
    return is_amount(row.get("cost_usd")) or (settings.price is not None and has_counts(row.get("usage")))


def _measured(row: Row, settings: RowSettings) -> tuple[Decimal, Finding] | None:
    reported = amount(row.get("cost_usd"))
    if reported is not None:
        return reported, _REPORTED
    tokens = tokens_of(row.get("usage"))
    if tokens is None or settings.price is None:
        return None
    return dollars(tokens, settings.price), _FROM_USAGE


def _unmeasurable(row: Row, settings: RowSettings) -> Iterator[RowIssue]:
    if _is_measured(row, settings) or not _has_budget(row, settings):
        return
    if has_counts(row.get("usage")):
        message = "the row has token counts, but no prices to work out its cost"
        hint = "set budgets.price.input_per_mtok and output_per_mtok"
    else:
        message = "the row has a budget, but no cost that could be compared with it"
        hint = "record cost_usd, or usage with input_tokens and output_tokens"
    yield RowIssue("unmeasurable_cost", ("cost_usd",), message, hint, is_error=False)


def _unreadable(row: Row, settings: RowSettings) -> Iterator[RowIssue]:
    yield from field_issues(row, "cost_usd")
    yield from budget_issues(row, "cost_budget_usd", settings.cost_budget_usd)
    if not is_amount(row.get("cost_usd")):
        yield from usage_issues(row.get("usage"))
