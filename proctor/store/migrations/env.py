"""Alembic's entry point: run the migrations on the connection that `proctor.store.schema` hands over."""

from __future__ import annotations

from alembic import context

from proctor.store.schema import VERSION_TABLE
from proctor.store.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    version_table=VERSION_TABLE,
    # SQLite cannot change a column in place: alembic copies the table instead.
    render_as_batch=True,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
