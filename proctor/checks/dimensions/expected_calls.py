"""Calls that an agent should have made: each must be met by a call of its own.

A made call meets an expected one of the same name when it has every expected argument with an equal value, compared as
JSON values and as a whole; an argument that is absent is not null. The order of calls does not matter, nor do others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from proctor.checks.arguments import show
from proctor.checks.dimensions.base import Finding, Row, RowIssue
from proctor.checks.dimensions.observed_calls import Arguments, arguments_of, name_of, read_arguments, wrong_name
from proctor.checks.dimensions.pairing import unpaired
from proctor.checks.dimensions.row_fields import wrong_kind
from proctor.excerpt import quote
from proctor.jsonvalue import json_equal
from proctor.wording import count

Call = tuple[str, Arguments]

_FIELD = "expected_tool_calls"


def expected_issues(row: Row) -> Iterator[RowIssue]:
    """What hinders ``expected_tool_calls`` from being compared."""
    expected = row.get(_FIELD)
    if expected is None:
        return
    if not isinstance(expected, list):
        yield wrong_kind((_FIELD,), expected, "a list of calls", "put the call in brackets: [{...}]")
        return
    for index, call in enumerate(expected):
        if isinstance(call, dict):
            yield from _call_issues((_FIELD, index), call)
        else:
            yield wrong_kind((_FIELD, index), call, "an object with name and arguments")


def expected_findings(expected: Sequence[Arguments], made: Sequence[Call]) -> list[Finding]:
    """The expected calls that no made call is left for."""
    wanted = [_wanted(call) for call in expected]
    if len(wanted) == 1 and any(_meets(call, wanted[0]) for call in made):
        return []
    fitting = [[index for index, call in enumerate(made) if _meets(call, wish)] for wish in wanted]
    return [_unmet(wanted[index], len(fitting[index]), made) for index in unpaired(fitting)]


def _call_issues(pointer: tuple[str | int, ...], call: Arguments) -> Iterator[RowIssue]:
    tool = name_of(call)
    if tool is None:
        yield RowIssue("missing_field", pointer, "names no tool, so no call can meet it", "write the tool under name")
    elif not isinstance(tool, str):
        yield wrong_name(pointer, tool)
    else:
        arguments = read_arguments(tool, arguments_of(call))
        if isinstance(arguments, Finding):
            code = "bad_value" if arguments.code == "bad_json" else "bad_type"
            yield RowIssue(code, pointer, arguments.text, "write the arguments as an object")


def _wanted(call: Arguments) -> Call:
    tool = name_of(call)
    arguments = read_arguments(tool, arguments_of(call))
    return tool, arguments if isinstance(arguments, dict) else {}


def _meets(made: Call, wanted: Call) -> bool:
    return made[0] == wanted[0] and not _differences(made[1], wanted[1])


def _differences(made: Arguments, wanted: Arguments) -> list[str]:
    return [name for name, value in wanted.items() if name not in made or not json_equal(value, made[name])]


def _unmet(wanted: Call, fitting: int, made: Sequence[Call]) -> Finding:
    tool, arguments = wanted
    wish = f"call of {quote(tool, 80)}" + (f" with {show(arguments)}" if arguments else "")
    if fitting:
        text = f"one more {wish} is expected; {fitting:,} made, and each counts for one expected call only"
        return Finding("expected_missing", tool, text)
    same = [call for name, call in made if name == tool]
    if not same:
        return Finding("expected_missing", tool, f"a {wish} is expected; it was never called")
    closest = min(same, key=lambda call: len(_differences(call, arguments)))
    return Finding("expected_args", tool, f"a {wish} is expected; {_closest(closest, arguments, len(same))}")


def _closest(made: Arguments, wanted: Arguments, calls: int) -> str:
    seen = "; ".join(
        f"{show(name)} is {show(made[name])}" if name in made else f"{show(name)} is missing"
        for name in _differences(made, wanted)[:5]
    )
    return seen if calls == 1 else f"{seen} in the closest of {count(calls, 'call')}"
