"""What the checks on pi traces have in common: names, and results."""

from __future__ import annotations

from proctor.plan import CheckContext
from proctor.results import CheckResult, Outcome


def check_name(position: int, kind: str) -> str:
    """The name of a check: the place of its assertion in the fixture, and its kind."""
    return f"assertions[{position}] {kind}"


def check_result(name: str, context: CheckContext, passed: bool, reason: str) -> CheckResult:
    """Passed or failed."""
    return CheckResult(name, Outcome.PASSED if passed else Outcome.FAILED, reason, context.turn)
