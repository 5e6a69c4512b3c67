"""What people say of answers, and which text was graded in which trial."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_TEXT = sa.TEXT().with_variant(sa.TEXT(collation="C"), "postgresql")


def upgrade() -> None:
    """Make the new tables. Earlier runs have no texts: a run of the same files has."""
    op.create_table(
        "review",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("content", _TEXT, nullable=False),
        sa.Column("reviewer", _TEXT, nullable=False),
        sa.Column("reviewed_at", _TEXT, nullable=False),
        sa.Column("run_id", _TEXT, nullable=False),
        sa.Column("agent", _TEXT, nullable=False),
        sa.Column("case_key", _TEXT, nullable=False),
        sa.Column("trial", sa.Integer(), nullable=False),
        sa.Column("name", _TEXT, nullable=False),
        sa.Column("criteria", _TEXT, nullable=False),
        sa.Column("verdict", _TEXT, nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "graded_text",
        sa.Column("run_id", _TEXT, nullable=False),
        sa.Column("agent", _TEXT, nullable=False),
        sa.Column("case_key", _TEXT, nullable=False),
        sa.Column("trial", sa.Integer(), nullable=False),
        sa.Column("content", _TEXT, nullable=False),
        sa.PrimaryKeyConstraint("run_id", "agent", "case_key", "trial"),
    )
