"""The members of a record: read with their type, or refused with their place.

A record is refused with its first fault. The order in which members are read is that of the fixture's type file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from proctor.excerpt import quote
from proctor.formats.pointers import Pointer

LARGEST: Final = 2**53 - 1
"""Larger whole numbers are not integers here, as for JavaScript's ``Number.isSafeInteger``."""


class Fault(Exception):
    """Why a record cannot be used: a stable code, the place inside the record, a sentence, and what helps."""

    def __init__(self, code: str, pointer: Pointer, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.code, self.pointer, self.message, self.hint = code, pointer, message, hint


def type_name(value: object) -> str:
    """What JSON calls the type of a value."""
    if isinstance(value, bool):
        return "boolean"
    names: Mapping[type, str] = {int: "number", float: "number", str: "string", list: "array", dict: "object"}
    return names.get(type(value), "null")


def whole_number(value: object) -> int | None:
    """A number as an integer, if it is one: ``1``, ``1.0`` and ``1e3`` are, ``true``, ``0.5`` and 2**53 are not."""
    if type(value) is float and value.is_integer():
        value = int(value)
    return value if type(value) is int and -LARGEST <= value <= LARGEST else None


def required(record: Mapping[str, Any], name: str, parent: Pointer = (), hint: str | None = None) -> Any:
    """The value of a member.

    Raises:
        Fault: it is not there.
    """
    if name not in record:
        raise Fault("missing_field", (*parent, name), "is missing", hint)
    return record[name]


def required_text(record: Mapping[str, Any], name: str, parent: Pointer = (), *, may_be_empty: bool = False) -> str:
    """The string of a member.

    Raises:
        Fault: it is not there, is no string, or is empty.
    """
    value = required(record, name, parent)
    if not isinstance(value, str):
        raise wrong_type((*parent, name), "a string", value)
    if not value and not may_be_empty:
        raise Fault("empty", (*parent, name), "must not be empty")
    return value


def required_integer(
    record: Mapping[str, Any], name: str, parent: Pointer = (), *, least: int | None = None, hint: str | None = None
) -> int:
    """The integer of a member.

    Raises:
        Fault: it is not there, is no integer, or is less than ``least``.
    """
    value = required(record, name, parent, hint)
    number = whole_number(value)
    if number is None:
        raise _no_integer((*parent, name), value)
    if least is not None and number < least:
        raise Fault("out_of_range", (*parent, name), f"must be {least} or more, got {number}")
    return number


def wrong_type(pointer: Pointer, wanted: str, value: object) -> Fault:
    """The fault of a value that is something else."""
    return Fault("wrong_type", pointer, f"must be {wanted}, got {type_name(value)}")


def unknown_choice(pointer: Pointer, what: str, value: object, known: tuple[str, ...]) -> Fault:
    """The fault of a value that is none of a few strings."""
    shown = quote(value, 80) if isinstance(value, str) else type_name(value)
    expected = f"{', '.join(known[:-1])} or {known[-1]}"
    return Fault("bad_choice", pointer, f"unknown {what} {shown}; expected {expected}")


def _no_integer(pointer: Pointer, value: object) -> Fault:
    if isinstance(value, float) and not value.is_integer():
        return Fault("wrong_type", pointer, f"must be an integer, got {value}")
    if type_name(value) == "number":
        return Fault("out_of_range", pointer, "must be an integer of at most 2^53-1 in magnitude")
    return wrong_type(pointer, "an integer", value)
