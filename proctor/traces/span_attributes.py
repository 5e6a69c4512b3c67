"""The attributes of a span as plain values, found by their dotted names in each of the ways in which they are written.

OTLP writes a list of keys and typed values (opentelemetry-proto, common.proto); other exporters write an object, flat
(``{"gen_ai.tool.name": …}``) or nested (``{"gen_ai": {"tool": {"name": …}}}``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from proctor.traces.documents import embedded_json

Attributes = dict[str, Any]

_PREFIXES: Final = (
    "gen_ai", "llm", "input", "output", "openinference", "tool", "traceloop", "retrieval", "mcp", "pydantic_ai",
    "operation.cost", "final_result", "all_messages_events", "agent_name",
)  # fmt: skip


def span_attributes(value: Any) -> Attributes:
    """The attributes of a span that can matter here."""
    return {key: entry for key, entry in _pairs(value) if key.startswith(_PREFIXES)}


def event_attributes(value: Any) -> Attributes:
    """The attributes of an event, without ``gen_ai.``: the conventions have had both ways."""
    return {key.removeprefix("gen_ai."): entry for key, entry in _pairs(value)}


def _pairs(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        yield from ((key, any_value(entry)) for key, entry in value.items())
    for entry in value if isinstance(value, list) else ():
        if isinstance(entry, dict) and isinstance(key := entry.get("key"), str):
            yield key, any_value(entry.get("value"))


def any_value(value: Any) -> Any:
    """Take the type off an OTLP value such as ``{"intValue": "7"}``; any other value is given back as it is."""
    if not isinstance(value, dict) or len(value) != 1:
        return value
    ((kind, inner),) = value.items()
    if kind in ("stringValue", "string_value", "boolValue", "bool_value", "doubleValue", "double_value", "bytesValue"):
        return inner
    if kind in ("intValue", "int_value"):
        return whole_number(inner)
    if kind in ("arrayValue", "array_value"):
        return [any_value(entry) for entry in _values(inner)]
    if kind in ("kvlistValue", "kvlist_value"):
        entries = (entry for entry in _values(inner) if isinstance(entry, dict))
        return {str(entry.get("key")): any_value(entry.get("value")) for entry in entries}
    return value


def whole_number(value: Any) -> Any:
    """A whole number that may be spelled as text, as JSON's 64-bit numbers are; else the value as it is."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 20:
        return int(value)
    return value


def find(attributes: Mapping[str, Any], *names: str) -> Any:
    """The value under the first of these dotted names that has one; None where none has."""
    for name in names:
        value = attributes.get(name)
        if value is None:
            value = _nested(attributes, name)
        if value is not None:
            return value
    return None


def find_text(attributes: Mapping[str, Any], *names: str) -> str | None:
    """The first text that is not empty; None where there is none."""
    return next((value for name in names if isinstance(value := find(attributes, name), str) and value), None)


def find_list(attributes: Attributes, name: str) -> list[Any]:
    """A list that is written as one, as JSON, or as ``name.0.…``, ``name.1.…``; empty where there is none."""
    whole = embedded_json(find(attributes, name))
    if isinstance(whole, list):
        return whole
    prefix = f"{name}."
    parts = {key.removeprefix(prefix): value for key, value in attributes.items() if key.startswith(prefix)}
    tree = _as_lists(_tree(parts))
    return tree if isinstance(tree, list) else []


def _nested(attributes: Mapping[str, Any], name: str) -> Any:
    first, _, rest = name.partition(".")
    found: Any = attributes.get(first)
    if found is None or not rest:
        return found
    for step in rest.split("."):
        found = found.get(step) if isinstance(found, dict) else None
    return found


def _tree(parts: Mapping[str, Any]) -> dict[str, Any]:
    root: dict[str, Any] = {}
    for path, value in parts.items():
        *steps, last = path.split(".")
        node: Any = root
        for step in steps:
            node = node.setdefault(step, {}) if isinstance(node, dict) else None
        if isinstance(node, dict):
            node.setdefault(last, value)
    return root


def _as_lists(node: Any) -> Any:
    """Objects whose names are all numbers are lists."""
    if not isinstance(node, dict):
        return node
    if node and all(key.isascii() and key.isdigit() and len(key) < 10 for key in node):
        return [_as_lists(node[key]) for key in sorted(node, key=int)]
    return {key: _as_lists(value) for key, value in node.items()}


def _values(inner: Any) -> list[Any]:
    values = inner.get("values") if isinstance(inner, dict) else None
    return values if isinstance(values, list) else []
