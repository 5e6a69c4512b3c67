"""Tool calls as agents and frameworks record them: where name and arguments stand, and how arguments are read.

The name is the first filled one of ``name``, ``tool`` and ``function``, which may be an object with a ``name`` (as
OpenAI's API has it). Arguments stand in that ``function`` object or else in the call, under ``arguments``, ``args`` or
``input``: an object, or the JSON text that a model wrote. Null and blank text are no arguments.
"""

from __future__ import annotations

import json
from typing import Any, Final

from pydantic_core import from_json

from proctor.checks.dimensions.base import Finding, Row, RowIssue
from proctor.checks.dimensions.row_fields import kind_of
from proctor.excerpt import mark_controls, quote, shorten

Arguments = dict[str, Any]

_ARGUMENT_FIELDS: Final = ("arguments", "args", "input")


def calls_of(row: Row) -> list[Any]:
    """The recorded calls in order; one object is a list of one. Items may be anything."""
    calls = row.get("tool_calls")
    if isinstance(calls, list):
        return calls
    return [calls] if isinstance(calls, dict) else []


def pointer_of(row: Row, index: int) -> tuple[str | int, ...]:
    """Where the call with this index stands in the row."""
    return ("tool_calls", index) if isinstance(row["tool_calls"], list) else ("tool_calls",)


def name_of(call: Arguments) -> Any:
    """What stands where the name of the tool belongs: a text, None for no name, or a value that is no name."""
    name = call.get("name") or call.get("tool") or call.get("function")
    if isinstance(name, dict):
        name = name.get("name")
    return name or None


def wrong_name(pointer: tuple[str | int, ...], name: object) -> RowIssue:
    """The issue that the call at ``pointer`` has a name that is no text."""
    return RowIssue("bad_type", pointer, f"must name its tool by a text, not by {kind_of(name)}")


def arguments_of(call: Arguments) -> Any:
    """What stands where the arguments belong, unread. The first field that is there decides, even with null."""
    function = call.get("function")
    holder = function if isinstance(function, dict) else call
    for field in _ARGUMENT_FIELDS:
        if field in holder:
            return holder[field]
    return None


def read_arguments(tool: str, recorded: object) -> Arguments | Finding:
    """The arguments as an object, or the finding that they are none.

    Of a name that is twice in a JSON text, the last value counts.
    """
    if isinstance(recorded, dict):
        return recorded
    if recorded is None:
        return {}
    if isinstance(recorded, str):
        return _parse(tool, recorded) if recorded.strip() else {}
    text = f"the arguments of {quote(tool, 80)} should be an object; they are {kind_of(recorded)}"
    return Finding("arg_type", f"{tool}:{type(recorded).__name__}", text)


def _parse(tool: str, text: str) -> Arguments | Finding:
    try:
        parsed = from_json(text, cache_strings="keys")
    except (ValueError, TypeError):  # TypeError: the text itself has a lone surrogate
        return _parse_slowly(tool, text)
    return parsed if type(parsed) is dict else _no_object(tool, text, parsed)


def _parse_slowly(tool: str, text: str) -> Arguments | Finding:
    """The fast reader refuses lone surrogates and 200 levels, and tells places in its own way."""
    try:
        parsed = json.loads(text)
    except json.JSONDecodeError as error:
        return _broken(tool, text, f"{error.msg.removesuffix(' at')} at line {error.lineno}, column {error.colno}")
    except RecursionError:
        return _broken(tool, text, "nested too deeply")
    except ValueError:  # an integer that is longer than Python reads (`sys.set_int_max_str_digits`)
        return _broken(tool, text, "a number has too many digits")
    return parsed if type(parsed) is dict else _no_object(tool, text, parsed)


def _no_object(tool: str, text: str, parsed: object) -> Finding:
    said = f"the arguments of {quote(tool, 80)} should be an object; the JSON text is {kind_of(parsed)}"
    return Finding("not_object", tool, f"{said}: {mark_controls(shorten(text, 80))}")


def _broken(tool: str, text: str, problem: str) -> Finding:
    said = f"the arguments of {quote(tool, 80)} are no JSON: {problem}"
    return Finding("bad_json", tool, f"{said}; they are {quote(text, 80)}")
