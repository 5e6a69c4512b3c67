"""The quick test for what a JSON Schema accepts; `proctor.formats.brainbench.schema_errors` says what it refuses.

The schema is made into nested functions once. They know the keywords that the schemas of transcripts have, formats and
the anchors of patterns as ECMA-262 and RFC 3339 have them, and no others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from proctor.formats.brainbench.rfc3339 import is_date_time
from proctor.jsonvalue import json_equal

Test: TypeAlias = Callable[[Any], bool]
"""Whether something holds for a JSON value."""

_ANNOTATIONS: Final = frozenset({"$schema", "$id", "title", "description"})


def acceptance(schema: Mapping[str, Any]) -> Test:
    """The test for the values that a schema accepts.

    Raises:
        KeyError: the schema has a keyword, a type or a format that is not known here.
    """
    if "additionalProperties" in schema:
        known = {False: frozenset(schema["properties"])}
        schema = {**schema, "additionalProperties": known[schema["additionalProperties"]]}
    tests = [_KEYWORDS[keyword](wanted) for keyword, wanted in schema.items() if keyword not in _ANNOTATIONS]
    return tests[0] if len(tests) == 1 else _all_of(tests)


def _all_of(tests: list[Test]) -> Test:
    def holds(value: Any) -> bool:
        for test in tests:  # noqa: SIM110 - a loop is twice as fast as all()
            if not test(value):
                return False
        return True

    return holds


def _is_integer(value: Any) -> bool:
    return type(value) is int or (type(value) is float and value.is_integer())


def _is_instance_of(type_: type) -> Test:
    return lambda value: isinstance(value, type_)


def _required(names: list[str]) -> Test:
    wanted = frozenset(names)
    return lambda value: not isinstance(value, dict) or wanted <= value.keys()


def _known_only(names: frozenset[str]) -> Test:
    return lambda value: not isinstance(value, dict) or value.keys() <= names


def _members(schemas: Mapping[str, Any]) -> Test:
    tests = {name: acceptance(schema) for name, schema in schemas.items()}

    def holds(value: Any) -> bool:
        if isinstance(value, dict):
            for name, test in tests.items():
                if name in value and not test(value[name]):
                    return False
        return True

    return holds


def _items(schema: Mapping[str, Any]) -> Test:
    test = acceptance(schema)
    return lambda value: not isinstance(value, list) or all(map(test, value))


def _choices(wanted: list[Any]) -> Test:
    return lambda value: any(json_equal(value, choice) for choice in wanted)


def _minimum(least: int) -> Test:
    return lambda value: type(value) not in (int, float) or value >= least


def _pattern(pattern: str) -> Test:
    """``$`` is the very end of a text, as in ECMA-262: Python's also stands before a final line feed."""
    found = re.compile(pattern.removesuffix("$") + r"\Z" if pattern.endswith("$") else pattern, re.ASCII)
    return lambda value: not isinstance(value, str) or found.search(value) is not None


def _format(name: str) -> Test:
    test = {"date-time": is_date_time}[name]
    return lambda value: not isinstance(value, str) or test(value)


_TYPES: Final[Mapping[str, Test]] = {
    "object": _is_instance_of(dict),
    "array": _is_instance_of(list),
    "string": _is_instance_of(str),
    "boolean": _is_instance_of(bool),
    "integer": _is_integer,
}
_KEYWORDS: Final[Mapping[str, Callable[[Any], Test]]] = {
    "type": _TYPES.__getitem__,
    "required": _required,
    "properties": _members,
    "additionalProperties": _known_only,
    "items": _items,
    "enum": _choices,
    "const": lambda wanted: _choices([wanted]),
    "minimum": _minimum,
    "pattern": _pattern,
    "format": _format,
}
