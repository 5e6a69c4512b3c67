"""Whether a tool was called: how often, and at which place among all calls.

Names are equal or not, character by character. A call needs no result.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from proctor.checks.pi.results import check_name, check_result
from proctor.checks.pi.trace import trace_in
from proctor.checks.tools import seen_calls
from proctor.excerpt import quote
from proctor.plan import CheckContext
from proctor.results import CheckResult
from proctor.wording import count


@dataclass(frozen=True, slots=True)
class ToolCalled:
    """Check if a tool was called ``min_count`` to ``max_count`` times.

    With ``order``, the call at that place (from 0) among the calls of all tools must be one of this tool.
    """

    position: int
    tool: str
    min_count: int = 1
    max_count: int | None = None
    order: int | None = None

    @property
    def name(self) -> str:
        """The assertion in the fixture."""
        return check_name(self.position, "tool_called")

    def evaluate(self, context: CheckContext) -> CheckResult:
        """Fail with everything that does not hold, and say what was called."""
        called = [call.name for call in trace_in(context).calls]
        times = called.count(self.tool)
        wrong = [*self._wrong_count(times), *self._wrong_order(called)]
        if not wrong:
            at = "" if self.order is None else f", and is call {self.order:,} (from 0)"
            reason = f"{quote(self.tool, 80)} was called {count(times, 'time')}{at}"
            return check_result(self.name, context, True, reason)
        reason = f"{quote(self.tool, 80)} {' and '.join(wrong)}; {seen_calls(called)}"
        return check_result(self.name, context, False, reason)

    def _wrong_count(self, times: int) -> Iterator[str]:
        if times < self.min_count:
            yield f"should be called at least {count(self.min_count, 'time')}, and was called {count(times, 'time')}"
        if self.max_count is not None and times > self.max_count:
            yield f"should be called at most {count(self.max_count, 'time')}, and was called {count(times, 'time')}"

    def _wrong_order(self, called: Sequence[str]) -> Iterator[str]:
        if self.order is None or called[self.order : self.order + 1] == [self.tool]:
            return
        if self.order < len(called):
            seen = f"which calls {quote(called[self.order], 80)}"
        else:
            seen = f"and there are {count(len(called), 'call')}"
        yield f"should be call {self.order:,} (from 0), {seen}"


@dataclass(frozen=True, slots=True)
class NoToolCalled:
    """Check if a tool was never called. Other tools may be."""

    position: int
    tool: str

    @property
    def name(self) -> str:
        """The assertion in the fixture."""
        return check_name(self.position, "no_tool_called")

    def evaluate(self, context: CheckContext) -> CheckResult:
        """Fail with the number of calls."""
        called = [call.name for call in trace_in(context).calls]
        times = called.count(self.tool)
        if not times:
            return check_result(self.name, context, True, f"{quote(self.tool, 80)} was not called")
        wrong = f"{quote(self.tool, 80)} should not be called, and was called {count(times, 'time')}"
        return check_result(self.name, context, False, f"{wrong}; {seen_calls(called)}")
