"""From pydantic's errors to located problems with stable codes, nearest-key hints and "put it in quotes"."""

from __future__ import annotations

import datetime
import difflib
import typing
from collections.abc import Iterator, Mapping
from typing import Any, Protocol, cast

from pydantic import BaseModel, ValidationError

from proctor.errors import Problem
from proctor.excerpt import shorten
from proctor.formats.yaml_reader import Document, Pointer

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


class _Error(Protocol):
    """The members of pydantic's ErrorDetails that are used here."""

    def __getitem__(self, key: str) -> Any: ...
    def get(self, key: str) -> Any: ...


def model_problems(document: Document, model: type[BaseModel], error: ValidationError) -> list[Problem]:
    """All problems that ``model`` found in a document."""
    details = cast("list[_Error]", error.errors(include_url=False, include_context=True))
    return [_problem(document, model, detail) for detail in details]


def pointer_text(pointer: Pointer) -> str:
    """Spell a pointer as people write it: ``turns[1].expect.judge``."""
    text = ""
    for step in pointer:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else str(step)
    return text


def name_type(value: object) -> str:
    """The type of a value in a word that a YAML author knows."""
    names: Mapping[type, str] = {
        bool: "true or false" if not isinstance(value, bool) else str(value).lower(),
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
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    return f"{value} ({name_type(value)})"


def _problem(document: Document, model: type[BaseModel], detail: _Error) -> Problem:
    kind = str(detail["type"])
    pointer = cast("Pointer", tuple(step for step in detail["loc"] if isinstance(step, int | str)))
    message, hint = _wording(document, model, pointer, kind, detail)
    line, column = document.place(pointer, key=kind == "extra_forbidden")
    code = _CODES.get(kind) or ("wrong_type" if kind in _WANTED else kind)
    return Problem(document.path, code, message, line, column, pointer_text(pointer), hint)


def _wording(
    document: Document, model: type[BaseModel], pointer: Pointer, kind: str, detail: _Error
) -> tuple[str, str | None]:
    value = detail["input"]
    if kind == "extra_forbidden":
        return f"unknown field {str(pointer[-1])!r}", _nearest(model, pointer)
    if kind == "missing":
        return f"the field {str(pointer[-1])!r} is required", None
    if kind in _WANTED:
        return _wrong_type(document, pointer, _WANTED[kind], value)
    message = str(detail["msg"]).removeprefix("Value error, ")
    if kind in ("literal_error", "enum"):
        return f"{message.replace('Input', 'the value')}, got {shorten(repr(value), 80)}", None
    if _CODES.get(kind) in ("out_of_range", "empty"):
        return f"{message.replace('Input', 'the value')}, got {shorten(repr(value), 80)}", None
    return message, None


def _wrong_type(document: Document, pointer: Pointer, wanted: str, value: object) -> tuple[str, str | None]:
    written = document.plain_text(pointer)
    if wanted == "a text" and written is not None:
        return f"must be a text; {written!r} is read as {read_as(value)}", f'put it in quotes: "{written}"'
    seen = name_type(value)
    shown = f" ({shorten(repr(value), 60)})" if isinstance(value, str | int | float | list) else ""
    hint = f"write [{value!r}]" if wanted == "a list" and isinstance(value, str) else None
    return f"must be {wanted}, got {seen}{shown}", hint


def _nearest(model: type[BaseModel], pointer: Pointer) -> str:
    """Name the nearest allowed key, and all of them."""
    allowed = _allowed_keys(model, pointer[:-1])
    close = difflib.get_close_matches(str(pointer[-1]), allowed, n=1)
    known = "allowed: " + ", ".join(allowed)
    return f"did you mean {close[0]!r}? {known}" if close else known


def _allowed_keys(model: type[BaseModel], pointer: Pointer) -> list[str]:
    current: Any = model
    for step in pointer:
        if isinstance(step, int):
            continue
        if isinstance(current, type) and issubclass(current, BaseModel) and (found := _field(current, step)):
            current = found
    if isinstance(current, type) and issubclass(current, BaseModel):
        return [field.alias or name for name, field in current.model_fields.items()]
    return []


def _field(model: type[BaseModel], step: str) -> type[BaseModel] | None:
    for name, field in model.model_fields.items():
        if step in (name, field.alias):
            return next(_models_in(field.annotation), None)
    return None


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models inside an annotation such as ``tuple[Turn, ...]`` or ``Judge | None``."""
    if typing.get_origin(annotation) is None:
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            yield annotation
        return
    for argument in typing.get_args(annotation):
        yield from _models_in(argument)
