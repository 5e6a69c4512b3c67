"""The dimension ``latency``: a run takes no longer than its budget, in exact decimal milliseconds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Final

from typing_extensions import override

from proctor.checks.dimensions.amounts import EXACT, amount, field_issues, is_amount
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
from proctor.dataset import RowSettings
from proctor.results import Outcome

_LATENCY: Final = Quantity("latency", "ms", Decimal("0.001"))
_REPORTED: Final = Finding("reported", "", "as the row reports it")
_UNMEASURED: Final = RowResult(
    Outcome.UNSCORED,
    (Finding("unmeasured", "", "the row has no latency_ms, duration_ms, elapsed_ms or latency_s that is a number"),),
)

# The names under which traces record a latency, in the order in which they count, with their length in milliseconds.
_MILLISECOND: Final = Decimal(1)
_NAMES: Final = {
    "latency_ms": _MILLISECOND,
    "duration_ms": _MILLISECOND,
    "elapsed_ms": _MILLISECOND,
    "latency_s": Decimal(1000),
}
_OTHER_NAMES: Final = tuple(_NAMES)[1:]


class Latency(Dimension):
    """Whether the recorded latency is within ``latency_budget_ms`` or the project's budget."""

    name: Final = "latency"
    threshold: Final = 0.95
    required: Final[tuple[str, ...]] = ()
    answer_key: Final = ("latency_budget_ms",)
    is_judged: Final = False
    needs_judge: Final = False

    @override
    def issues(self, row: Row, settings: RowSettings) -> Iterable[RowIssue]:
        """Amounts that cannot be read, and a budget with nothing to compare it with."""
        if is_plain(row, "latency_ms", "latency_budget_ms"):
            return ()
        return (*_unmeasurable(row, settings), *_unreadable(row, settings))

    @override
    def is_labeled(self, row: Row, settings: RowSettings) -> bool:
        """Whether there are a budget and a latency."""
        return _has_budget(row, settings) and _is_measured(row)

    @override
    def score(self, row: Row, settings: RowSettings) -> RowResult:
        """Compare the latency with the budget. The measure is in milliseconds, to three decimal places."""
        budget = budget_of(row, "latency_budget_ms", settings.latency_budget_ms)
        if budget is None:
            return NO_BUDGET
        measured = _measured(row)
        return _UNMEASURED if measured is None else compare(measured, _REPORTED, budget=budget, quantity=_LATENCY)


LATENCY: Final = Latency()


def _has_budget(row: Row, settings: RowSettings) -> bool:
    return has_budget(row, "latency_budget_ms", settings.latency_budget_ms)


def _is_measured(row: Row) -> bool:
    return any(is_amount(row.get(name)) for name in _NAMES)


def _measured(row: Row) -> Decimal | None:
    for name, unit in _NAMES.items():
        value = amount(row.get(name))
        if value is not None:
            return value if unit is _MILLISECOND else EXACT.multiply(value, unit)
    return None


def _unmeasurable(row: Row, settings: RowSettings) -> Iterator[RowIssue]:
    if _has_budget(row, settings) and not _is_measured(row):
        message = "the row has a budget, but no latency that could be compared with it"
        hint = "record latency_ms, duration_ms, elapsed_ms or latency_s as a number"
        yield RowIssue("unmeasurable_latency", ("latency_ms",), message, hint, is_error=False)


def _unreadable(row: Row, settings: RowSettings) -> Iterator[RowIssue]:
    yield from field_issues(row, "latency_ms")
    yield from budget_issues(row, "latency_budget_ms", settings.latency_budget_ms)
    if not is_amount(row.get("latency_ms")):
        for name in _OTHER_NAMES:
            yield from (issue for issue in field_issues(row, name) if issue.code == "bad_value")
