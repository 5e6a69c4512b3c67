"""The files of a user's project that can make a difference to its agent, and their digests.

Git decides which files belong to a project: those that it tracks, and those that it would not ignore. Without git,
hidden folders, virtual environments and build outputs are left out.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from proctor.real_path import real_path

_SKIPPED_FOLDERS = {"__pycache__", "node_modules", "build", "dist"}
_NOT_THE_AGENT = re.compile(r"(tests|docs)/|(README|CHANGELOG|CONTRIBUTING|LICENSE)[^/]*$")


def list_files(root: Path) -> list[str]:
    """List the project's files, as sorted paths below the root with ``/``; in a git repository, by git's rules.

    Files that git lists but that are gone are listed too.
    """
    listed = _git_files(root)
    # A project that git ignores as a whole is not empty.
    files = set(_walk(root) if not listed else _expanded(root, listed))
    venvs = tuple(path.removesuffix("pyvenv.cfg") for path in files if path.endswith("/pyvenv.cfg"))
    return sorted(path for path in files if "__pycache__/" not in path and not (venvs and path.startswith(venvs)))


def without_outputs(files: Iterable[str], excluded: Iterable[str]) -> list[str]:
    """Drop what never is part of an agent: Proctor's own files, suites, and the excluded files and folders."""
    gone = set(excluded)
    folders = tuple(f"{path.rstrip('/')}/" for path in gone)
    return [
        path
        for path in files
        if path not in gone
        and not path.startswith((".proctor/", *folders))
        and not path.endswith((".suite.yaml", ".suite.yml"))
    ]


def without_prose(files: Iterable[str], needed: str) -> list[str]:
    """Drop ``tests/``, ``docs/`` and README, CHANGELOG, CONTRIBUTING and LICENSE files at the root.

    A folder that holds the file ``needed`` stays. Further down nothing is dropped: ``shop/docs/`` may be what the
    agent reads.
    """
    top = needed.partition("/")[0]
    return [path for path in files if not _NOT_THE_AGENT.match(path) or path.partition("/")[0] == top]


def glob_pattern(glob: str) -> re.Pattern[str]:
    """Compile a glob on paths: ``**`` crosses folders, ``*`` and ``?`` do not; a folder means all files in it."""
    pieces = re.split(r"(\*\*/|\*\*|\*|\?)", glob.removeprefix("./").rstrip("/"))
    translated = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(translated.get(piece, re.escape(piece)) for piece in pieces) + "(?:/.*)?", re.DOTALL)


def digest_files(root: Path, files: Iterable[str]) -> dict[str, str]:
    """Digest the contents of files, by path. A file that is gone is left out; one that cannot be read says so.

    A symbolic link counts with its text and, if it points to a file inside of the root, that file's contents.
    """
    return {path: found for path in files if (found := _digest(root, path)) is not None}


def _digest(root: Path, path: str) -> str | None:
    file = root / path
    try:
        mode = file.lstat().st_mode
        if stat.S_ISLNK(mode):
            return _digest_link(root, file)
        return _digest_contents(file) if stat.S_ISREG(mode) else "special file"
    except FileNotFoundError:
        return None
    except OSError:
        return "unreadable"


def _digest_link(root: Path, file: Path) -> str:
    text = str(file.readlink())
    target = real_path(file)
    inside = target.is_relative_to(real_path(root)) and target.is_file()
    return f"link to {text} {_digest_contents(target) if inside else ''}"


def _digest_contents(file: Path) -> str:
    with file.open("rb", buffering=0) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _git_files(root: Path) -> list[str]:
    command = ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "-z"]
    # Inside of a git hook, variables such as GIT_DIR point elsewhere.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(command, capture_output=True, check=False, timeout=60, env=environment)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [os.fsdecode(name) for name in done.stdout.split(b"\0") if name] if done.returncode == 0 else []


def _expanded(root: Path, listed: Iterable[str]) -> Iterator[str]:
    """Replace repositories inside of the repository, which git lists as one entry, by their files."""
    for path in listed:
        folder = root / path
        if folder.is_dir() and not folder.is_symlink():
            yield from (f"{path.rstrip('/')}/{below}" for below in _walk(folder))
        else:
            yield path


def _walk(root: Path) -> Iterator[str]:
    for folder, folders, names in os.walk(root):
        folders[:] = [each for each in folders if not each.startswith(".") and each not in _SKIPPED_FOLDERS]
        below = os.path.relpath(folder, root)
        prefix = "" if below == "." else f"{below}{os.sep}".replace(os.sep, "/")
        links = [each for each in folders if Path(folder, each).is_symlink()]
        yield from (prefix + name for name in (*names, *links))
