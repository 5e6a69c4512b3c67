"""The text of a configuration file as a value, with places.

It is YAML 1.2, or JSON where it begins with ``{``. Some words that YAML 1.2 reads as text mean what they mean to
Assevra's own reader, if they stand without quotes: ``yes``, ``off``, ``none``, ``2_000``. One does not: the judge
provider ``none`` is a name. Of a repeated key the last one wins, with a warning.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import yaml

from proctor.errors import Problem, Severity
from proctor.formats.pointers import Pointer
from proctor.formats.yaml_reader import Dialect, Document, read_yaml

_WORDS: Final[Mapping[str, bool | None]] = {
    **dict.fromkeys(("true", "yes", "on"), True),
    **dict.fromkeys(("false", "no", "off"), False),
    **dict.fromkeys(("null", "none"), None),
}
_GROUPED_NUMBER: Final = re.compile(r"[-+]?[0-9]+(?:_[0-9]+)+(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_NAMES: Final[frozenset[Pointer]] = frozenset({("judge", "provider")})
"""Values that are names, whatever the word."""


def read_config_text(path: Path, data: bytes) -> Document:
    """Read a configuration file. What is wrong with its text is among the problems; nothing is raised.

    The value of an empty file is an empty mapping.
    """
    document = read_yaml(path, data, Dialect.YAML_1_2_CORE)
    if data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{"):
        return _read_json(path, data, document)
    problems = tuple(_softened(problem) for problem in document.problems)
    if document.root is None:
        return document if problems else replace(document, value={})
    value = _with_words(document.value, document.root, ())
    return replace(document, value={} if value is None else value, problems=problems)


def _read_json(path: Path, data: bytes, document: Document) -> Document:
    """The places come from the YAML reader, where it can read the text as well; the value does not."""
    try:
        value = json.loads(data.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        return _unusable(path, "json_syntax", f"no JSON: {error.msg}", error.lineno, error.colno)
    except RecursionError:
        return _unusable(path, "too_deep", "nested too deep to be read")
    except ValueError as error:  # bytes that are no UTF-8, or a number that is too long
        return document if document.root is None else _unusable(path, "json_syntax", f"no JSON: {error}")
    repeats = tuple(_softened(problem) for problem in document.problems if problem.code == "duplicate_key")
    return replace(document, value=value, problems=repeats)


def _with_words(value: Any, node: yaml.Node, pointer: Pointer) -> Any:
    """The value with plain words read as Assevra reads them."""
    if isinstance(value, dict) and isinstance(node, yaml.MappingNode):
        parts = {key.value: part for key, part in node.value if isinstance(key, yaml.ScalarNode)}
        return {key: _with_words(item, parts.get(str(key), node), (*pointer, str(key))) for key, item in value.items()}
    if isinstance(value, list) and isinstance(node, yaml.SequenceNode):
        return [_with_words(item, part, pointer) for item, part in zip(value, node.value, strict=True)]
    if isinstance(value, str) and isinstance(node, yaml.ScalarNode) and not node.style and pointer not in _NAMES:
        return _word(value)
    return value


def _word(text: str) -> Any:
    lowered = text.lower()
    if lowered in _WORDS:
        return _WORDS[lowered]
    number = _GROUPED_NUMBER.fullmatch(text)
    if number is None:
        return text
    return float(text) if any(number.groups()) else int(text)


def _softened(problem: Problem) -> Problem:
    return replace(problem, severity=Severity.WARNING) if problem.code == "duplicate_key" else problem


def _unusable(path: Path, code: str, message: str, line: int = 0, column: int = 0) -> Document:
    return Document(path, None, None, (Problem(path, code, message, line, column),))
