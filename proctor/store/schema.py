"""The version of the tables: made when the store is new, migrated when it is older, refused when it is newer.

To change a table, change `proctor.store.tables`, add a revision to ``migrations/versions`` and name it in `VERSION`;
the tests compare the two. Alembic is loaded only for a store that needs it, because start-up time counts.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Column, Connection, MetaData, PrimaryKeyConstraint, String, Table, inspect, select, text

from proctor.errors import StoreError
from proctor.store.connection import Database
from proctor.store.tables import METADATA

VERSION = "0004"
VERSION_TABLE = "proctor_version"
MIGRATIONS = Path(__file__).parent / "migrations"

_LOCK = 0x50726F63746F72

# As alembic makes it.
_VERSION = Table(
    VERSION_TABLE,
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name=f"{VERSION_TABLE}_pkc"),
)


def bring_up_to_date(database: Database) -> None:
    """Make or migrate the tables. Any number of processes may do so at once; a store of this version costs one look.

    Raises StoreError for a store that a newer Proctor has written, and for a database file of another program.
    """
    with database.reading() as connection:
        version = _version(connection)
    if version == VERSION:
        return
    with database.writing() as connection:
        _wait_for_others(connection)
        version = _version(connection)
        if version is None:
            _refuse_foreign(connection, database.place)
            create(connection)
        elif version != VERSION:
            _migrate(connection, version, database.place)


def create(connection: Connection) -> None:
    """Make all tables of an empty database and note their version."""
    METADATA.create_all(connection, checkfirst=False)
    _VERSION.create(connection)
    connection.execute(_VERSION.insert().values(version_num=VERSION))


def upgrade(connection: Connection) -> None:
    """Run the migrations that are missing, inside the caller's transaction."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def _version(connection: Connection) -> str | None:
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    return connection.execute(select(_VERSION.c.version_num)).scalar()


def _wait_for_others(connection: Connection) -> None:
    """Let one process at a time change the tables. SQLite's write transaction does so by itself."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})


def _refuse_foreign(connection: Connection, place: str) -> None:
    """Leave the file of another program alone. A PostgreSQL database may be shared, if no table has our names."""
    tables = set(inspect(connection).get_table_names())
    taken = tables if connection.dialect.name == "sqlite" else tables & set(METADATA.tables)
    if taken:
        raise StoreError(
            f"the store {place} holds tables of another program: {', '.join(sorted(taken)[:5])}",
            hint="name another file or database with PROCTOR_STORE",
        )


def _migrate(connection: Connection, version: str, place: str) -> None:
    from alembic.script import ScriptDirectory

    known = {revision.revision for revision in ScriptDirectory(MIGRATIONS).walk_revisions()}
    if version not in known:
        raise StoreError(
            f"the store {place} was written by a newer Proctor (its version is {version}, ours is {VERSION})",
            hint="upgrade with pip install --upgrade proctor-evals, or name another store with PROCTOR_STORE",
        )
    upgrade(connection)
