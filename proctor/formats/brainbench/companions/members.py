"""The optional members of companion records. Null stands for a member that is absent, as it does for the original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from proctor.excerpt import quote
from proctor.formats.members import Fault, required_text, wrong_type
from proctor.formats.pointers import Pointer


def optional_text(record: Mapping[str, Any], name: str, parent: Pointer = ()) -> str:
    """The text of a member; empty where it is absent.

    Raises:
        Fault: it is something else.
    """
    if record.get(name) is None:
        return ""
    return required_text(record, name, parent, may_be_empty=True)


def optional_flag(record: Mapping[str, Any], name: str) -> bool:
    """A member that is true or false; False where it is absent.

    Raises:
        Fault: it is something else.
    """
    value = record.get(name)
    if value is not None and not isinstance(value, bool):
        raise wrong_type((name,), "true or false", value)
    return bool(value)


def texts(record: Mapping[str, Any], name: str) -> tuple[str, ...]:
    """The texts of a member that is an array of different texts; none where it is absent.

    Raises:
        Fault: it is something else, or one of them is empty or stands twice.
    """
    values = record.get(name)
    if values is None:
        return ()
    if not isinstance(values, list):
        raise wrong_type((name,), "an array", values)
    seen: set[str] = set()
    for index, value in enumerate(values):
        if not isinstance(value, str):
            raise wrong_type((name, index), "a string", value)
        if not value.strip():
            raise Fault("empty", (name, index), "must not be empty")
        if value in seen:
            raise Fault("duplicate_value", (name, index), f"{quote(value, 80)} stands twice in this list")
        seen.add(value)
    return tuple(values)


def first_present(record: Mapping[str, Any], names: Sequence[str]) -> str:
    """The first of some names that a record has; the first of them all where it has none."""
    return next((name for name in names if record.get(name) is not None), names[0])
