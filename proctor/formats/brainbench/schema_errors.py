"""A JSON Schema (Draft 2020-12) applied to an instance: every error with its place, its keyword and a sentence.

Formats are asserted by the grammar of RFC 3339, patterns have the anchors of ECMA-262, and nothing is ever fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from proctor.excerpt import quote
from proctor.formats.brainbench.rfc3339 import is_date, is_date_time
from proctor.formats.pointers import Pointer, json_pointer

if TYPE_CHECKING:
    from jsonschema import FormatChecker
    from jsonschema.exceptions import ValidationError
    from jsonschema.protocols import Validator

MOST_ERRORS: Final = 1000
"""Errors that are told of one instance."""


@dataclass(frozen=True, slots=True)
class SchemaError:
    """One way in which an instance breaks its schema.

    ``path`` leads to the value at fault, ``message`` is a sentence about it. ``missing`` is the member that the
    keyword ``required`` wants, ``unknown`` are those that ``additionalProperties`` refuses, sorted.
    """

    path: Pointer
    keyword: str
    message: str
    missing: str | None = None
    unknown: tuple[str, ...] = ()

    @property
    def pointer(self) -> str:
        """The JSON pointer (RFC 6901) of the value at fault; empty for the instance itself."""
        return json_pointer(self.path)

    def to_json(self) -> dict[str, object]:
        """The error as JSON: pointer, keyword, and the ``property`` or ``properties`` in question."""
        found: dict[str, object] = {"pointer": self.pointer, "keyword": self.keyword}
        if self.missing is not None:
            found["property"] = self.missing
        if self.unknown:
            found["properties"] = list(self.unknown)
        return found


class Schema:
    """A schema that is ready to be applied."""

    def __init__(self, schema: Mapping[str, Any]) -> None:
        from referencing import Registry

        self._validator: Validator = _dialect()(schema, registry=Registry(), format_checker=_format_checker())

    def errors(self, instance: Any) -> list[SchemaError]:
        """The errors of an instance, sorted by pointer, keyword and property; at most `MOST_ERRORS`."""
        found = map(_error, islice(self._validator.iter_errors(instance), MOST_ERRORS))
        return sorted(found, key=lambda error: (error.pointer, error.keyword, error.missing or ""))

    def accepts(self, instance: Any) -> bool:
        """Whether an instance has no errors."""
        return self._validator.is_valid(instance)


@lru_cache(maxsize=1)
def _dialect() -> Any:
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    keywords = {"pattern": _pattern_errors, "required": _required_errors}
    return extend(Draft202012Validator, keywords)  # type: ignore[no-untyped-call]


@lru_cache(maxsize=1)
def _format_checker() -> FormatChecker:
    from jsonschema import FormatChecker

    checker = FormatChecker(formats=())
    checker.checkers = {
        "date": (lambda value: not isinstance(value, str) or is_date(value), ()),
        "date-time": (lambda value: not isinstance(value, str) or is_date_time(value), ()),
    }
    return checker


def _pattern_errors(
    _validator: Validator, pattern: str, instance: object, _schema: object
) -> Iterator[ValidationError]:
    from jsonschema.exceptions import ValidationError

    if isinstance(instance, str) and not _ecma(pattern).search(instance):
        yield ValidationError("does not match")


def _required_errors(
    _validator: Validator, names: list[str], instance: object, _schema: object
) -> Iterator[ValidationError]:
    """One error for each member that is missing, whose message is its name and nothing else."""
    from jsonschema.exceptions import ValidationError

    if isinstance(instance, dict):
        yield from (ValidationError(name) for name in names if name not in instance)


@lru_cache(maxsize=64)
def _ecma(pattern: str) -> re.Pattern[str]:
    """A pattern whose last ``$`` stands for the very end: Python's lets a final line feed through."""
    return re.compile(re.sub(r"(?<!\\)\$\Z", r"\\Z", pattern), re.ASCII)


def _error(error: ValidationError) -> SchemaError:
    keyword, wanted, value = str(error.validator), error.validator_value, error.instance
    path = tuple(error.absolute_path)
    if keyword == "required":
        missing = error.message
        return SchemaError(path, keyword, f"the member {quote(missing, 80)} is missing", missing=missing)
    if keyword == "additionalProperties" and isinstance(value, dict):
        unknown = _unknown(error.schema, value)
        named = ", ".join(quote(name, 80) for name in unknown[:5]) + (", …" if len(unknown) > 5 else "")
        return SchemaError(path, keyword, f"unknown member{'s'[: len(unknown) - 1]} {named}", unknown=unknown)
    return SchemaError(path, keyword, _sentence(keyword, wanted, value))


def _unknown(schema: object, value: Mapping[str, object]) -> tuple[str, ...]:
    known = schema.get("properties", {}) if isinstance(schema, dict) else {}
    return tuple(sorted(name for name in value if name not in known))


def _sentence(keyword: str, wanted: Any, value: object) -> str:
    shown = _shown(value)
    if keyword == "type":
        return f"must be {_article(wanted)}, got {shown}"
    if keyword in {"enum", "const"}:
        choices = [wanted] if keyword == "const" else wanted
        return f"must be {_either([_shown(choice) for choice in choices])}, got {shown}"
    if keyword in {"minItems", "maxItems"}:
        return f"must have {'at least' if keyword == 'minItems' else 'at most'} {wanted} items"
    sentences: Mapping[str, str] = {
        "minimum": f"must be {wanted} or more, got {shown}",
        "maximum": f"must be {wanted} or less, got {shown}",
        "minLength": "must not be empty",
        "format": f"must be a {wanted} as RFC 3339 writes it, got {shown}",
        "pattern": f"must match {wanted}, got {shown}",
        "oneOf": f"has none of the allowed forms, got {shown}",
        "anyOf": f"has none of the allowed forms, got {shown}",
    }
    return sentences.get(keyword, f"breaks the rule {keyword}, got {shown}")


def _article(wanted: str | list[str]) -> str:
    names = [wanted] if isinstance(wanted, str) else wanted
    return " or ".join(f"{'an' if name[0] in 'aeio' else 'a'} {name}" for name in names)


def _either(choices: list[str]) -> str:
    if len(choices) > 15:
        return f"one of {choices[0]} to {choices[-1]}"
    return choices[0] if len(choices) == 1 else f"{', '.join(choices[:-1])} or {choices[-1]}"


def _shown(value: object) -> str:
    if isinstance(value, str):
        return quote(value, 80)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return f"{value:.6g}" if abs(value) >= 1e15 else str(value)
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "an array"
    return "null"
