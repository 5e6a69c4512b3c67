from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from proctor.errors import StoreError
from proctor.store import is_locked, run_lock
from proctor.store.locks import _still_there, _take

HOLD = """
import pathlib, sys
from proctor.store import run_lock
lock = run_lock(pathlib.Path(sys.argv[1]), "r1")
print("held", flush=True)
sys.stdin.read()
"""


def hold(root: Path) -> subprocess.Popen[str]:
    """Start a process that holds the lock of run r1 until its standard input closes."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    return holder


class TestRunLocks:
    def test_a_second_holder_is_told_that_another_process_works_on_it(self, tmp_path: Path) -> None:
        with run_lock(tmp_path, "r1"):
            assert is_locked(tmp_path, "r1")
            with pytest.raises(StoreError, match=r"run r1 is being worked on by another process\n  hint: .* --new"):
                run_lock(tmp_path, "r1")
        assert not is_locked(tmp_path, "r1")

    def test_runs_do_not_block_each_other(self, tmp_path: Path) -> None:
        with run_lock(tmp_path, "r1"), run_lock(tmp_path, "r2"):
            assert is_locked(tmp_path, "r2")
            assert not is_locked(tmp_path, "r3")

    def test_nothing_is_left_of_a_released_lock(self, tmp_path: Path) -> None:
        lock = run_lock(tmp_path, "r1")
        lock.release()
        lock.release()
        assert list((tmp_path / ".proctor/locks").iterdir()) == []

    def test_the_lock_of_another_process_is_seen(self, tmp_path: Path) -> None:
        with hold(tmp_path) as holder:
            assert is_locked(tmp_path, "r1")
            with pytest.raises(StoreError, match="another process"):
                run_lock(tmp_path, "r1")
            holder.communicate()
        assert not is_locked(tmp_path, "r1")

    def test_a_killed_process_holds_nothing(self, tmp_path: Path) -> None:
        with hold(tmp_path) as holder:
            holder.kill()
            holder.wait()
            assert not is_locked(tmp_path, "r1")
            run_lock(tmp_path, "r1").release()
        assert list((tmp_path / ".proctor/locks").iterdir()) == []

    def test_a_look_at_a_lock_does_not_keep_others_from_taking_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """`is_locked` holds the lock for a moment; here that moment ends with the first pause of `run_lock`."""
        run_lock(tmp_path, "r1").release()
        path = tmp_path / ".proctor/locks/r1.lock"
        with path.open("w") as look:
            assert _take(look.fileno())
            monkeypatch.setattr(time, "sleep", lambda _: look.close())
            run_lock(tmp_path, "r1").release()

    def test_a_lock_on_a_removed_file_is_none(self, tmp_path: Path) -> None:
        """A process may open the file just before its holder removes it, and lock what nobody else can see."""
        path = tmp_path / "r1.lock"
        with path.open("w") as opened:
            assert _still_there(path, opened.fileno())
            path.unlink()
            assert not _still_there(path, opened.fileno())
            path.write_text("the next one's")
            assert not _still_there(path, opened.fileno())

    def test_a_release_never_removes_the_lock_of_the_next_holder(self, tmp_path: Path) -> None:
        held = threading.Lock()
        clashes: list[int] = []

        def take_turns() -> None:
            for number in range(100):
                try:
                    lock = run_lock(tmp_path, "r1")
                except StoreError:
                    continue
                if not held.acquire(blocking=False):
                    clashes.append(number)
                    continue
                held.release()
                lock.release()

        workers = [threading.Thread(target=take_turns) for _ in range(3)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert clashes == []

    def test_a_folder_that_cannot_be_made_is_named(self, tmp_path: Path) -> None:
        (tmp_path / ".proctor").write_text("in the way")
        with pytest.raises(StoreError, match=r"the folder .*\.proctor/locks cannot be made"):
            run_lock(tmp_path, "r1")
