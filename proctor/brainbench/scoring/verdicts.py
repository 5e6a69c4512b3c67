"""What a whole category says, and the receipt that states it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from proctor.brainbench.eras import Era
from proctor.brainbench.scoring.accounting import Accounting, ProbeError
from proctor.trajectory import JsonValue


class CategoryVerdict(StrEnum):
    """The verdict of a category.

    ``BASELINE_ONLY``: no thresholds were set, whatever the numbers. ``SKIPPED``: nothing was planned. ``INVALID``: too
    much was lost, or all of it, so that there is no verdict. The seed era knows neither of the last two.
    """

    PASS = "pass"  # noqa: S105
    FAIL = "fail"
    BASELINE_ONLY = "baseline_only"
    SKIPPED = "skipped"
    INVALID = "invalid"


class RunStatus(StrEnum):
    """Whether a category ran: to its end, without a verdict that could be trusted, or not at all."""

    COMPLETED = "completed"
    ERROR = "error"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a category ran and what came of it: the part of a receipt that scoring decides.

    ``verdict`` is pass, partial or fail; it is there if, and only if, the run was completed. ``skip_reason`` is there
    if it was skipped.
    """

    run_status: RunStatus
    verdict: str | None
    skip_reason: str | None
    n_total: int
    n_scored: int
    completion_rate: float
    errors: tuple[ProbeError, ...]
    publishable: bool

    def to_json(self) -> dict[str, JsonValue]:
        """The members of a receipt; those that are absent are left out."""
        optional = {"verdict": self.verdict, "skip_reason": self.skip_reason}
        return {
            "run_status": self.run_status.value,
            **{name: value for name, value in optional.items() if value is not None},
            "n_total": self.n_total,
            "n_scored": self.n_scored,
            "completion_rate": self.completion_rate,
            "errors": [error.to_json() for error in self.errors],
            "publishable": self.publishable,
        }


_STATUS: Final = {CategoryVerdict.SKIPPED: RunStatus.SKIPPED, CategoryVerdict.INVALID: RunStatus.ERROR}
_STATED: Final = {CategoryVerdict.PASS: "pass", CategoryVerdict.BASELINE_ONLY: "partial", CategoryVerdict.FAIL: "fail"}


def category_verdict(accounting: Accounting, *, reached: bool | None, era: Era) -> CategoryVerdict:
    """The verdict, if ``reached`` says whether all thresholds are; None where none were set."""
    if era is Era.POST_AUDIT and not accounting.planned:
        return CategoryVerdict.SKIPPED
    if era is Era.POST_AUDIT and (accounting.run_invalid or not accounting.n_scored):
        return CategoryVerdict.INVALID
    if reached is None:
        return CategoryVerdict.BASELINE_ONLY
    return CategoryVerdict.PASS if reached else CategoryVerdict.FAIL


def receipt_of(accounting: Accounting, verdict: CategoryVerdict) -> Receipt:
    """The receipt of a category. A baseline is stated as partial: it ran, and nothing was held against it."""
    status = _STATUS.get(verdict, RunStatus.COMPLETED)
    return Receipt(
        run_status=status,
        verdict=_STATED.get(verdict),
        skip_reason="nothing was planned" if status is RunStatus.SKIPPED else None,
        n_total=accounting.n_total,
        n_scored=accounting.n_scored,
        completion_rate=accounting.completion_rate,
        errors=accounting.errors,
        publishable=accounting.publishable,
    )
