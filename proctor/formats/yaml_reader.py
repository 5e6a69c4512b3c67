"""YAML with places: one document as plain data, and the line and column of each part of it.

PyYAML's C parser builds the nodes; the values are made here, because its own constructor loses duplicate keys,
follows an alias bomb and forgets where things stood. Two dialects are read: YAML 1.1, as the transcript format's own
loader does (``yes`` is a boolean, ``10:30`` is 630), and the YAML 1.2 core schema for Proctor's suite files.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, Final

import yaml

from proctor.errors import Problem
from proctor.excerpt import shorten
from proctor.formats.pointers import Pointer

try:
    from yaml import CSafeLoader as _BaseLoader
except ImportError:  # PyYAML built without libyaml: the same nodes, some ten times slower
    from yaml import SafeLoader as _BaseLoader  # type: ignore[assignment]

MAX_BYTES: Final = 16 * 2**20
MAX_DEPTH: Final = 100
MAX_BITS: Final = 14_000
"""Of a whole number: Python writes no more than 4,300 digits, and JSON readers take far fewer."""
_MOST_DIGITS: Final = 4000
ALIAS_BUDGET: Final = 100_000
"""How many nodes may be visited again through aliases, in one document."""

_TAG: Final = "tag:yaml.org,2002:"
_SCALARS: Final = frozenset(_TAG + name for name in ("str", "int", "float", "bool", "null", "timestamp"))


class Dialect(Enum):
    """Which scalars are read as something other than text."""

    YAML_1_1 = "1.1"
    YAML_1_2_CORE = "1.2"


class _Core12Loader(_BaseLoader):
    """Resolves plain scalars by the YAML 1.2 core schema (yaml.org/spec/1.2.2, section 10.3.2)."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - PyYAML's own way of configuring a loader class


for _name, _pattern, _first in (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+", list("-+0123456789")),
    (
        "float",
        r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
        list("-+.0123456789"),
    ),
):
    _Core12Loader.add_implicit_resolver(_TAG + _name, re.compile(f"^(?:{_pattern})$"), _first)


