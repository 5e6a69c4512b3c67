"""The assertions record: each entry becomes a check, or is refused with its first fault.

Members that a kind does not know are refused: a misspelled bound would weaken the check silently.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from proctor.checks.ecmascript import syntax_problem
from proctor.checks.pi.argument_path import Path, parse_path
from proctor.checks.pi.arguments import ToolCallArgMatches
from proctor.checks.pi.calls import NoToolCalled, ToolCalled
from proctor.checks.pi.messages import MessageContains, TraceMaxTurns
from proctor.checks.pi.trace import ASSISTANT, USER
from proctor.excerpt import quote
from proctor.formats.members import (
    Fault,
    required,
    required_integer,
    required_text,
    unknown_choice,
    wrong_type,
)
from proctor.formats.pointers import Pointer
from proctor.plan import Check

Entry = dict[str, Any]


def entries_of(record: dict[str, Any]) -> list[Any]:
    """The entries of an assertions record.

    Raises:
        Fault: it has no array of them.
    """
    entries = required(record, "assertions")
    if not isinstance(entries, list):
        raise wrong_type(("assertions",), "an array", entries)
    return entries


def read_assertion(entry: object, position: int) -> Check:
    """The check that an entry asks for.

    Raises:
        Fault: it cannot be used.
    """
    at: Pointer = ("assertions", position)
    if not isinstance(entry, dict):
        raise wrong_type(at, "an object", entry)
    name = required(entry, "kind", at)
    kind = _KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise unknown_choice((*at, "kind"), "kind", name, tuple(_KINDS))
    check = kind.read(entry, position, at)
    for member in entry:
        if member != "kind" and member not in kind.members:
            raise _unknown_member(name, member, at)
    return check


def _tool_called(entry: Entry, position: int, at: Pointer) -> Check:
    tool = required_text(entry, "name", at)
    least = _bound(entry, "min_count", at)
    most = _bound(entry, "max_count", at)
    wanted = 1 if least is None else least
    if most is not None and most < wanted:
        said = f"min_count, {wanted}" if least is not None else "the least number of calls, 1"
        hint = "for a tool that must not be called use no_tool_called; for one that need not be, min_count: 0"
        raise Fault("out_of_range", (*at, "max_count"), f"must not be less than {said}, got {most}", hint)
    return ToolCalled(position, tool, wanted, most, _bound(entry, "order", at))


def _no_tool_called(entry: Entry, position: int, at: Pointer) -> Check:
    return NoToolCalled(position, required_text(entry, "name", at))


def _message_contains(entry: Entry, position: int, at: Pointer) -> Check:
    role = required_text(entry, "role", at)
    if role not in (ASSISTANT, USER):
        raise unknown_choice((*at, "role"), "role", role, (ASSISTANT, USER))
    return MessageContains(position, role, required_text(entry, "substring", at))


def _arg_matches(entry: Entry, position: int, at: Pointer) -> Check:
    tool = required_text(entry, "name", at)
    path_text = required_text(entry, "arg_path", at)
    path = _path(path_text, (*at, "arg_path"))
    pattern = required_text(entry, "matches_regex", at, may_be_empty=True)
    problem = syntax_problem(pattern)
    if problem is not None:
        message = f"{quote(pattern, 80)} is no ECMAScript regular expression: {problem}"
        hint = "it is written as in JavaScript, without slashes and flags"
        raise Fault("invalid_pattern", (*at, "matches_regex"), message, hint)
    return ToolCallArgMatches(position, tool, path, path_text, pattern)


def _max_turns(entry: Entry, position: int, at: Pointer) -> Check:
    return TraceMaxTurns(position, required_integer(entry, "max", at, least=0))


class _Kind(NamedTuple):
    """A kind of assertion: its members, and how it is read."""

    members: tuple[str, ...]
    read: Callable[[Entry, int, Pointer], Check]


_KINDS: Final[Mapping[str, _Kind]] = {
    "tool_called": _Kind(("name", "min_count", "max_count", "order"), _tool_called),
    "no_tool_called": _Kind(("name",), _no_tool_called),
    "message_contains_substring": _Kind(("role", "substring"), _message_contains),
    "tool_call_arg_matches": _Kind(("name", "arg_path", "matches_regex"), _arg_matches),
    "trace_max_turns": _Kind(("max",), _max_turns),
}


def _bound(entry: Entry, name: str, at: Pointer) -> int | None:
    return required_integer(entry, name, at, least=0) if name in entry else None


def _path(text: str, at: Pointer) -> Path:
    try:
        return parse_path(text)
    except ValueError as error:
        hint = r"names are joined by single dots; a dot inside a name is written \."
        raise Fault("bad_value", at, f"{quote(text, 80)} is no path: {error}", hint) from None


def _unknown_member(kind: str, member: str, at: Pointer) -> Fault:
    known = _KINDS[kind].members
    close = difflib.get_close_matches(member, known, n=1)
    meant = f"did you mean {close[0]}? " if close else ""
    hint = f"{meant}it has {', '.join(known)}"
    return Fault("unknown_field", at, f"{kind} has no member {quote(member, 80)}", hint)
