"""The fields that a row of any dimension may have, and their types.

They are those of the published row schema, version 2; the fields of one dimension alone are checked by that dimension.
Null stands for an absent field, but not for ``case_id`` and ``tags``: Assevra refuses it there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from proctor.checks.dimensions.base import Row, RowIssue
from proctor.checks.dimensions.row_fields import name_list_issues, wrong_kind

_TEXTS: Final = ("case_id", "input", "context", "agent_output")
_NO_NULL: Final = ("case_id", "tags")


def is_well_typed(row: Row) -> bool:
    """Whether the common fields have their types: the quick test for what `type_issues` tells."""
    get = row.get
    return (
        type(get("input", "")) is str
        and type(get("agent_output", "")) is str
        and type(get("case_id", "")) is str
        and type(get("context", "")) is str
        and ("tags" not in row or _are_texts(row["tags"]))
    )


def type_issues(row: Row) -> Iterator[RowIssue]:
    """What is wrong with the types of the common fields."""
    for name in _NO_NULL:
        if name in row and row[name] is None:
            yield RowIssue("bad_type", (name,), "must not be null", "leave the field out instead")
    yield from _text_issues(row, "case_id")
    yield from name_list_issues(row, "tags")
    for name in _TEXTS[1:]:
        yield from _text_issues(row, name)


def missing_issues(row: Row, required: tuple[str, ...], dimension: str) -> Iterator[RowIssue]:
    """The fields that the dimension needs and the row has not, or has empty.

    An empty ``agent_output`` is there: an agent that answers nothing has answered.
    """
    for name in required:
        value = row.get(name)
        if value is None or value in ([], {}):
            message = f"the field {name!r} is required for a row of the dimension {dimension}"
            yield RowIssue("missing_field", (name,), message)
        elif value == "" and name != "agent_output":
            yield RowIssue("missing_field", (name,), f"must not be empty in a row of the dimension {dimension}")


def _are_texts(value: Any) -> bool:
    return type(value) is list and all(type(item) is str for item in value)


def _text_issues(row: Row, name: str) -> Iterator[RowIssue]:
    value = row.get(name)
    if value is not None and not isinstance(value, str):
        yield wrong_kind((name,), value, "a text")
