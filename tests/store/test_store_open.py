from __future__ import annotations

import multiprocessing
import sqlite3
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest
from store_samples import completed, ref, run

from proctor.errors import StoreError, UsageError
from proctor.store import NewTrial, Store, new_run_id, open_store
from proctor.store.connection import connect


def execute(path: Path, *statements: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection, connection:
        return [row for statement in statements for row in connection.execute(statement)]


def failure(url: str | None, root: Path) -> str:
    with pytest.raises(StoreError) as caught:
        open_store(url, root)
    return str(caught.value)


class TestWhereItIs:
    def test_it_is_below_the_root_and_hidden_from_git(self, tmp_path: Path) -> None:
        open_store(None, tmp_path).close()
        assert (tmp_path / ".proctor/proctor.db").is_file()
        assert (tmp_path / ".proctor/.gitignore").read_text() == "*\n"

    def test_a_sqlite_url_is_relative_to_the_root_and_makes_no_folder(self, tmp_path: Path) -> None:
        open_store("sqlite:///mine.db", tmp_path).close()
        assert (tmp_path / "mine.db").is_file()
        assert not (tmp_path / ".proctor").exists()

    @pytest.mark.parametrize("name", ["my 100% project", "päth", "a#b?c"])
    def test_the_root_may_have_any_name(self, tmp_path: Path, name: str) -> None:
        root = tmp_path / name
        with open_store(None, root) as store:
            store.create_run(run())
        with open_store(None, root) as store:
            assert len(store.runs()) == 1

    def test_it_is_kept_in_write_ahead_mode(self, tmp_path: Path) -> None:
        open_store(None, tmp_path).close()
        assert execute(tmp_path / ".proctor/proctor.db", "PRAGMA journal_mode") == [("wal",)]


class TestWhatCannotBeOpened:
    def test_a_file_that_is_no_database_is_named_and_left_alone(self, tmp_path: Path) -> None:
        path = tmp_path / "notes.txt"
        content = "these are my notes\n" * 500
        path.write_text(content)
        message = failure("sqlite:///notes.txt", tmp_path)
        assert "notes.txt cannot be used: file is not a database" in message
        assert "hint: move that file away, or name another store with PROCTOR_STORE" in message
        assert path.read_text() == content

    def test_the_database_of_another_program_is_left_alone(self, tmp_path: Path) -> None:
        path = tmp_path / "shop.db"
        execute(path, "CREATE TABLE orders (id INTEGER)")
        assert "holds tables of another program: orders" in failure("sqlite:///shop.db", tmp_path)
        assert execute(path, "SELECT name FROM sqlite_master") == [("orders",)]

    def test_a_newer_store_asks_for_an_upgrade_and_is_left_alone(self, tmp_path: Path) -> None:
        open_store(None, tmp_path).close()
        path = tmp_path / ".proctor/proctor.db"
        execute(path, "UPDATE proctor_version SET version_num = '9999'")
        message = failure(None, tmp_path)
        assert "was written by a newer Proctor (its version is 9999" in message
        assert "hint: upgrade with pip install --upgrade proctor-evals" in message
        assert execute(path, "SELECT version_num FROM proctor_version") == [("9999",)]

    def test_a_folder_that_cannot_be_made_is_named(self, tmp_path: Path) -> None:
        (tmp_path / ".proctor").write_text("in the way")
        message = failure(None, tmp_path)
        assert f"the folder {tmp_path / '.proctor'} cannot be made" in message
        assert "hint: make it writable" in message

    def test_a_missing_folder_in_a_url_is_not_made(self, tmp_path: Path) -> None:
        assert "hint: check that the folder exists" in failure("sqlite:///no/such/folder/x.db", tmp_path)
        assert not (tmp_path / "no").exists()

    def test_a_server_that_does_not_answer_is_named_without_the_password(self, tmp_path: Path) -> None:
        message = failure("postgresql://me:secret@127.0.0.1:1/evals", tmp_path)
        assert "hint: check that the server runs" in message
        assert "me:***@127.0.0.1:1/evals" in message
        assert "secret" not in message

    def test_a_missing_driver_says_what_to_install(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setitem(sys.modules, "psycopg", None)
        assert "hint: pip install 'proctor-evals[postgresql]'" in failure("postgresql://me@here/evals", tmp_path)

    @pytest.mark.parametrize(
        "url", ["sqlite://", "sqlite:///:memory:", "mysql://here/x", "nonsense", "", "x://y:z:pw@"]
    )
    def test_a_url_that_names_no_store_is_a_usage_error(self, tmp_path: Path, url: str) -> None:
        with pytest.raises(UsageError, match=r"write sqlite:///path/to/file\.db or postgresql://") as caught:
            open_store(url, tmp_path)
        assert "pw" not in str(caught.value)

    def test_a_full_disk_says_so_and_what_was_stored_is_kept(self, tmp_path: Path) -> None:
        with open_store(None, tmp_path) as store:
            store.create_run(run("r1"))
        database = connect(None, tmp_path)
        with database.engine.connect() as connection:
            # SQLite's own way to be out of space; the pool hands this very connection to the store.
            connection.exec_driver_sql("PRAGMA max_page_count=1")
        with Store(database) as store:
            big = completed("".join(map(str, range(100_000))))
            with pytest.raises(StoreError, match="free some space and start the same command again"):
                store.save_trials("r1", [NewTrial(ref(trial=n), big) for n in range(9)])
            assert [stored.id for stored in store.runs()] == ["r1"]
            assert store.trial_refs("r1") == {}


def open_and_write(root: Path, start: object, failures: object) -> None:
    start.wait()  # type: ignore[attr-defined]
    try:
        with open_store(None, root) as store:
            store.create_run(run(new_run_id()))
    except BaseException as error:
        failures.put(repr(error))  # type: ignore[attr-defined]
        raise


class TestManyProcesses:
    def test_none_is_turned_away_while_the_others_switch_to_write_ahead_mode(self, tmp_path: Path) -> None:
        """SQLite itself answers "database is locked" here, in about one round of six."""
        together = threading.Barrier(6)
        failures: list[StoreError] = []

        def read() -> None:
            for number in range(30):
                database = connect(f"sqlite:///{number}.db", tmp_path)
                together.wait()
                try:
                    with database.reading() as connection:
                        connection.exec_driver_sql("SELECT 1")
                except StoreError as error:
                    failures.append(error)
                database.close()

        readers = [threading.Thread(target=read) for _ in range(6)]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join()
        assert failures == []

    def test_they_may_all_open_a_fresh_store_at_the_same_time(self, tmp_path: Path) -> None:
        context = multiprocessing.get_context("spawn")
        start, failures = context.Barrier(4), context.SimpleQueue()
        others = [context.Process(target=open_and_write, args=(tmp_path, start, failures)) for _ in range(4)]
        for process in others:
            process.start()
        for process in others:
            process.join()
        assert [process.exitcode for process in others] == [0] * 4, failures.get()
        with open_store(None, tmp_path) as store:
            assert len(store.runs()) == 4
