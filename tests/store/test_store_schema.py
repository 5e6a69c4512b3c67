from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, text
from store_samples import run

from proctor.store import open_store
from proctor.store.connection import Database, connect
from proctor.store.schema import MIGRATIONS, VERSION, VERSION_TABLE, create, upgrade
from proctor.store.tables import METADATA


@pytest.fixture(params=["sqlite", "postgresql"])
def empty(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    url = request.getfixturevalue("postgresql_url") if request.param == "postgresql" else "sqlite:///empty.db"
    database = connect(url, tmp_path)
    yield database
    database.close()


def shape(database: Database) -> dict[str, object]:
    """All that the database says of its tables."""
    with database.reading() as connection:
        seen = inspect(connection)
        return {
            table: (
                [{**column, "type": repr(column["type"])} for column in seen.get_columns(table)],
                seen.get_pk_constraint(table),
                sorted(map(str, seen.get_indexes(table))),
            )
            for table in sorted(seen.get_table_names())
        }


class TestMigrations:
    def test_the_last_revision_is_the_version_of_the_code(self) -> None:
        assert ScriptDirectory(MIGRATIONS).get_heads() == [VERSION]

    def test_they_give_the_tables_of_the_code(self, empty: Database) -> None:
        with empty.writing() as connection:
            upgrade(connection)
        with empty.reading() as connection:
            context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
            assert compare_metadata(context, METADATA) == []

    def test_a_fresh_store_is_the_same_as_a_migrated_one(self, empty: Database) -> None:
        with empty.writing() as connection:
            upgrade(connection)
        migrated = shape(empty)
        with empty.writing() as connection:
            for table in migrated:
                connection.execute(text(f'DROP TABLE "{table}"'))
            create(connection)
        assert shape(empty) == migrated
        assert set(migrated) == {*METADATA.tables, VERSION_TABLE}

    def test_a_migration_that_breaks_off_leaves_nothing_behind(self, empty: Database) -> None:
        def break_off() -> None:
            with empty.writing() as connection:
                upgrade(connection)
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            break_off()
        assert shape(empty) == {}


class TestStart:
    def test_a_store_of_this_version_is_opened_without_alembic(self, tmp_path: Path) -> None:
        code = (
            "import sys, pathlib; from proctor.store import open_store; "
            "[open_store(None, pathlib.Path(sys.argv[1])).close() for _ in range(2)]; print('alembic' in sys.modules)"
        )
        done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
        assert done.stdout == "False\n"

    def test_the_package_loads_no_sql(self) -> None:
        code = "import sys, proctor.store; print(sorted({'sqlalchemy', 'sqlmodel', 'alembic'} & set(sys.modules)))"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout == "[]\n"

    def test_a_postgresql_database_may_be_shared_with_another_program(
        self, tmp_path: Path, postgresql_url: str
    ) -> None:
        database = connect(postgresql_url, tmp_path)
        with database.writing() as connection:
            connection.execute(text("CREATE TABLE flow_run (id int)"))
        with open_store(postgresql_url.replace("+psycopg", ""), tmp_path) as store:
            store.create_run(run())
            assert len(store.runs()) == 1
        database.close()

    def test_a_table_of_another_program_with_one_of_our_names_is_left_alone(
        self, tmp_path: Path, postgresql_url: str
    ) -> None:
        database = connect(postgresql_url, tmp_path)
        with database.writing() as connection:
            connection.execute(text("CREATE TABLE report (id int)"))
        with pytest.raises(Exception, match="holds tables of another program: report"):
            open_store(postgresql_url, tmp_path)
        database.close()


def test_exported_names_exist() -> None:
    import proctor.store

    assert sorted(proctor.store.__all__) == proctor.store.__all__
    assert all(hasattr(proctor.store, name) for name in proctor.store.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        _ = proctor.store.nonsense
