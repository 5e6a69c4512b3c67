"""A lock for each run at work, so that two processes never resume the same run.

The operating system holds the lock and frees it when the process ends in any way, ``kill -9`` included. A lock file
that is left behind by such an end holds nothing and stands in nobody's way.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from proctor.errors import StoreError
from proctor.store.folder import make_folder

if sys.platform == "win32":
    import msvcrt

    def _take(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _take(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


# `is_locked` holds the lock for some microseconds: a few more tries tell such a look from a run at work.
_TRIES = 5
_PAUSE_S = 0.02


class RunLock:
    """The lock of one run, held until `release`, the end of the ``with`` block, or the end of the process."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor: int | None = descriptor

    def release(self) -> None:
        """Give the lock back and remove its file. A second call does nothing."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is None:
            return
        # The file goes first, while it is still ours; Windows only removes closed files.
        with suppress(OSError):
            self._path.unlink()
        os.close(descriptor)
        if sys.platform == "win32":
            with suppress(OSError):
                self._path.unlink()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def run_lock(root: Path, run_id: str) -> RunLock:
    """Take the lock of a run. Raises StoreError when another process works on that run."""
    path = _lock_path(root, run_id)
    for attempt in range(_TRIES):
        if attempt:
            time.sleep(_PAUSE_S)
        lock = _try_lock(path)
        if lock is not None:
            return lock
    raise StoreError(
        f"run {run_id} is being worked on by another process",
        hint="wait for it to end, or start a run of its own with --new",
    )


def is_locked(root: Path, run_id: str) -> bool:
    """Whether a process works on this run right now."""
    path = _lock_path(root, run_id)
    try:
        descriptor = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        return not _take(descriptor)
    finally:
        os.close(descriptor)


def _lock_path(root: Path, run_id: str) -> Path:
    return make_folder(root, "locks") / f"{run_id}.lock"


def _try_lock(path: Path) -> RunLock | None:
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise StoreError(f"the lock file {path} cannot be made: {error.strerror}") from error
    if _take(descriptor) and _still_there(path, descriptor):
        return RunLock(path, descriptor)
    os.close(descriptor)
    return None


def _still_there(path: Path, descriptor: int) -> bool:
    """Whether the file is the one that was opened: its last holder may have removed it in between."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
