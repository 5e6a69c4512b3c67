"""What a row is: labelled, without an answer key, or unusable, with everything that is wrong with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from proctor.checks.dimensions import DIMENSIONS
from proctor.checks.dimensions.base import Dimension, Row, RowIssue
from proctor.checks.dimensions.row_fields import is_filled, kind_of
from proctor.dataset import RowSettings, RowState
from proctor.excerpt import quote
from proctor.formats.assevra.known_names import nearest_name
from proctor.formats.assevra.row_schema import is_well_typed, missing_issues, type_issues

SUGGESTED: Final = "_suggested"
"""The field with the names of the fields that a model has proposed and nobody has confirmed yet."""

Checked = tuple[RowState, tuple[RowIssue, ...]]

RowCheck = Callable[[Any, RowSettings, str | None], Checked]
"""What says of a row what it is: `check_row`, or a function like it."""

_GOOD: Final[Checked] = (RowState.LABELED, ())
_NO_KEY: Final = RowIssue("missing_answer_key", (), "the row has nothing to verify the answer against", is_error=False)
_UNCONFIRMED: Final = RowIssue(
    "unconfirmed_labels",
    (SUGGESTED,),
    "every answer key of the row was proposed by a model",
    f"confirm them, then remove {SUGGESTED}",
    is_error=False,
)


def check_row(row: Any, settings: RowSettings, first_use: str | None = None) -> Checked:
    """The state of a row, whatever JSON value it is, and its issues in the order in which Assevra tells them.

    ``first_use`` is the place where the row's id was used before.
    """
    if type(row) is not dict:
        return RowState.INVALID, (_no_object(row),)
    name = row.get("dimension")
    dimension = DIMENSIONS.get(name) if type(name) is str else None
    if dimension is None or first_use is not None or id_of(row) is None:
        return RowState.INVALID, tuple(_identity_issues(row, dimension, settings, first_use))
    issues = _field_issues(row, dimension, settings)
    if not issues and SUGGESTED not in row and dimension.is_labeled(row, settings):
        return _GOOD
    return _judged(row, dimension, settings, issues)


def id_of(row: Any) -> str | None:
    """The id of a row, if it is one: a text that is not blank, in an object."""
    if type(row) is not dict:
        return None
    row_id = row.get("id")
    return row_id if type(row_id) is str and row_id and not row_id.isspace() else None


def _judged(row: Row, dimension: Dimension, settings: RowSettings, issues: tuple[RowIssue, ...]) -> Checked:
    if any(issue.is_error for issue in issues):
        return RowState.INVALID, issues
    if not dimension.is_labeled(row, settings):
        return RowState.UNLABELED, (*issues, _NO_KEY)
    if _is_unconfirmed(row, dimension.answer_key):
        return RowState.UNLABELED, (*issues, _UNCONFIRMED)
    return RowState.LABELED, issues


def _identity_issues(
    row: Row, dimension: Dimension | None, settings: RowSettings, first_use: str | None
) -> Iterator[RowIssue]:
    """The issues of a row without an id of its own, or without a dimension: then nothing else can be checked."""
    if id_of(row) is None:
        yield _missing_text(row, "id", "missing_id")
    elif first_use is not None:
        message = f"the id {quote(row['id'], 60)} is used already in {first_use}"
        yield RowIssue("duplicate_id", ("id",), message, "give each row its own id; trials of a case share a case_id")
    if dimension is not None:
        yield from _field_issues(row, dimension, settings)
        return
    name = row.get("dimension")
    if not isinstance(name, str) or not name.strip():
        yield _missing_text(row, "dimension", "missing_dimension")
        return
    message = f"there is no dimension {quote(name, 60)}"
    yield RowIssue("unknown_dimension", ("dimension",), message, nearest_name(name, DIMENSIONS))


def _field_issues(row: Row, dimension: Dimension, settings: RowSettings) -> tuple[RowIssue, ...]:
    if is_well_typed(row) and all(map(row.get, dimension.required)):
        return tuple(dimension.issues(row, settings))
    missing = {issue.pointer: issue for issue in missing_issues(row, dimension.required, dimension.name)}
    wrong = (issue for issue in type_issues(row) if issue.pointer not in missing)
    found = (*missing.values(), *wrong, *dimension.issues(row, settings))
    return tuple(sorted(found, key=_is_there))


def _is_there(issue: RowIssue) -> bool:
    """Whether the issue is about a field that the row has: those that it lacks are told first."""
    return issue.code != "missing_field" or len(issue.pointer) > 1


def _is_unconfirmed(row: Row, keys: tuple[str, ...]) -> bool:
    """Whether each filled answer key is listed as proposed. A list in another form leaves open which ones are."""
    suggested = row.get(SUGGESTED)
    if not suggested:
        return False
    if not isinstance(suggested, str | list | dict):
        return True
    return all(key in suggested for key in keys if is_filled(row.get(key)))


def _missing_text(row: Row, name: str, code: str) -> RowIssue:
    if name not in row:
        return RowIssue(code, (), f"the field {name!r} is required")
    value = row[name]
    seen = "a blank text" if isinstance(value, str) else kind_of(value)
    return RowIssue(code, (name,), f"must be a text that is not blank; it is {seen}")


def _no_object(value: Any) -> RowIssue:
    hint = "write one object a line, without a list around them" if isinstance(value, list) else None
    return RowIssue("not_an_object", (), f"a row is an object, not {kind_of(value)}", hint)
