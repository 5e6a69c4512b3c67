"""Arguments against a JSON Schema: Draft 2020-12 with format checks, and nothing is ever fetched.

What is provably cheap is checked in this process, everything else in one that is killed when it gives no answer in
time: `proctor.checks.dimensions.schema_worker`.

Which formats are checked is fixed here, so that a verdict does not depend on what else is installed.
"""

from __future__ import annotations

import json
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from proctor.checks.dimensions.base import Finding
from proctor.checks.dimensions.schema_cost import is_bounded
from proctor.checks.worker_process import NoAnswer, WorkerProcess
from proctor.excerpt import mark_controls, quote, said, shorten

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator, FormatChecker
    from jsonschema.exceptions import ValidationError

UNUSABLE: Final = "schema_unusable"
"""The code of the finding that a schema could not be applied: there is no verdict then."""

FORMATS: Final = ("date", "date-time", "time", "email", "idn-email", "ipv4", "ipv6", "regex", "uuid")
"""The formats that are checked. Any other format says nothing."""

MAX_ERRORS: Final = 50
"""How many errors of one call are told."""

_SANE_DEPTH: Final = 50
"""Deeper arguments are to blame for a recursion without end, and otherwise the schema is."""


_worker = WorkerProcess("proctor.checks.dimensions.schema_worker")


def schema_findings(tool: str, schema: object, arguments: dict[str, Any]) -> list[Finding]:
    """Every way in which the arguments break the schema, in the schema's order, or that it cannot be applied."""
    try:
        schema_text = json.dumps(schema)
        if is_bounded(schema_text, len(json.dumps(arguments))):
            return check_arguments(tool, schema_text, arguments)
        return [Finding(*found) for found in _worker.ask([tool, schema_text, arguments])]
    except RecursionError:
        return [_endless(tool, arguments)]
    except NoAnswer as problem:
        return [_unusable(tool, f"it {problem}")]


def check_arguments(tool: str, schema_text: str, arguments: dict[str, Any]) -> list[Finding]:
    """`schema_findings` in this process, however long it takes.

    Raises:
        MemoryError: there is not enough memory.
    """
    try:
        validator = _validator(schema_text)
        if isinstance(validator, str):
            return [_unusable(tool, validator)]
        return [_finding(tool, error) for error in islice(validator.iter_errors(arguments), MAX_ERRORS)]
    except RecursionError:
        return [_endless(tool, arguments)]
    except MemoryError:
        raise
    except Exception as error:  # references that lead nowhere, and numbers that the arithmetic of a keyword cannot take
        return [_unusable(tool, said(error))]


def _endless(tool: str, arguments: dict[str, Any]) -> Finding:
    """What a recursion without end says: of the arguments if they are deep, and otherwise of the schema."""
    if _depth(arguments) > _SANE_DEPTH:
        text = f"the arguments of {quote(tool, 80)} are nested too deeply to be checked against its JSON Schema"
        return Finding("too_deep", tool, text)
    return _unusable(tool, "it refers to itself without end")


@lru_cache(maxsize=256)
def _validator(schema_text: str) -> Draft202012Validator | str:
    """A compiled schema, or what is wrong with it."""
    from jsonschema import Draft202012Validator
    from referencing import Registry

    schema = json.loads(schema_text)
    meta = Draft202012Validator(Draft202012Validator.META_SCHEMA, format_checker=Draft202012Validator.FORMAT_CHECKER)
    # The order of errors differs from process to process, and what is told must not.
    problems = [(_pointer(error), shorten(mark_controls(error.message), 200)) for error in meta.iter_errors(schema)]
    if problems:
        place, message = min(problems)
        return f"{message}, at {place}"
    return Draft202012Validator(schema, registry=Registry(), format_checker=_format_checker())


def _format_checker() -> FormatChecker:
    from jsonschema import Draft202012Validator, FormatChecker

    known = Draft202012Validator.FORMAT_CHECKER.checkers
    checker = FormatChecker(formats=())
    checker.checkers = {name: known[name] for name in FORMATS}
    return checker


def _finding(tool: str, error: ValidationError) -> Finding:
    place = _pointer(error)
    where = "" if place == "/" else f" at {mark_controls(shorten(place))}"
    text = f"the arguments of {quote(tool, 80)} break its JSON Schema{where}: {mark_controls(shorten(error.message))}"
    return Finding("schema", f"{tool}:{error.validator}:{place}", text)


def _unusable(tool: str, problem: str) -> Finding:
    text = f"the JSON Schema of {quote(tool, 80)} cannot be applied to its arguments: {problem}; see tool_schemas"
    return Finding(UNUSABLE, "", text)


def _pointer(error: ValidationError) -> str:
    return "/" + "/".join(map(str, error.absolute_path))


def _depth(value: object) -> int:
    """How many lists and objects are around the innermost value."""
    depth, level = 0, [value]
    while level := [inner for outer in level for inner in _inside(outer)]:
        depth += 1
    return depth


def _inside(value: object) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []
