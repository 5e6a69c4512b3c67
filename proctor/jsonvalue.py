"""JSON values: equality as JSON has it, one canonical spelling for digests, and text that UTF-8 can encode."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def json_equal(left: object, right: object) -> bool:
    """Whether two JSON values are equal.

    Numbers are equal by value (1 = 1.0, exactly also for large integers), a boolean is no number, and nothing else
    crosses types: ``1``, ``true``, ``"1"`` and ``null`` are four values. Members of an object have no order.
    """
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, int | float) and isinstance(right, int | float):
        return left == right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(json_equal(value, right[key]) for key, value in left.items())
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(json_equal, left, right))
    return type(left) is type(right) and left == right


def well_formed(text: str) -> str:
    """Replace unpaired surrogates, which JSON may hold and UTF-8 not, by U+FFFD, as JavaScript does when it encodes."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def well_formed_value(value: Any) -> Any:
    """A JSON value with every text in it, and every name, well-formed."""
    return json.loads(well_formed(json.dumps(value, ensure_ascii=False)))


def canonical(value: Any) -> str:
    """Spell a value as compact JSON with sorted keys, for digests. Lone surrogates survive as escapes."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)


def digest(value: Any) -> str:
    """The SHA-256 of the canonical spelling, in hex."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()
