"""From pydantic's errors to located problems with stable codes, nearest-key hints and "put it in quotes"."""

from __future__ import annotations

import datetime
from collections.abc import Hashable, Mapping
from decimal import Decimal

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from proctor.errors import Problem
from proctor.excerpt import shorten
from proctor.formats.pointers import Pointer, pointer_text
from proctor.formats.yaml_reader import Document
from proctor.known_keys import nearest_key

_CODES: Mapping[str, str] = {
    "extra_forbidden": "unknown_field",
    "missing": "missing_field",
    "literal_error": "bad_choice",
    "enum": "bad_choice",
    "greater_than_equal": "out_of_range",
    "less_than_equal": "out_of_range",
    "greater_than": "out_of_range",
    "finite_number": "out_of_range",
    "too_short": "empty",
    "string_too_short": "empty",
    "string_pattern_mismatch": "bad_value",
    "value_error": "bad_value",
}
_WANTED: Mapping[str, str] = {
    "string_type": "a text",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
}


def model_problems(document: Document, model: type[BaseModel], error: ValidationError) -> list[Problem]:
    """All problems that ``model`` found in a document."""
    return [_problem(document, model, detail) for detail in error.errors(include_url=False)]


def name_type(value: object) -> str:
    """The type of a value in a word that a YAML author knows."""
    if isinstance(value, bool):
        return str(value).lower()
    names: Mapping[type, str] = {
        int: "a number",
        float: "a number",
        str: "a text",
        list: "a list",
        dict: "a mapping",
        type(None): "null",
        datetime.date: "a date",
        datetime.datetime: "a point in time",
    }
    return names.get(type(value), type(value).__name__)


def read_as(value: object) -> str:
    """How a YAML parser understood a scalar, for a reader: ``630 (a number)``."""
    name = name_type(value)
    return name if value is None or isinstance(value, bool) else f"{value} ({name})"


def _problem(document: Document, model: type[BaseModel], detail: ErrorDetails) -> Problem:
    kind, pointer = detail["type"], detail["loc"]
    if kind == "invalid_key":
        return _odd_key(document, pointer[:-1], detail["input"])
    if pointer[-1:] == ("[key]",):
        return _bad_name(document, pointer[:-1], detail["msg"])
    message, hint = _wording(document, model, detail)
    line, column = document.place(pointer, key=kind == "extra_forbidden")
    code = _CODES.get(kind) or ("wrong_type" if kind in _WANTED else kind)
    return Problem(document.path, code, message, line, column, pointer_text(pointer), hint)


def _odd_key(document: Document, pointer: Pointer, key: Hashable) -> Problem:
    written, line, column = document.odd_key(pointer, key) or (str(key), *document.place(pointer))
    message = f"a key must be a text; {written!r} is read as {read_as(key)}"
    hint = f'put it in quotes: "{written}"'
    return Problem(document.path, "wrong_type", message, line, column, pointer_text(pointer), hint)


def _bad_name(document: Document, pointer: Pointer, why: str) -> Problem:
    line, column = document.place(pointer, key=True)
    message = f"the name {pointer[-1]!r} cannot be used: {why.replace('String', 'it')}"
    return Problem(document.path, "bad_value", message, line, column, pointer_text(pointer[:-1]))


def _wording(document: Document, model: type[BaseModel], detail: ErrorDetails) -> tuple[str, str | None]:
    kind, pointer, value = detail["type"], detail["loc"], detail["input"]
    if kind == "extra_forbidden":
        return f"unknown field {str(pointer[-1])!r}", nearest_key(model, pointer)
    if kind == "missing":
        return f"the field {str(pointer[-1])!r} is required", None
    if kind in _WANTED:
        return _wrong_type(document, pointer, _WANTED[kind], value)
    message = detail["msg"].removeprefix("Value error, ")
    if kind == "too_short":
        return "needs at least one entry", None
    if _CODES.get(kind) in ("bad_choice", "out_of_range", "empty"):
        return f"{message.replace('Input', 'the value')}, got {shorten(_spelled(value), 80)}", None
    return message, None


def _spelled(value: object) -> str:
    return str(value) if isinstance(value, Decimal) else repr(value)


def _wrong_type(document: Document, pointer: Pointer, wanted: str, value: object) -> tuple[str, str | None]:
    written = document.plain_text(pointer)
    if wanted == "a text" and written is not None:
        return f"must be a text; {written!r} is read as {read_as(value)}", f'put it in quotes: "{written}"'
    seen = name_type(value)
    is_named_by_type = isinstance(value, bool) or not isinstance(value, str | int | float | list)
    shown = "" if is_named_by_type else f" ({shorten(repr(value), 60)})"
    hint = f"write [{value!r}]" if wanted == "a list" and isinstance(value, str) else None
    return f"must be {wanted}, got {seen}{shown}", hint
