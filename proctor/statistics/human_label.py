"""What a person says of a row, in the spellings of Assevra 0.6."""

from __future__ import annotations

from math import isnan
from typing import Final

PASSES: Final = frozenset({"true", "pass", "passed", "yes", "y", "1", "grounded", "safe"})
FAILS: Final = frozenset({"false", "fail", "failed", "no", "n", "0", "unsafe"})
READABLE: Final = PASSES | FAILS


def human_label(value: object) -> bool | None:
    """Whether a person passed the row; None if that cannot be read.

    Texts count without case and outer blanks. Of numbers only 0 is a fail; NaN is no label.
    """
    if isinstance(value, str):
        word = value.strip().lower()
        return word in PASSES if word in READABLE else None
    if isinstance(value, float) and isnan(value):
        return None
    return bool(value) if isinstance(value, int | float) else None
