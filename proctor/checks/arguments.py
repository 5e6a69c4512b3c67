"""Checks on the arguments of tool calls.

The rules are those of pytest-agent-eval 0.3.0: calls of the named tool in this turn whose arguments are a mapping are
looked at; one matching call is enough; ``subset`` compares the top-level members that are listed, each as a whole;
``exact`` compares the two mappings. Values are equal as JSON values are; with ``upstream`` a boolean also equals 0 or
1, as Python has it.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from proctor.checks.tools import seen_calls
from proctor.excerpt import mark_controls, quote, shorten
from proctor.jsonvalue import json_equal
from proctor.plan import CheckContext, Evidence, JudgeRequest
from proctor.results import CheckResult, Outcome

Mapping = dict[Any, Any]


@dataclass(frozen=True, slots=True)
class ToolArgumentsEqual:
    """Check if a tool was called with the expected arguments. ``position`` is the entry's place in its list."""

    position: int
    tool: str
    arguments: Mapping
    mode: Literal["subset", "exact"] = "subset"
    upstream: bool = False

    @property
    def name(self) -> str:
        """The entry in the transcript."""
        return f"tool_calls_args[{self.position}]"

    def evaluate(self, context: CheckContext) -> CheckResult:
        """Pass if one call matches; say never called, not captured, or how the closest call differs."""
        calls, problem = captured_arguments(context, self.tool)
        if problem:
            return CheckResult(self.name, Outcome.FAILED, problem, context.turn)
        equal = _python_equal if self.upstream else json_equal
        wish = f"{quote(self.tool, 80)} should be called with {show(self.arguments)} ({self.mode})"
        if any(self._matches(call, equal) for call in calls):
            return CheckResult(
                self.name,
                Outcome.PASSED,
                f"{quote(self.tool, 80)} was called with {show(self.arguments)}",
                context.turn,
            )
        closest = min((self._differences(call, equal) for call in calls), key=len)
        seen = "; ".join(closest[:5]) if closest else "no call matches"
        many = f" (closest of {len(calls)} calls)" if len(calls) > 1 else ""
        return CheckResult(self.name, Outcome.FAILED, f"{wish}; {seen}{many}", context.turn)

    def _matches(self, call: Mapping, equal: Callable[[Any, Any], bool]) -> bool:
        return not self._differences(call, equal)

    def _differences(self, call: Mapping, equal: Callable[[Any, Any], bool]) -> list[str]:
        wrong = [
            f"{show(key)} is {show(call[key])}, not {show(value)}" if key in call else f"{show(key)} is missing"
            for key, value in self.arguments.items()
            if key not in call or not equal(_plain(value), call[key])
        ]
        if self.mode == "exact":
            wrong += [f"{show(key)} is not expected" for key in call if key not in self.arguments]
        return wrong


@dataclass(frozen=True, slots=True)
class ToolArgumentsJudged:
    """Ask a judge about the arguments of every captured call of a tool. ``position``: place in the list of entries."""

    position: int
    tool: str
    rubric: str
    model: str | None = None

    @property
    def name(self) -> str:
        """The entry in the transcript."""
        return f"tool_calls_args[{self.position}].judge"

    def evaluate(self, context: CheckContext) -> CheckResult | JudgeRequest:
        """Fail without a judge if the tool was never called or no arguments were captured."""
        calls, problem = captured_arguments(context, self.tool)
        if problem:
            return CheckResult(self.name, Outcome.FAILED, problem, context.turn)
        spelled = (json.dumps(call, indent=2, ensure_ascii=False, default=str) for call in calls)
        evidence = [Evidence("Tool", self.tool)]
        evidence += [Evidence(f"Arguments of call {number}", text) for number, text in enumerate(spelled, 1)]
        return JudgeRequest("tool_arguments", self.rubric, tuple(evidence), self.model or None)


def captured_arguments(context: CheckContext, tool: str) -> tuple[list[Mapping], str | None]:
    """The argument mappings of a tool's calls in this turn, or a sentence that says why there are none."""
    called = [call.name for call in context.tool_calls]
    if tool not in called:
        return [], f"{quote(tool, 80)} was never called; {seen_calls(called)}"
    calls = [call.arguments for call in context.tool_calls if call.name == tool]
    mappings = [call for call in calls if isinstance(call, dict)]
    if not mappings:
        return [], f"{quote(tool, 80)} was called, but its arguments were not captured as an object"
    return mappings, None


def show(value: object) -> str:
    """A value as compact JSON, shortened and safe to show."""
    return mark_controls(shorten(json.dumps(value, ensure_ascii=False, default=str), 120))


def _plain(value: Any) -> Any:
    """A date that YAML made of an unquoted scalar stands for its text, which is what an agent can send."""
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value


def _python_equal(left: Any, right: Any) -> bool:
    return bool(left == right)
