"""A real PostgreSQL server for a test run: one, shared by all workers, in a temporary folder.

The process that pytest was started in makes the folder and holds the write end of a named pipe in it. The first test
that wants a database starts the server, whichever worker that test runs in. A watcher beside the server reads the
pipe: when the first process has gone, in order or killed, the watcher stops the server and removes the folder.
"""

from __future__ import annotations

import fcntl
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

FOLDER_VARIABLE = "PROCTOR_TEST_POSTGRESQL"
START_LOG = "start.log"

SETTINGS = """
listen_addresses = ''
unix_socket_directories = '{folder}'
fsync = off
full_page_writes = off
synchronous_commit = off
"""

WATCH = '(cat "$1/alive"; "$2/pg_ctl" -D "$1/data" -m immediate stop; rm -rf "$1") >/dev/null 2>&1 &'


def open_folder() -> int:
    """Make the folder that the workers inherit by name, and return the file descriptor that keeps a server alive."""
    folder = Path(tempfile.mkdtemp(prefix="proctor-pg-"))
    os.environ[FOLDER_VARIABLE] = str(folder)
    os.mkfifo(folder / "alive")
    if owner := _unprivileged_owner():
        for path in (folder, folder / "alive"):
            os.chown(path, owner.pw_uid, owner.pw_gid)
    return os.open(folder / "alive", os.O_RDWR)


def close_folder(alive: int) -> None:
    """Let the server go; its watcher removes the folder, which is ours to remove where no server was started."""
    folder = Path(os.environ.pop(FOLDER_VARIABLE))
    is_watched = (folder / START_LOG).exists()
    os.close(alive)
    if not is_watched:
        shutil.rmtree(folder)


@contextmanager
def empty_database(programs: Path) -> Iterator[str]:
    """Yield the URL of a new, empty database, on a server that is started if this is its first."""
    folder = _running_server(programs)
    name = f"test_{uuid4().hex}"
    _execute(folder, f"CREATE DATABASE {name}")
    yield f"postgresql+psycopg://postgres@/{name}?host={folder}"
    _execute(folder, f"DROP DATABASE {name} WITH (FORCE)")


def _running_server(programs: Path) -> Path:
    folder = Path(os.environ[FOLDER_VARIABLE])
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "data" / "postmaster.pid").exists():
            _start(folder, programs)
    return folder


def _start(folder: Path, programs: Path) -> None:
    data = folder / "data"
    _run(folder, "sh", "-c", WATCH, "watch", folder, programs)
    _run(folder, programs / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
    with (data / "postgresql.conf").open("a") as settings:
        settings.write(SETTINGS.format(folder=folder))
    _run(folder, programs / "pg_ctl", "-D", data, "-l", folder / "server.log", "-w", "start")


def _run(folder: Path, *command: str | Path) -> None:
    owner = _unprivileged_owner()
    with (folder / START_LOG).open("a") as log:
        done = subprocess.run(
            command,
            check=False,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            user=owner and owner.pw_uid,
            group=owner and owner.pw_gid,
            extra_groups=[] if owner else None,
        )
    if done.returncode:
        logs = "\n".join(path.read_text(errors="replace") for path in sorted(folder.glob("*.log")))
        raise RuntimeError(
            f"PostgreSQL did not start ({Path(command[0]).name} gave {done.returncode}):\n{logs[-2000:]}"
        )


def _unprivileged_owner() -> pwd.struct_passwd | None:
    """PostgreSQL refuses to run as root, so root hands it to another account."""
    if os.geteuid():
        return None
    return next((user for name in ("postgres", "nobody") if (user := _account(name))), None)


def _account(name: str) -> pwd.struct_passwd | None:
    try:
        return pwd.getpwnam(name)
    except KeyError:
        return None


def _execute(folder: Path, statement: str) -> None:
    import psycopg

    with psycopg.connect(host=str(folder), user="postgres", dbname="postgres", autocommit=True) as connection:
        connection.execute(statement)
