"""JSON pointers (RFC 6901): as text, and as the steps to a place in a value."""

from __future__ import annotations

from typing import Any

from proctor.formats.brainbench.schema_errors import Path


def json_pointer(path: Path) -> str:
    """The pointer that names a place; empty for the value itself."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def path_of(pointer: str, value: Any) -> Path:
    """The steps of a pointer in a value, as far as it has them, and the first that it has not."""
    path: list[str | int] = []
    for written in pointer.split("/")[1:]:
        step = written.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            path.append(int(step))
            value = value[int(step)]
        elif isinstance(value, dict) and step in value:
            path.append(step)
            value = value[step]
        else:
            return (*path, step)
    return tuple(path)
