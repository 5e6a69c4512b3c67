"""Checks on which tools were called in a turn.

The rules are those of pytest-agent-eval 0.3.0: names are equal or not, character by character; include without order
is membership (a name listed twice needs one call), include with order is a subsequence in which each listed name takes
a later call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from proctor.excerpt import quote, shorten
from proctor.plan import CheckContext
from proctor.results import CheckResult, Outcome
from proctor.wording import listed


@dataclass(frozen=True, slots=True)
class ToolsIncluded:
    """Check if all of some tools were called in this turn; ``ordered``: in this order, others in between are fine."""

    names: tuple[str, ...]
    ordered: bool = False

    @property
    def name(self) -> str:
        """The key in the transcript."""
        return "tool_calls_include"

    def evaluate(self, context: CheckContext) -> CheckResult:
        """Fail with the first name that was not called, or not called late enough."""
        called = [call.name for call in context.tool_calls]
        missing = _first_out_of_order(self.names, called) if self.ordered else _first_missing(self.names, called)
        if missing is None:
            order = " in this order" if self.ordered and len(self.names) > 1 else ""
            return CheckResult(self.name, Outcome.PASSED, f"called {_names(self.names)}{order}", context.turn)
        wish = (
            f"{_names(self.names)} should be called in this order"
            if self.ordered
            else f"{quote(missing, 80)} should be called"
        )
        late = f", and {quote(missing, 80)} is missing at its place" if self.ordered and missing in called else ""
        return CheckResult(self.name, Outcome.FAILED, f"{wish}{late}; {seen_calls(called)}", context.turn)


@dataclass(frozen=True, slots=True)
class ToolsExcluded:
    """Check if none of some tools was called in this turn. A tool that is only named in the reply was not called."""

    names: tuple[str, ...]

    @property
    def name(self) -> str:
        """The key in the transcript."""
        return "tool_calls_exclude"

    def evaluate(self, context: CheckContext) -> CheckResult:
        """Fail with every forbidden name that was called."""
        called = [call.name for call in context.tool_calls]
        wrong = tuple(dict.fromkeys(name for name in called if name in self.names))
        if not wrong:
            return CheckResult(self.name, Outcome.PASSED, f"{_names(self.names)} not called", context.turn)
        reason = f"{_names(wrong)} should not be called; {seen_calls(called)}"
        return CheckResult(self.name, Outcome.FAILED, reason, context.turn)


def seen_calls(called: Sequence[str]) -> str:
    """Say which tools were called, in order."""
    if not called:
        return "no tool was called"
    return f"called: {listed(_quoted(called), 20)}"


def _names(names: Sequence[str]) -> str:
    return ", ".join(_quoted(names))


def _quoted(names: Sequence[str]) -> list[str]:
    return [quote(shorten(name, 60), 80) for name in names]


def _first_missing(wanted: Sequence[str], called: Sequence[str]) -> str | None:
    return next((name for name in wanted if name not in called), None)


def _first_out_of_order(wanted: Sequence[str], called: Sequence[str]) -> str | None:
    rest = iter(called)
    return next((name for name in wanted if name not in rest), None)
