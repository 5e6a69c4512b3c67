"""The name of an adapter: what its results stand under, side by side with those of others."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Final

from proctor.dataset import RECORDED
from proctor.excerpt import mark_controls
from proctor.plan import RECORDING

_LONGEST: Final = 80
_TAKEN: Final = (RECORDED, RECORDING)
"""Names that stand for nobody in the store."""


def adapter_name(adapter: Mapping[str, str]) -> str:
    """Name an adapter by its name and its stack: one driver over two stacks is two adapters.

    The name is text of the file's: controls are marked, line breaks are blanks, and a long one ends in a digest.
    """
    name, stack = _shown(adapter["name"]), _shown(adapter["stack_id"])
    if not name:
        return f"unnamed adapter ({stack})" if stack else "unnamed adapter"
    if stack:
        return f"{name} ({stack})"
    return f"{name} (adapter)" if name in _TAKEN else name


def _shown(text: str) -> str:
    shown = mark_controls(" ".join(text.split()))
    if len(shown) <= _LONGEST:
        return shown
    return f"{shown[:_LONGEST]}…{sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
