"""The three operations of JSON Patch (RFC 6902) that vectors have: add, replace, remove."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import Any


def patched(value: Any, operations: Iterable[Mapping[str, Any]]) -> Any:
    """A copy of a value with the operations applied in their order; KeyError for a place that is not there."""
    document = {"": deepcopy(value)}
    for operation in operations:
        parent, key = _place(document, operation["path"])
        if operation["op"] != "add":
            parent[key]  # it has to be there
        if operation["op"] == "remove":
            del parent[key]
        elif operation["op"] == "add" and isinstance(parent, list):
            parent.insert(key, operation["value"])
        else:
            parent[key] = operation["value"]
    return document[""]


def _place(document: Any, pointer: str) -> tuple[Any, Any]:
    """The container of a place, and its name or index there."""
    *steps, last = (step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/"))
    parent = document
    for step in steps:
        parent = parent[_key(parent, step)]
    return parent, _key(parent, last)


def _key(container: Any, step: str) -> Any:
    if not isinstance(container, list):
        return step
    return len(container) if step == "-" else int(step)
