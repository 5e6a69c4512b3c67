"""Whether a tool was called with an argument that a pattern is found in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from proctor.checks.ecmascript import PatternProblem, search
from proctor.checks.pi.argument_path import Missing, Path, value_at
from proctor.checks.pi.results import check_name, check_result
from proctor.checks.pi.trace import TraceCall, trace_in
from proctor.checks.tools import seen_calls
from proctor.excerpt import quote
from proctor.plan import CheckContext
from proctor.results import CheckResult
from proctor.trajectory import JsonValue
from proctor.value_text import value_text
from proctor.wording import count, listed


@dataclass(frozen=True, slots=True)
class ToolCallArgMatches:
    """Check if one call of a tool has a value at ``path`` whose text the ECMAScript pattern is found in.

    ``path_text`` is the path as its author wrote it.
    """

    position: int
    tool: str
    path: Path
    path_text: str
    pattern: str

    @property
    def name(self) -> str:
        """The assertion in the fixture."""
        return check_name(self.position, "tool_call_arg_matches")

    def evaluate(self, context: CheckContext) -> CheckResult:
        """Fail with one of four reasons: never called, no such argument, no value matches, or not decided in time."""
        calls = trace_in(context).calls
        own = [call for call in calls if call.name == self.tool]
        if not own:
            reason = f"{quote(self.tool, 80)} was never called; {seen_calls([call.name for call in calls])}"
            return check_result(self.name, context, False, reason)
        found = (value_at(call.arguments, self.path) for call in own)
        values = [value for value in found if not isinstance(value, Missing)]
        if not values:
            return check_result(self.name, context, False, self._no_value(own))
        try:
            matching = next((text for text in map(value_text, values) if search(self.pattern, text)), None)
        except PatternProblem as problem:
            return check_result(self.name, context, False, str(problem))
        if matching is None:
            return check_result(self.name, context, False, self._no_match(values))
        return check_result(self.name, context, True, f"{self._argument} is {quote(matching, 80)}")

    @property
    def _argument(self) -> str:
        return f"the argument {quote(self.path_text, 80)} of {quote(self.tool, 80)}"

    def _no_value(self, own: Sequence[TraceCall]) -> str:
        missing = f"{self._argument} is missing in {count(len(own), 'call')}"
        errors = [quote(call.arguments_error, 80) for call in own if call.arguments_error is not None]
        return f"{missing}; arguments that pi could not read: {listed(errors, 3)}" if errors else missing

    def _no_match(self, values: Sequence[JsonValue]) -> str:
        seen = listed([quote(value_text(value), 80) for value in values], 3)
        verb = "it is" if len(values) == 1 else "its values are"
        return f"{self._argument} should match the pattern {quote(self.pattern, 80)}; {verb} {seen}"
