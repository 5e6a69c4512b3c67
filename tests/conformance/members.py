"""The members of an object that a vector names, compared with those that Proctor gives."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from tests.conformance.verdict import Difference

_TOLERANCE: Final = 1e-9


def member_differences(place: str, wanted: Mapping[str, Any], seen: Mapping[str, Any]) -> list[Difference]:
    """A difference for each member that is wanted and is another one, or none at all."""
    return [
        Difference(f"{place}.{name}", value, seen.get(name, "nothing"))
        for name, value in wanted.items()
        if name not in seen or not _alike(value, seen[name])
    ]


def _alike(wanted: object, seen: object) -> bool:
    """Numbers within the tolerance, objects without regard to order and to members that are not asked for."""
    if isinstance(wanted, bool) or wanted is None or isinstance(wanted, str):
        return wanted == seen and isinstance(seen, type(wanted))
    if isinstance(wanted, int | float):
        if isinstance(seen, bool) or not isinstance(seen, int | float | Decimal):
            return False
        return abs(wanted - float(seen)) <= _TOLERANCE
    if isinstance(wanted, list):
        return isinstance(seen, list) and len(wanted) == len(seen) and all(map(_alike, wanted, seen))
    assert isinstance(wanted, dict)
    return isinstance(seen, dict) and all(name in seen and _alike(value, seen[name]) for name, value in wanted.items())
