"""What is told of a value that is no transcript: the errors of its schema with stable codes, and what helps."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from proctor.brainbench.eras import Era
from proctor.brainbench.recording.probe_ids import is_probe_id
from proctor.excerpt import quote
from proctor.formats.brainbench.dialects import transcript_schema
from proctor.formats.brainbench.schema_errors import MOST_ERRORS, SchemaError
from proctor.formats.pointers import Pointer

_CODES: Final[Mapping[str, str]] = {
    "type": "wrong_type",
    "const": "bad_choice",
    "enum": "bad_choice",
    "minimum": "out_of_range",
    "pattern": "bad_value",
    "format": "bad_value",
}
_IDS: Final = {
    Era.SEED: "ids are q- and four digits, like q-0001",
    Era.POST_AUDIT: "an id is a letter or digit, then letters, digits, dots, underscores and hyphens",
}
_PROBE_ID: Final = ("probe_id",)


class Told(NamedTuple):
    """One problem of a value. ``path`` leads to the place, also to that of a member that is missing."""

    code: str
    path: Pointer
    message: str
    hint: str | None = None


def told(value: Any, errors: Sequence[SchemaError], dialect: Era) -> Iterator[Told]:
    """What is told of the errors that a dialect's schema finds in a value.

    A place of the wrong type is told once. Unknown members are told one by one, `MOST_ERRORS` of them.
    """
    mistyped = {error.path for error in errors if error.keyword == "type"}
    for error in errors:
        if error.missing is not None:
            yield Told("missing_field", (*error.path, error.missing), error.message, _missing_hint(error, dialect))
        elif error.unknown:
            yield from (_unknown(error.path, name, dialect) for name in error.unknown[:MOST_ERRORS])
        elif error.keyword == "type" or error.path not in mistyped:
            yield Told(_CODES[error.keyword], error.path, error.message, _hint(value, error, dialect))


def _missing_hint(error: SchemaError, dialect: Era) -> str | None:
    is_optional = not error.path and error.missing not in transcript_schema(Era.SEED)["required"]
    return 'the dialect "seed" does without it' if dialect is Era.POST_AUDIT and is_optional else None


def _unknown(parent: Pointer, name: str, dialect: Era) -> Told:
    close = difflib.get_close_matches(name, transcript_schema(dialect)["properties"], n=1)
    hint = f"did you mean {close[0]!r}?" if close else "members of your own belong into the adapter or into a turn"
    return Told("unknown_field", (*parent, name), f"unknown member {quote(name, 80)}", hint)


def _hint(value: Any, error: SchemaError, dialect: Era) -> str | None:
    if error.keyword == "format":
        return "write it like 2026-02-11T09:00:00.250Z"
    if error.keyword != "pattern" or error.path != _PROBE_ID:
        return None
    if dialect is Era.SEED and is_probe_id(value["probe_id"], Era.POST_AUDIT):
        return 'write "dialect: post-audit" in the brainbench block of a suite'
    return _IDS[dialect]
