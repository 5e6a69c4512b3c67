"""Recorded rows in chunks, calibrations, and the count that a gate needs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_TEXT = sa.TEXT().with_variant(sa.TEXT(collation="C"), "postgresql")


def upgrade() -> None:
    """Make the new tables and the new column. Gates of earlier runs say in their reason what they needed."""
    op.create_table(
        "row_chunk",
        sa.Column("run_id", _TEXT, nullable=False),
        sa.Column("source", _TEXT, nullable=False),
        sa.Column("line", sa.BigInteger(), nullable=False),
        sa.Column("rows", sa.Integer(), nullable=False),
        sa.Column("waiting", sa.Integer(), nullable=False),
        sa.Column("lines", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "source", "line"),
    )
    op.create_table(
        "calibration",
        sa.Column("dimension", _TEXT, nullable=False),
        sa.Column("run_id", _TEXT, nullable=False),
        sa.Column("judge", _TEXT, nullable=False),
        sa.Column("measured_at", _TEXT, nullable=False),
        sa.Column("score", _TEXT, nullable=False),
        sa.PrimaryKeyConstraint("dimension", "run_id"),
    )
    with op.batch_alter_table("gate") as batch:
        batch.add_column(sa.Column("needed", sa.Integer(), nullable=False, server_default="0"))