class _Refusal(Exception):
    """A node that cannot be read; becomes a Problem with the file's name."""

    def __init__(self, code: str, message: str, node: yaml.Node, hint: str | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.node, self.hint = code, message, node, hint

    def problem(self, path: Path) -> Problem:
        mark = self.node.start_mark
        return Problem(path, self.code, self.message, mark.line + 1, mark.column + 1, hint=self.hint)


@dataclass(frozen=True, slots=True)
class Document:
    """One YAML document: its value, and where its parts stand. ``root`` is None if it cannot be used at all.

    ``odd_keys`` holds the nodes of keys that are no text, by the mapping's identity and the key.
    """

    path: Path
    value: Any
    root: yaml.Node | None
    problems: tuple[Problem, ...] = ()
    odd_keys: Mapping[tuple[int, Hashable], yaml.ScalarNode] = field(default_factory=dict)

    def place(self, pointer: Pointer, *, key: bool = False) -> tuple[int, int]:
        """Line and column (from 1) of a part, or of its key; of the nearest parent for a part that is not there."""
        found = self._find(pointer)
        mark = (found[0] if key and found[0] is not None else found[1]).start_mark if found else None
        return (mark.line + 1, mark.column + 1) if mark else (1, 1)

    def plain_text(self, pointer: Pointer) -> str | None:
        """The characters of an unquoted scalar as the author wrote them; None for everything else."""
        found = self._find(pointer, exact=True)
        node = found[1] if found else None
        return node.value if isinstance(node, yaml.ScalarNode) and not node.style else None

    def odd_key(self, pointer: Pointer, key: Hashable) -> tuple[str, int, int] | None:
        """A key that is no text, as its author wrote it, with its line and column; None where it is not found."""
        found = self._find(pointer, exact=True)
        node = self.odd_keys.get((id(found[1]), key)) if found else None
        return (node.value, node.start_mark.line + 1, node.start_mark.column + 1) if node else None

    def _find(self, pointer: Pointer, *, exact: bool = False) -> tuple[yaml.Node | None, yaml.Node] | None:
        """The key node and value node of a part."""
        if self.root is None:
            return None
        key: yaml.Node | None = None
        node = self.root
        for step in pointer:
            child = _child(node, step)
            if child is None:
                return None if exact else (key, node)
            key, node = child
        return key, node


def read_yaml(path: Path, data: bytes, dialect: Dialect) -> Document:
    """Read one document. Everything that is wrong with the text becomes a problem with its place; nothing is raised."""
    if len(data) > MAX_BYTES:
        return _unusable(path, "too_large", f"the file has {len(data):,} bytes; the limit is {MAX_BYTES:,}")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return _not_utf8(path, data, error)
    try:
        root = _compose(text, dialect)
        builder = _Builder(dialect)
        value = None if root is None else builder.build(root)
    except yaml.MarkedYAMLError as error:
        return _syntax_problem(path, error)
    except yaml.reader.ReaderError as error:
        line, column = _line_column(text, error.position)
        number = ord(error.character) if isinstance(error.character, str) else error.character
        return _unusable(path, "yaml_syntax", f"{error.reason}: U+{number:04X}", line, column)
    except _Refusal as refusal:
        return Document(path, None, None, (refusal.problem(path),))
    repeats = dict.fromkeys(repeat.problem(path) for repeat in builder.repeated_keys)
    return Document(path, value, root, tuple(repeats), builder.odd_keys)


def _compose(text: str, dialect: Dialect) -> yaml.Node | None:
    loader = (_BaseLoader if dialect is Dialect.YAML_1_1 else _Core12Loader)(text)
    try:
        return loader.get_single_node()
    finally:
        loader.dispose()


class _Builder:
    """Makes plain data from nodes: aliases are copied within a budget, duplicate keys and foreign tags refused."""

    def __init__(self, dialect: Dialect) -> None:
        self._scalar = _scalar_1_1 if dialect is Dialect.YAML_1_1 else _scalar_1_2
        self._merges = dialect is Dialect.YAML_1_1
        self._seen: set[int] = set()
        self._open: set[int] = set()
        self._revisits = 0
        self.repeated_keys: list[_Refusal] = []
        self.odd_keys: dict[tuple[int, Hashable], yaml.ScalarNode] = {}

    def build(self, node: yaml.Node) -> Any:
        if isinstance(node, yaml.ScalarNode):
            self._count(node)
            value = self._scalar(node)
            if isinstance(value, int) and value.bit_length() > MAX_BITS:
                raise _long_number(node)
            return value
        if id(node) in self._open:
            raise _Refusal("alias_cycle", "an alias refers to a value that contains it", node)
        if len(self._open) >= MAX_DEPTH:
            raise _Refusal("too_deep", f"nested deeper than {MAX_DEPTH} levels", node)
        self._count(node)
        self._open.add(id(node))
        try:
            return self._mapping(node) if isinstance(node, yaml.MappingNode) else self._sequence(node)
        finally:
            self._open.discard(id(node))

    def _count(self, node: yaml.Node) -> None:
        if id(node) not in self._seen:
            self._seen.add(id(node))
            return
        self._revisits += 1
        if self._revisits > ALIAS_BUDGET:
            raise _Refusal(
                "alias_budget",
                f"aliases expand to more than {ALIAS_BUDGET:,} repeated values",
                node,
                "write the values out, or use fewer aliases of aliases",
            )

    def _sequence(self, node: yaml.Node) -> list[Any]:
        _refuse_tag(node, "seq")
        return [self.build(item) for item in node.value]

    def _mapping(self, node: yaml.MappingNode) -> dict[Any, Any]:
        _refuse_tag(node, "map")
        merged: dict[Any, Any] = {}
        own: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            if self._merges and key_node.tag == _TAG + "merge":
                for mapping in self._merged(value_node):
                    merged = {**mapping, **merged}
                continue
            key = self._key(key_node)
            if not isinstance(key, str):
                self.odd_keys[id(node), key] = key_node
            if key in own:
                self.repeated_keys.append(_repeated_key(key, key_node))
            own[key] = self.build(value_node)
        return {**merged, **own} if merged else own

    def _key(self, node: yaml.Node) -> Hashable:
        if not isinstance(node, yaml.ScalarNode):
            raise _Refusal("bad_key", "a key must be a single value, not a list or a mapping", node)
        key = self.build(node)
        return key if isinstance(key, Hashable) else str(key)

    def _merged(self, node: yaml.Node) -> Iterator[dict[Any, Any]]:
        """The mappings behind ``<<``, strongest first (yaml.org/type/merge.html)."""
        for part in node.value if isinstance(node, yaml.SequenceNode) else [node]:
            if not isinstance(part, yaml.MappingNode):
                raise _Refusal("bad_merge", "'<<' merges mappings only", part)
            yield self.build(part)


_CONSTRUCTOR: Final = yaml.constructor.SafeConstructor()


def _scalar_1_1(node: yaml.ScalarNode) -> Any:
    """Read a scalar as PyYAML's safe loader does."""
    if node.tag == _TAG + "value":
        return node.value
    if node.tag not in _SCALARS:
        raise _foreign_tag(node)
    try:
        return _CONSTRUCTOR.construct_object(node)
    except (ValueError, OverflowError, KeyError, AttributeError) as error:
        raise _bad_scalar(node, error) from error
    finally:
        _CONSTRUCTOR.constructed_objects.clear()


def _scalar_1_2(node: yaml.ScalarNode) -> Any:
    """Read a scalar by the YAML 1.2 core schema."""
    try:
        return core_value(node.value, node.tag, node)
    except (ValueError, KeyError) as error:
        raise _bad_scalar(node, error) from error


def core_value(text: str, tag: str, node: yaml.ScalarNode) -> Any:
    """The value of a scalar under the YAML 1.2 core schema, given its resolved tag."""
    match tag.removeprefix(_TAG):
        case "str":
            return text
        case "null":
            return None
        case "bool":
            return {"true": True, "false": False}[text.lower()]
        case "int":
            return int(text, {"0o": 8, "0x": 16}.get(text[:2], 10))
        case "float":
            return float(re.sub(r"^([-+]?)\.(?=[a-zA-Z])", r"\1", text))
    raise _foreign_tag(node)


def reads_the_same(text: str) -> bool:
    """Whether a plain scalar has the same value in YAML 1.1 and in the YAML 1.2 core schema.

    ``5`` and ``true`` have; ``yes``, ``10:30``, ``0123``, ``1_000`` and ``2031-05-06`` have not, and surprise people.
    """
    old, new = _compose(text, Dialect.YAML_1_1), _compose(text, Dialect.YAML_1_2_CORE)
    if not isinstance(old, yaml.ScalarNode) or not isinstance(new, yaml.ScalarNode):
        return True
    try:
        first, second = _scalar_1_1(old), _scalar_1_2(new)
    except _Refusal:
        return False
    return type(first) is type(second) and (first == second or repr(first) == repr(second))


def _refuse_tag(node: yaml.Node, kind: str) -> None:
    if node.tag != _TAG + kind:
        raise _foreign_tag(node)


def _repeated_key(key: object, node: yaml.Node) -> _Refusal:
    message = f"the key {key!r} stands twice in one mapping"
    return _Refusal("duplicate_key", message, node, "keep one of them; most tools silently take the last")


def _bad_scalar(node: yaml.ScalarNode, error: Exception) -> _Refusal:
    if node.tag == _TAG + "int" and len(node.value) > _MOST_DIGITS:
        return _long_number(node)
    message = f"{shorten(repr(node.value), 80)} cannot be read: {error}"
    return _Refusal("bad_scalar", message, node, "put it in quotes")


def _long_number(node: yaml.ScalarNode) -> _Refusal:
    return _Refusal("bad_scalar", f"a number of more than {_MOST_DIGITS:,} digits", node, "put it in quotes")


def _foreign_tag(node: yaml.Node) -> _Refusal:
    name = node.tag.replace(_TAG, "!!")
    return _Refusal("yaml_tag", f"the tag {name} is not allowed", node, "write a plain value, list or mapping")


def _child(node: yaml.Node, step: str | int) -> tuple[yaml.Node | None, yaml.Node] | None:
    if isinstance(node, yaml.SequenceNode):
        inside = isinstance(step, int) and 0 <= step < len(node.value)
        return (None, node.value[step]) if inside else None
    if isinstance(node, yaml.MappingNode):
        for key, value in reversed(node.value):  # of a repeated key, the last one is the value
            if isinstance(key, yaml.ScalarNode) and key.value == str(step):
                return key, value
        merged = [value for key, value in node.value if key.tag == _TAG + "merge"]
        parts = [
            part for value in merged for part in (value.value if isinstance(value, yaml.SequenceNode) else [value])
        ]
        return next((found for part in parts if (found := _child(part, step)) is not None), None)
    return None


def _unusable(path: Path, code: str, message: str, line: int = 0, column: int = 0, hint: str | None = None) -> Document:
    return Document(path, None, None, (Problem(path, code, message, line, column, hint=hint),))


def _syntax_problem(path: Path, error: yaml.MarkedYAMLError) -> Document:
    mark = error.problem_mark or error.context_mark
    context = f" {error.context}" if error.context else ""
    hint = None
    if "unknown escape character" in (error.problem or ""):
        hint = "in double quotes a backslash is doubled; in single quotes it is kept as it is"
    if "another document" in (error.problem or ""):
        hint = "one file holds one document: split it at the ---"
    line, column = (mark.line + 1, mark.column + 1) if mark else (0, 0)
    return _unusable(path, "yaml_syntax", f"{error.problem}{context}", line, column, hint)


def _not_utf8(path: Path, data: bytes, error: UnicodeDecodeError) -> Document:
    before = data[: error.start]
    line = before.count(b"\n") + 1
    column = len(before.rpartition(b"\n")[2].decode("utf-8", "replace")) + 1
    message = f"byte 0x{data[error.start]:02X} is not UTF-8 text"
    return _unusable(path, "encoding", message, line, column, "save the file as UTF-8")


def _line_column(text: str, position: int) -> tuple[int, int]:
    before = text[:position]
    return before.count("\n") + 1, len(before.rpartition("\n")[2]) + 1
