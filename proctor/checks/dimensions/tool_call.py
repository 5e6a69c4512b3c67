"""The dimension ``tool_call``: the calls that an agent made keep within what the row allows, and do what it expects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from typing_extensions import override

from proctor.checks.dimensions.argument_schema import UNUSABLE
from proctor.checks.dimensions.base import Dimension, Finding, Row, RowIssue, RowResult
from proctor.checks.dimensions.expected_calls import Call, expected_findings, expected_issues
from proctor.checks.dimensions.observed_calls import (
    arguments_of,
    calls_of,
    name_of,
    pointer_of,
    read_arguments,
    wrong_name,
)
from proctor.checks.dimensions.row_fields import name_list_issues, wrong_kind
from proctor.checks.dimensions.tool_contract import contract_findings, contract_issues
from proctor.dataset import RowSettings
from proctor.excerpt import quote
from proctor.results import Outcome
from proctor.wording import count, listed

_TOO_DEEP: Final = RowResult(
    Outcome.FAILED, (Finding("too_deep", "", "the arguments of a call are nested too deeply to be compared"),)
)


class ToolCall(Dimension):
    """Whether the recorded ``tool_calls`` meet the contract of the row, all parts of it at once.

    ``allowed_tools``: no other tool is called; an empty list allows none. ``forbidden_tools``: none of these is.
    ``tool_schemas``: the arguments keep the contract of their tool. ``expected_tool_calls``: these calls were made,
    each by a call of its own. A call whose name or arguments cannot be read is a fault and meets nothing. An empty
    ``tool_calls`` says that no tool was called.
    """

    name: Final = "tool_call"
    threshold: Final = 0.95
    required: Final[tuple[str, ...]] = ()
    answer_key: Final = ("allowed_tools", "forbidden_tools", "tool_schemas", "expected_tool_calls")
    is_judged: Final = False
    needs_judge: Final = False

    @override
    def issues(self, row: Row, settings: RowSettings) -> Iterable[RowIssue]:
        """Fields that cannot be read; ``tool_calls`` must be there, and may be empty."""
        return (
            *_recorded_issues(row),
            *name_list_issues(row, "allowed_tools"),
            *name_list_issues(row, "forbidden_tools"),
            *contract_issues(row),
            *expected_issues(row),
        )

    @override
    def is_labeled(self, row: Row, settings: RowSettings) -> bool:
        """Whether any part of a contract is there. An empty list of allowed tools is one, unless others are empty too.

        A row in which several parts are there and all are empty is a form that nobody filled in.
        """
        contracts = row.get("tool_schemas")
        if row.get("allowed_tools") or row.get("forbidden_tools") or row.get("expected_tool_calls"):
            return True
        if contracts and any(contracts.values()):
            return True
        return row.get("allowed_tools") == [] and all(row.get(field) is None for field in self.answer_key[1:])

    @override
    def score(self, row: Row, settings: RowSettings) -> RowResult:
        """Passed without a fault; unscored when the schema of a tool cannot be applied."""
        try:
            findings = _findings(row)
        except RecursionError:
            return _TOO_DEEP
        if not findings:
            return _passed(len(calls_of(row)))
        unusable = any(finding.code == UNUSABLE for finding in findings)
        return RowResult(Outcome.UNSCORED if unusable else Outcome.FAILED, tuple(findings))


TOOL_CALL: Final = ToolCall()


def _recorded_issues(row: Row) -> Iterator[RowIssue]:
    calls = row.get("tool_calls")
    if calls in (None, "", {}):
        message = "the field 'tool_calls' is required for a row of the dimension tool_call"
        yield RowIssue("missing_field", ("tool_calls",), message, "write [] when no tool was called")
    if calls is not None and not isinstance(calls, list | dict):
        yield wrong_kind(("tool_calls",), calls, "a list of calls")
    for index, call in enumerate(calls_of(row)):
        if not isinstance(call, dict):
            yield wrong_kind(pointer_of(row, index), call, "an object with name and arguments")
            return
        tool = name_of(call)
        if tool is not None and not isinstance(tool, str):
            yield wrong_name(pointer_of(row, index), tool)
            return


def _findings(row: Row) -> list[Finding]:
    findings: list[Finding] = []
    made: list[Call] = []
    contracts = row.get("tool_schemas") or {}
    allowed, forbidden = row.get("allowed_tools"), row.get("forbidden_tools") or ()
    for number, call in enumerate(calls_of(row), 1):
        tool = name_of(call)
        if tool is None:
            findings.append(Finding("no_name", str(number), f"call {number} names no tool"))
            continue
        arguments = read_arguments(tool, arguments_of(call))
        if not isinstance(arguments, dict):
            findings.append(arguments)
            continue
        made.append((tool, arguments))
        if allowed is not None and tool not in allowed:
            findings.append(_not_allowed(tool, allowed))
        if tool in forbidden:
            findings.append(Finding("forbidden", tool, f"{quote(tool, 80)} was called, which is forbidden"))
        if tool in contracts:
            findings += contract_findings(tool, contracts[tool], arguments)
    expected = row.get("expected_tool_calls")
    return findings + expected_findings(expected, made) if expected else findings


def _not_allowed(tool: str, allowed: Sequence[str]) -> Finding:
    names = listed([quote(name, 60) for name in allowed], 10) or "no tool"
    return Finding("not_allowed", tool, f"{quote(tool, 80)} was called; allowed: {names}")


@lru_cache(maxsize=256)
def _passed(calls: int) -> RowResult:
    text = f"{count(calls, 'tool call')}, as the row asks" if calls else "no tool was called, which the row allows"
    return RowResult(Outcome.PASSED, (Finding("calls", str(calls), text),))
