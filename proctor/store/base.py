"""What the parts of the store share: their database, bulk statements, and batches of rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, Table, and_

from proctor.results import TrialRef
from proctor.store.connection import Database

T = TypeVar("T")

# Values in one IN list: far below the 32,766 variables of SQLite and the 65,535 of PostgreSQL.
_IN_LIST = 500
# Trials in one write transaction: long enough to be cheap, short enough that other processes need not wait.
BATCH = 2_000


class Part:
    """A part of the store: queries and writes on one database."""

    def __init__(self, database: Database) -> None:
        self._database = database


def upsert(connection: Connection, table: Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows in bulk; a row whose key is there already is replaced. All rows have the same members."""
    if not rows:
        return
    statement = _insert(connection, table)
    keys = [column.name for column in table.primary_key]
    changed = {name: statement.excluded[name] for name in rows[0] if name not in keys}
    execute_many(connection, statement.on_conflict_do_update(index_elements=keys, set_=changed), rows)


def execute_many(connection: Connection, statement: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    """Execute a statement once for each row of parameters; no rows, no execution.

    `Connection.execute` does the same, but what it does for each row costs more than the database does.
    """
    if not rows:
        return
    dialect = connection.dialect
    compiled = statement.compile(dialect=dialect, column_keys=list(rows[0]))
    names = compiled.positiontup or list(compiled.binds)
    steps = [(name, compiled.binds[name].type.dialect_impl(dialect).bind_processor(dialect)) for name in names]
    encoded: list[Any] = [
        tuple([row[name] if encode is None else encode(row[name]) for name, encode in steps]) for row in rows
    ]
    if compiled.positiontup is None:
        encoded = [dict(zip(names, values, strict=True)) for values in encoded]
    connection.exec_driver_sql(str(compiled), encoded)


def _insert(connection: Connection, table: Table) -> Any:
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects.postgresql import insert as postgresql_insert

        return postgresql_insert(table)
    from sqlalchemy.dialects.sqlite import insert as sqlite_insert

    return sqlite_insert(table)


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Cut an iterable into lists of at most ``size`` items."""
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch


def in_lists(values: Iterable[str]) -> Iterator[list[str]]:
    """Cut values into lists that fit an IN clause."""
    return batches(values, _IN_LIST)


def case_conditions(table: Table, run_id: str, refs: Iterable[TrialRef]) -> Iterator[ColumnElement[bool]]:
    """Give conditions that together select the rows of the cases of these trials, each of them once."""
    keys: defaultdict[str, dict[str, None]] = defaultdict(dict)
    for ref in refs:
        keys[ref.agent][ref.case] = None
    for agent, cases in keys.items():
        for some in in_lists(cases):
            yield and_(table.c.run_id == run_id, table.c.agent == agent, table.c.case_key.in_(some))
