"""The answer about a recorded row as a judge writes it in plain text: the reply contract of Assevra's judges.

A reply is one JSON object, with anything but braces around it: a code fence, a sentence. It has at least one of
``score`` (a whole number from 1 to 5), ``refused`` and ``followed`` (true or false), and perhaps a ``reason``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from proctor.judges.answer_kinds import HIGHEST_SCORE, LOWEST_SCORE


def _is_score(value: object) -> bool:
    return type(value) is int and LOWEST_SCORE <= value <= HIGHEST_SCORE


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


_FIELDS: Mapping[str, Callable[[object], bool]] = {"score": _is_score, "refused": _is_flag, "followed": _is_flag}


def read_row_verdict(text: str) -> dict[str, Any] | None:
    """Read the verdict off a reply: the object between the first ``{`` and the last ``}``, as it is.

    None when there is none: every verdict field that is present has to be of its type, and ``reason`` a text.
    """
    try:
        value = json.loads(text[text.find("{") : text.rfind("}") + 1])
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and _is_verdict(value) else None


def answered_fields(verdict: Mapping[str, Any]) -> frozenset[str]:
    """The verdict fields that a verdict has."""
    return frozenset(_FIELDS.keys() & verdict.keys())


def reason_of(verdict: Mapping[str, Any]) -> str:
    """The reason in a verdict: ``reasoning`` as our prompts ask for, else ``reason``; what to show if it has none."""
    texts = (verdict.get(name) for name in ("reasoning", "reason"))
    return next((text for text in texts if isinstance(text, str) and text.strip()), "the judge gave no reason")


def _is_verdict(value: Mapping[str, Any]) -> bool:
    present = answered_fields(value)
    is_typed = all(_FIELDS[name](value[name]) for name in present)
    return bool(present) and is_typed and isinstance(value.get("reason", ""), str)
