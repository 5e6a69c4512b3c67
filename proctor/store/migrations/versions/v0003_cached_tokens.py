"""The tokens that a provider's cache was read for, and those that were written to it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the new columns. Trials of earlier runs have their numbers in the trajectory only."""
    for table in ("trial", "answer"):
        with op.batch_alter_table(table) as batch:
            for name in ("cache_read_tokens", "cache_write_tokens"):
                batch.add_column(sa.Column(name, sa.BigInteger(), nullable=False, server_default="0"))
