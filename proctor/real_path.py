"""Where a path leads once its links are followed."""

from __future__ import annotations

import os
from pathlib import Path


def real_path(path: Path) -> Path:
    """Follow the links of a path as far as they lead. A link to itself stays; `Path.resolve` would raise there."""
    return Path(os.path.realpath(path))
