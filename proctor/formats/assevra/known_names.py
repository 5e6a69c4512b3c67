"""What the author of an unknown name may have meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest_name(written: str, known: Iterable[str]) -> str:
    """The nearest of the known names, if one is near, and all of them."""
    names = list(known)
    close = difflib.get_close_matches(written[:100].strip().lower(), names, n=1)
    everything = f"known: {', '.join(names)}"
    return f"did you mean {close[0]!r}? {everything}" if close else everything
