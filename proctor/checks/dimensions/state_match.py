"""Whether an observed state holds what is expected of it.

Objects match when every expected member does; lists when they are equally long and match item by item; anything else
when type and value are equal: ``1``, ``1.0`` and ``true`` differ. No recursion, so any depth can be compared.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from proctor.checks.arguments import show
from proctor.excerpt import quote

Path = tuple[str | int, ...]


class Difference(NamedTuple):
    """The place where a state differs, and how in words that are safe to show."""

    path: Path
    text: str


def first_difference(expected: object, observed: object) -> Difference | None:
    """The first difference nearest to the root, or None for a match."""
    queue: list[tuple[Path, Any, Any]] = [((), expected, observed)]
    for path, wanted, seen in queue:
        if isinstance(wanted, dict) and isinstance(seen, dict):
            missing = next((name for name in wanted if name not in seen), None)
            if missing is not None:
                return Difference((*path, missing), f"{quote(missing, 80)} is missing{_at(path)}")
            queue += [((*path, name), value, seen[name]) for name, value in wanted.items()]
        elif isinstance(wanted, list) and isinstance(seen, list):
            if len(wanted) != len(seen):
                return Difference(path, f"the list{_at(path)} should have length {len(wanted):,}, not {len(seen):,}")
            queue += [((*path, index), value, seen[index]) for index, value in enumerate(wanted)]
        elif type(wanted) is not type(seen) or wanted != seen:
            return Difference(path, f"{_brief(seen)} was found{_at(path)}, not {_brief(wanted)}")
    return None


def _at(path: Path) -> str:
    return f" at {quote('/' + '/'.join(map(str, path)), 120)}" if path else ""


def _brief(value: object) -> str:
    if isinstance(value, dict):
        return "an object"
    return "a list" if isinstance(value, list) else show(value)
