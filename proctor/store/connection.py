"""The connection to the database: SQLite below the project's root, or PostgreSQL by URL.

Whatever goes wrong with it becomes one StoreError that says what to do next.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from proctor.errors import StoreError, UsageError
from proctor.excerpt import mark_controls, shorten
from proctor.store.folder import make_folder

BUSY_TIMEOUT_S = 30

_HINTS = (
    ("not a database", "move that file away, or name another store with PROCTOR_STORE"),
    ("disk is full", "free some space and start the same command again: what was stored is kept"),
    ("i/o error", "free some space, or check the disk, and start the same command again: what was stored is kept"),
    ("locked", f"another process has been writing for {BUSY_TIMEOUT_S} s: wait for it to end, then try again"),
    ("malformed", "the file is damaged: move it away; `sqlite3 FILE .recover` saves what can be read"),
    ("unable to open", "check that the folder exists and can be written to"),
    ("readonly", "make the file and its folder writable, or name another store with PROCTOR_STORE"),
    ("connection", "check that the server runs and that PROCTOR_STORE names it rightly"),
)


class Database:
    """An open database. Every method of the store takes its connections from here; threads may share it."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.place = engine.url.render_as_string(hide_password=True)
        self._sqlite = engine.dialect.name == "sqlite"
        # SQLite has one writer. Threads of this process queue here, which is fairer and cheaper than its busy wait.
        self._turn = threading.Lock() if self._sqlite else nullcontext()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a connection to read from. Raises StoreError for whatever the database says no to."""
        with self.explained(), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a transaction that is committed at the end of the block, and undone when the block raises."""
        with self.explained(), self._turn, self.engine.connect() as connection:
            # A transaction that reads first and writes later would fail at once when another process wrote in between.
            options = connection.execution_options(begin_immediate=self._sqlite)
            with options.begin():
                yield connection

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Turn errors of the database into a StoreError with the next step."""
        try:
            yield
        except (SQLAlchemyError, sqlite3.Error, OSError) as error:
            raise store_error(self.place, error) from error

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def store_error(place: str, error: BaseException) -> StoreError:
    """Say in one sentence what the database said, with the next step."""
    said = str(getattr(error, "orig", None) or error).strip()
    hint = next((hint for mark, hint in _HINTS if mark in said.lower()), None)
    return StoreError(f"the store {place} cannot be used: {shorten(mark_controls(said), 500)}", hint=hint)


def connect(url: str | None, root: Path) -> Database:
    """Connect to the store of a project; None means ``.proctor/proctor.db`` below ``root``.

    The path of a SQLite URL is relative to ``root``. Raises UsageError for a URL that names no store, StoreError for
    a folder that cannot be made and for a driver that is not installed. Nothing is opened yet.
    """
    if url is None:
        return _sqlite(URL.create("sqlite", database=str(make_folder(root) / "proctor.db")))
    parsed = _parse(url)
    if parsed.get_backend_name() == "postgresql":
        return _postgresql(parsed)
    path = parsed.database or ""
    if parsed.get_backend_name() == "sqlite" and path not in ("", ":memory:") and "\0" not in path:
        return _sqlite(parsed.set(drivername="sqlite", database=str(root / path)))
    raise _unusable(parsed.render_as_string(hide_password=True))


def _parse(url: str) -> URL:
    try:
        return make_url(url)
    except (ArgumentError, ValueError) as error:
        # Not quoted: what cannot be parsed may still hold a password.
        raise _unusable("that was given") from error


def _unusable(url: str) -> UsageError:
    return UsageError(
        f"the store {url} cannot be used",
        hint="write sqlite:///path/to/file.db or postgresql://user@host/database, or leave PROCTOR_STORE unset",
    )


def _sqlite(url: URL) -> Database:
    engine = create_engine(url, connect_args={"timeout": BUSY_TIMEOUT_S})
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return Database(engine)


def _postgresql(url: URL) -> Database:
    url = url.set(drivername="postgresql+psycopg").update_query_dict({"connect_timeout": "10", **url.query})
    try:
        return Database(create_engine(url, pool_pre_ping=True))
    except ModuleNotFoundError as error:
        raise StoreError(
            "a PostgreSQL store needs the package psycopg", hint="pip install 'proctor-evals[postgresql]'"
        ) from error


def _prepare_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    # Python's own transactions begin late and not for every statement; ours begin in `_begin_sqlite`.
    connection.isolation_level = None
    _enter_wal(connection)
    connection.execute("PRAGMA synchronous=NORMAL")


def _enter_wal(connection: sqlite3.Connection) -> None:
    """Switch to write-ahead logging. SQLite does not wait here for another process that does the same right now."""
    deadline = time.monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def _begin_sqlite(connection: Connection) -> None:
    immediate = connection.get_execution_options().get("begin_immediate")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if immediate else "BEGIN")
