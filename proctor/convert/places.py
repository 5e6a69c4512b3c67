"""Where something is written: nothing that is there is ever replaced, and nothing is there by halves."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from proctor.errors import UsageError
from proctor.whole_file import whole_file

SUFFIX: Final = ".jsonl"
"""The ending of fixtures and data sets: files with another one are not taken for any."""


def check_place(out: Path, suffix: str = SUFFIX) -> None:
    """Raise UsageError for a place that could not be written to, before any work is done for it."""
    if not out.name.endswith(suffix):
        raise UsageError(f"{out} does not end in {suffix}", hint=f"name it {out}{suffix}: it would not be found else")
    if out.exists() or out.is_symlink():
        raise _taken(out)
    if not out.parent.is_dir():
        raise UsageError(f"the folder of {out} is not there", hint=f"make it: mkdir -p {out.parent}")


def write_file(out: Path, data: bytes) -> None:
    """Write a new file of UTF-8 text.

    Raises:
        UsageError: it is there already, or cannot be written.
    """
    with unwritable_told(out), whole_file(out) as file:
        file.write(data.decode())


@contextmanager
def whole_folder(out: Path) -> Iterator[Path]:
    """Give a new folder that takes the name ``out`` when the block ends well, and vanishes otherwise.

    Raises:
        FileExistsError: ``out`` is there by then.
        OSError: the folder cannot be made.
    """
    temporary = out.with_name(f".{out.name}.{secrets.token_hex(4)}.tmp")
    temporary.mkdir()
    try:
        yield temporary
        if out.exists():
            raise FileExistsError(f"{out} exists")
        temporary.rename(out)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def unwritable_told(out: Path) -> Iterator[None]:
    """Raise UsageError for what the system says about a place that cannot be written to."""
    try:
        yield
    except FileExistsError:
        raise _taken(out) from None
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror or error}") from error


def _taken(out: Path) -> UsageError:
    return UsageError(f"{out} exists already", hint="name another place with --out, or move that one away")
