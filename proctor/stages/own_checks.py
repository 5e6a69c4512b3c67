"""A user's own checks: classes named in a suite as ``pkg.mod:Class``, built once a run."""

from __future__ import annotations

from proctor.errors import TargetError, UsageError
from proctor.excerpt import said
from proctor.import_target import import_target
from proctor.plan import Check, OwnCheck, Plan


def build_own_checks(plan: Plan) -> tuple[Check, ...]:
    """Import and build the checks of a suite.

    Raises:
        UsageError: a class cannot be imported or built, or is no check.
    """
    return tuple(_build(own, plan) for own in plan.checks)


def _build(own: OwnCheck, plan: Plan) -> Check:
    hint = "a check has a name and an evaluate(context) that returns a CheckResult; see docs/checks.md"
    try:
        found = import_target(own.target, plan.root)
    except TargetError as error:
        raise UsageError(f"the check {own.target} cannot be imported: {error.message}", hint=error.hint) from error
    if not callable(found):
        raise UsageError(f"the check {own.target} is not a class", hint=hint)
    try:
        check = found(**own.arguments)
    except (Exception, SystemExit) as error:
        raise UsageError(f"the check {own.target} cannot be built: {said(error)}", hint=hint) from error
    if not isinstance(check, Check):
        raise UsageError(f"the check {own.target} has no name or no evaluate(context)", hint=hint)
    return check
