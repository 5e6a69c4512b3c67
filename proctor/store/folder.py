"""The ``.proctor`` folder of a project: made when it is needed, and never part of a commit."""

from __future__ import annotations

from pathlib import Path

from proctor.errors import StoreError

FOLDER = ".proctor"


def make_folder(root: Path, name: str = "") -> Path:
    """Make ``.proctor`` (and a folder in it) below the project's root. Raises StoreError where that is not allowed."""
    folder = root / FOLDER
    try:
        (folder / name).mkdir(parents=True, exist_ok=True)
        ignore = folder / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n", encoding="utf-8")
    except OSError as error:
        raise StoreError(
            f"the folder {folder / name} cannot be made: {error.strerror}",
            hint="make it writable, or name another store with PROCTOR_STORE",
        ) from error
    return folder / name
