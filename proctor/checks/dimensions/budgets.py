"""A measured amount against the budget of its row, or of the project where the row has none."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from typing import Final, NamedTuple

from proctor.checks.dimensions.amounts import amount, amount_issue, is_amount, rounded, shown
from proctor.checks.dimensions.base import Finding, Row, RowIssue, RowResult
from proctor.results import Outcome

_INFINITE: Final = float("inf")

NO_BUDGET: Final = RowResult(
    Outcome.UNSCORED, (Finding("no_budget", "", "neither the row nor the project sets a budget"),)
)


class Quantity(NamedTuple):
    """What is measured: its name, its unit in words, and how finely the measure is recorded."""

    name: str
    unit: str
    step: Decimal


def budget_of(row: Row, field: str, project: Decimal | None) -> Decimal | None:
    """The row's own budget, else the project's."""
    value = row.get(field)
    return project if value is None else amount(value)


def has_budget(row: Row, field: str, project: Decimal | None) -> bool:
    """Whether the row or the project sets a budget."""
    return project is not None or is_amount(row.get(field))


def is_plain(row: Row, measure: str, budget: str) -> bool:
    """Whether the measure can be read, and so can the budget, if there is one: the row has no issue then."""
    value = row.get(budget, 0)
    return is_amount(row.get(measure)) and is_amount(value) and value != _INFINITE


def budget_issues(row: Row, field: str, project: Decimal | None) -> Iterator[RowIssue]:
    """What hinders a field from being a budget. Null asks for the project's budget, so there has to be one."""
    if field not in row or (row[field] is None and project is not None):
        return
    value = row[field]
    issue = amount_issue((field,), value)
    if issue is not None:
        hint = "remove the field, or set a budget for the project" if value is None else issue.hint
        yield issue._replace(hint=hint)
    elif value == _INFINITE:
        yield RowIssue("bad_value", (field,), "must be finite: an infinite budget allows everything")


def compare(measured: Decimal, origin: Finding, *, budget: Decimal, quantity: Quantity) -> RowResult:
    """Passed within the budget, the budget itself included. ``origin`` says where the measure comes from."""
    name, unit, step = quantity
    measure = rounded(measured, step)
    if measured <= budget:
        return RowResult(Outcome.PASSED, _within(name, origin), measure)
    text = f"the {name} of {shown(measured)} {unit} is over the budget of {shown(budget)} {unit}"
    return RowResult(Outcome.FAILED, (Finding("over", "", text), origin), measure)


@cache
def _within(name: str, origin: Finding) -> tuple[Finding, Finding]:
    return Finding("within", "", f"the {name} is within the budget"), origin
