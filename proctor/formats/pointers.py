"""Pointers to the parts of a value, and how they are spelled: as people write them, or as RFC 6901 has it."""

from __future__ import annotations

from typing import Any, TypeAlias

Pointer: TypeAlias = tuple[str | int, ...]
"""The steps to a part: names of members, and places in lists from 0. No step is the value itself."""


def pointer_text(pointer: Pointer) -> str:
    """Spell a pointer as people write it: ``turns[1].expect.judge``."""
    text = ""
    for step in pointer:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else str(step)
    return text


def json_pointer(pointer: Pointer) -> str:
    """Spell a pointer as RFC 6901 has it: ``/turns/1/expect``; empty for the value itself."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in pointer)


def pointer_in(value: Any, text: str) -> Pointer:
    """Read what `json_pointer` spells: the steps in a value, as far as it has them, and the first that it has not."""
    pointer: list[str | int] = []
    for written in text.split("/")[1:]:
        step = written.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list) and step.isdecimal() and int(step) < len(value):
            pointer.append(int(step))
            value = value[int(step)]
        elif isinstance(value, dict) and step in value:
            pointer.append(step)
            value = value[step]
        else:
            return (*pointer, step)
    return tuple(pointer)
