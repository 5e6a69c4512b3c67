"""Files that can be read to their end: a pipe would be waited for, and a device may never end."""

from __future__ import annotations

from pathlib import Path

from proctor.errors import UsageError


def refuse_others(path: Path) -> None:
    """Refuse what is there and no regular file.

    Raises:
        OSError: it is a pipe, a device, or a folder; or the system takes no such path.
    """
    if "\0" in str(path):
        raise OSError("a path holds no NUL character")
    if path.is_dir():
        raise IsADirectoryError("it is a folder")
    if path.exists() and not path.is_file():
        raise OSError("it is no regular file")


def read_regular(path: Path) -> bytes:
    """The bytes of a regular file.

    Raises:
        OSError: it cannot be read, or it is something else.
    """
    refuse_others(path)
    return path.read_bytes()


def read_named(path: Path) -> bytes:
    """The bytes of a regular file that a user named.

    Raises:
        UsageError: it cannot be read, or it is something else.
    """
    try:
        return read_regular(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from error
