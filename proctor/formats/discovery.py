"""Which files a path means: one file, the files of a folder, or what a glob matches.

Folders are walked as pytest walks them for pytest-agent-eval: hidden folders and those of builds and environments are
left out, hidden files are not.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from contextlib import suppress
from fnmatch import fnmatch
from pathlib import Path
from typing import Final

from proctor.formats import RowFormat, format_of, has_rows
from proctor.formats.assevra import CONFIG_NAMES
from proctor.formats.suite import is_suite
from proctor.real_path import real_path

_HEAD: Final = 2**16
_LEFT_OUT: Final = ("*.egg", ".*", "_darcs", "build", "CVS", "dist", "node_modules", "venv", "{arch}", "__pycache__")


def spec_files(folder: Path) -> list[Path]:
    """The files below a folder that a format claims, sorted. Suites are not among them."""
    return [path for path in _walk(folder) if _is_spec(path)]


def suite_files(folder: Path) -> list[Path]:
    """The suite files below a folder, sorted."""
    return [path for path in _walk(folder) if is_suite(path)]


def expand(pattern: str, base: Path) -> list[Path]:
    """The spec files that one entry of ``specs:`` names: a file, a folder, or a glob (``**`` crosses folders).

    Raises OSError for what can be no path, such as a name that is too long.
    """
    path = base / pattern
    if path.is_file():
        return [path]
    if path.is_dir():
        return spec_files(path)
    found: list[Path] = []
    for candidate in sorted(set(_matches(pattern, base))):
        if candidate.is_dir():
            found += spec_files(candidate)
        elif _is_spec(candidate):
            found.append(candidate)
    return found


def matching_files(pattern: str, base: Path) -> list[Path]:
    """The files that a name or a glob means, of whatever kind, sorted. A name that is no file means none.

    Raises OSError for what can be no path.
    """
    path = base / pattern
    if path.is_file():
        return [path]
    return sorted({candidate for candidate in _matches(pattern, base) if candidate.is_file()})


def _matches(pattern: str, base: Path) -> Iterator[Path]:
    """What a glob matches. Behind ``**`` each folder counts once: links to parents would never end."""
    parts = Path(pattern).parts
    if "**" not in parts:
        yield from (base / match for match in glob.glob(pattern, root_dir=base))
        return
    at = parts.index("**")
    rest = str(Path(*parts[at + 1 :])) if parts[at + 1 :] else "*"
    for top in _matches(str(Path(*parts[:at])), base) if at else [base]:
        for folder in _folders(top, set()):
            yield from _matches(rest, folder)


def _folders(top: Path, seen: set[Path]) -> Iterator[Path]:
    """A folder and those below it, through links too, but for hidden ones and those that were seen."""
    real = real_path(top)
    if real in seen or not top.is_dir():
        return
    seen.add(real)
    yield top
    with suppress(OSError):
        for name in sorted(entry.name for entry in os.scandir(top) if entry.is_dir()):
            if not name.startswith("."):
                yield from _folders(top / name, seen)


def _is_spec(path: Path) -> bool:
    """Whether a file that nobody named is a spec. A .jsonl file may be anything, so its content has to say so."""
    format_ = None if is_suite(path) or path.name in CONFIG_NAMES else format_of(path)
    return format_ is not None and (not has_rows(format_) or _begins_like(path, format_))


def _begins_like(path: Path, format_: RowFormat) -> bool:
    try:
        with path.open("rb") as file:
            return format_.recognises(file.read(_HEAD))
    except OSError:  # whoever reads it will say why
        return True


def _walk(folder: Path) -> Iterator[Path]:
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not any(fnmatch(name, pattern) for pattern in _LEFT_OUT))
        yield from (Path(parent, name) for name in sorted(files))
