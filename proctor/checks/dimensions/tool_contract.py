"""The contract of one tool: which arguments it needs, of which types, with which values.

A contract has ``required`` (a list of names), ``types`` (name to one of six type words) and ``enum`` (name to a list
of values), or a ``json_schema``, which alone decides then. More arguments than a contract names are no fault. Values
are equal as JSON values are: 1 equals 1.0 and not true; 2.0 is an integer, as JSON Schema has it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from proctor.checks.arguments import show
from proctor.checks.dimensions.argument_schema import schema_findings
from proctor.checks.dimensions.base import Finding, Row, RowIssue
from proctor.checks.dimensions.row_fields import kind_of, wrong_kind
from proctor.excerpt import quote
from proctor.jsonvalue import json_equal


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_integer(value: object) -> bool:
    return _is_number(value) and (isinstance(value, int) or (isinstance(value, float) and value.is_integer()))


_TYPES: Final[Mapping[str, Callable[[Any], bool]]] = {
    "string": lambda value: isinstance(value, str),
    "number": _is_number,
    "integer": _is_integer,
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


def contract_findings(tool: str, contract: Mapping[str, Any], arguments: dict[str, Any]) -> list[Finding]:
    """Every way in which a call breaks the contract of its tool."""
    if "json_schema" in contract:
        return schema_findings(tool, contract["json_schema"], arguments)
    findings = []
    for name in contract.get("required") or ():
        if name not in arguments:
            text = f"{quote(tool, 80)} was called without {quote(name, 80)}"
            findings.append(Finding("missing_arg", f"{tool}.{name}", text))
    for name, wanted in (contract.get("types") or {}).items():
        if name in arguments and not _TYPES[wanted](arguments[name]):
            findings.append(_wrong_type(tool, name, wanted, arguments[name]))
    for name, allowed in (contract.get("enum") or {}).items():
        if name in arguments and not _is_among(arguments[name], allowed):
            findings.append(_not_in_enum(tool, name, allowed, arguments[name]))
    return findings


def contract_issues(row: Row) -> Iterator[RowIssue]:
    """What hinders ``tool_schemas`` from being applied. A ``json_schema`` is looked at when it is needed."""
    contracts = row.get("tool_schemas")
    if contracts is None:
        return
    if not isinstance(contracts, dict):
        yield wrong_kind(("tool_schemas",), contracts, "an object with a contract for each tool")
        return
    for tool, contract in contracts.items():
        pointer = ("tool_schemas", tool)
        if isinstance(contract, dict):
            yield from _required_issues(pointer, contract.get("required"))
            yield from _types_issues(pointer, contract.get("types"))
            yield from _enum_issues(pointer, contract.get("enum"))
        else:
            yield wrong_kind(pointer, contract, "an object with required, types, enum or json_schema")


def _required_issues(pointer: tuple[str, ...], required: object) -> Iterator[RowIssue]:
    if required is None:
        return
    if not isinstance(required, list):
        yield wrong_kind((*pointer, "required"), required, "a list of argument names")
        return
    for index, name in enumerate(required):
        if not isinstance(name, str):
            yield wrong_kind((*pointer, "required", index), name, "the name of an argument")


def _types_issues(pointer: tuple[str, ...], types: object) -> Iterator[RowIssue]:
    if types is None:
        return
    if not isinstance(types, dict):
        yield wrong_kind((*pointer, "types"), types, "an object with a type for each argument")
        return
    for name, wanted in types.items():
        if not isinstance(wanted, str) or wanted not in _TYPES:
            seen = quote(wanted, 60) if isinstance(wanted, str) else kind_of(wanted)
            message = f"must be one of {', '.join(_TYPES)}, not {seen}"
            yield RowIssue("bad_type", (*pointer, "types", name), message, "a json_schema can say more")


def _enum_issues(pointer: tuple[str, ...], enum: object) -> Iterator[RowIssue]:
    if enum is None:
        return
    if not isinstance(enum, dict):
        yield wrong_kind((*pointer, "enum"), enum, "an object with a list of values for each argument")
        return
    for name, allowed in enum.items():
        if not isinstance(allowed, list):
            yield wrong_kind((*pointer, "enum", name), allowed, "a list of the allowed values")


def _is_among(value: object, allowed: list[Any]) -> bool:
    return value in allowed if type(value) is str else any(json_equal(value, other) for other in allowed)


def _wrong_type(tool: str, name: str, wanted: str, value: object) -> Finding:
    text = f"{quote(name, 80)} of {quote(tool, 80)} should be of type {wanted}; it is {show(value)}"
    return Finding("wrong_type", f"{tool}.{name}:{wanted}", text)


def _not_in_enum(tool: str, name: str, allowed: list[Any], value: object) -> Finding:
    text = f"{quote(name, 80)} of {quote(tool, 80)} should be one of {show(allowed)}; it is {show(value)}"
    return Finding("not_in_enum", f"{tool}.{name}", text)
