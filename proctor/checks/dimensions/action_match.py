"""The three ways in which actions that were taken are compared with expected ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from proctor.checks.dimensions.base import Finding
from proctor.excerpt import quote
from proctor.wording import listed

DEFAULT: Final = "ordered"
"""How actions are compared where a row says nothing."""

MODES: Final = (DEFAULT, "exact", "set")
"""``ordered``: all in this order, others in between are fine. ``exact``: these and no others. ``set``: all of them."""


def match_actions(mode: str, expected: Sequence[str], taken: Sequence[str]) -> Finding | None:
    """How the actions differ from the expected ones, or None for a match."""
    if mode == "exact":
        return None if list(expected) == list(taken) else _not_exact(expected, taken)
    missing = [action for action in expected if action not in taken]
    if missing:
        return Finding("missing", "", f"{named(missing)} should be done; {seen(taken)}")
    if mode == "ordered" and not _is_subsequence(expected, taken):
        return Finding("out_of_order", "", f"{named(expected)} should be done in this order; {seen(taken)}")
    return None


def named(actions: Sequence[str]) -> str:
    """The actions with commas, in quotes, the first twenty of them."""
    return listed([quote(action, 60) for action in actions], 20)


def seen(taken: Sequence[str]) -> str:
    """What was done, as a sentence ends with it."""
    return f"done: {named(taken)}" if taken else "nothing was done"


def _not_exact(expected: Sequence[str], taken: Sequence[str]) -> Finding:
    wish = f"exactly {named(expected)} should be done" if expected else "nothing should be done"
    return Finding("not_exact", "", f"{wish}; {seen(taken)}")


def _is_subsequence(expected: Sequence[str], taken: Sequence[str]) -> bool:
    rest = iter(taken)
    return all(action in rest for action in expected)
