"""Questions that several dimensions ask of a row's fields: is it filled, what kind of JSON value is it, is it a list.

A field that is null counts as absent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from proctor.checks.dimensions.base import Row, RowIssue
from proctor.excerpt import quote

_EMPTY: Final[tuple[Any, ...]] = (None, "", [], {})

_KINDS: Final = {
    dict: "an object",
    list: "a list",
    str: "a text",
    bool: "true or false",
    int: "a number",
    float: "a number",
    type(None): "null",
}


def is_filled(value: object) -> bool:
    """Whether a value says anything: null and an empty text, list or object do not; false, 0 and blanks do."""
    return value not in _EMPTY


def kind_of(value: object) -> str:
    """The kind of a JSON value in words: ``an object``, ``a list``, ``a text``."""
    return _KINDS.get(type(value), "something else")


def wrong_kind(pointer: tuple[str | int, ...], value: object, wanted: str, hint: str | None = None) -> RowIssue:
    """The issue that the value at ``pointer`` is of another kind than ``wanted``."""
    return RowIssue("bad_type", pointer, f"must be {wanted}, not {kind_of(value)}", hint)


def wrong_choice(field: str, value: object, choices: Sequence[str]) -> RowIssue:
    """The issue that a field has none of the values that it may have."""
    seen = quote(value, 60) if isinstance(value, str) else kind_of(value)
    return RowIssue("bad_value", (field,), f"must be one of {', '.join(choices)}, not {seen}")


def name_list_issues(row: Row, field: str, *, or_text: bool = False) -> tuple[RowIssue, ...]:
    """What hinders a field from being read as a list of names; ``or_text``: one text is a list of one."""
    value = row.get(field)
    if value is None or (or_text and isinstance(value, str)):
        return ()
    if not isinstance(value, list):
        return (wrong_kind((field,), value, "a list of names", f'write ["..."] under {field}'),)
    for index, item in enumerate(value):
        if not isinstance(item, str):
            return (wrong_kind((field, index), item, "a text", "put the name in quotes"),)
    return ()
