"""A text file that is there as a whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO


@contextmanager
def whole_file(path: Path, *, replace: bool = False) -> Iterator[TextIO]:
    """Open a file beside ``path`` that takes its place when the block ends well, and vanishes otherwise.

    It is UTF-8 with line feeds. Lone surrogates, which UTF-8 cannot encode, are written as JSON escapes them.

    Raises:
        FileExistsError: without ``replace``, and ``path`` is there by then.
        OSError: the file cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("x", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            yield file
        if replace:
            temporary.replace(path)
        else:
            _put(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def _put(temporary: Path, path: Path) -> None:
    """Give a file its name, unless another one has it."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        if path.exists():
            raise FileExistsError(f"{path} exists") from None
        temporary.replace(path)
