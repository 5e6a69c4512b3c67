"""The keys that a pydantic model allows at a place, and the nearest of them to a key that it does not know."""

from __future__ import annotations

import difflib
import typing
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import BaseModel


def nearest_key(model: type[BaseModel], pointer: Sequence[str | int]) -> str:
    """Say what the author of an unknown key may have meant, and every key that is allowed in its place."""
    allowed = _allowed_keys(model, pointer[:-1])
    close = difflib.get_close_matches(str(pointer[-1]), allowed, n=1)
    known = "allowed: " + ", ".join(allowed)
    return f"did you mean {close[0]!r}? {known}" if close else known


def _allowed_keys(model: type[BaseModel], pointer: Sequence[str | int]) -> list[str]:
    current = model
    for step in pointer:
        if isinstance(step, str):  # a position in a list or a free name leads to no other model
            current = _field(current, step) or current
    return [field.alias or name for name, field in current.model_fields.items()]


def _field(model: type[BaseModel], step: str) -> type[BaseModel] | None:
    for name, field in model.model_fields.items():
        if step in (name, field.alias):
            return next(_models_in(field.annotation), None)
    return None


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models inside an annotation such as ``tuple[Turn, ...]`` or ``Judge | None``."""
    if typing.get_origin(annotation) is None:
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            yield annotation
        return
    for argument in typing.get_args(annotation):
        yield from _models_in(argument)
