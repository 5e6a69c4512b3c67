"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_TEXT = sa.TEXT().with_variant(sa.TEXT(collation="C"), "postgresql")


def upgrade() -> None:
    """Make all tables."""
    op.create_table(
        "run",
        sa.Column("id", _TEXT, nullable=False),
        sa.Column("slug", _TEXT, nullable=False),
        sa.Column("name", _TEXT, nullable=False),
        sa.Column("spec", _TEXT, nullable=False),
        sa.Column("plan_digest", _TEXT, nullable=False),
        sa.Column("status", _TEXT, nullable=False),
        sa.Column("decision", _TEXT, nullable=True),
        sa.Column("exit_code", sa.Integer(), nullable=True),
        sa.Column("started_at", _TEXT, nullable=False),
        sa.Column("finished_at", _TEXT, nullable=True),
        sa.Column("accepted_at", _TEXT, nullable=True),
        sa.Column("purpose", _TEXT, nullable=False),
        sa.Column("selection", _TEXT, nullable=True),
        sa.Column("host", _TEXT, nullable=False),
        sa.Column("engine", _TEXT, nullable=False),
        sa.Column("provenance", _TEXT, nullable=False),
        sa.Column("summary", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("run_by_slug", "run", ["slug", "id"])
    op.create_table(
        "case",
        sa.Column("run_id", _TEXT, nullable=False),
        sa.Column("agent", _TEXT, nullable=False),
        sa.Column("case_key", _TEXT, nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("outcome", _TEXT, nullable=False),
        sa.Column("passed", sa.Integer(), nullable=False),
        sa.Column("failed", sa.Integer(), nullable=False),
        sa.Column("errored", sa.Integer(), nullable=False),
        sa.Column("refused", sa.Integer(), nullable=False),
        sa.Column("unscored", sa.Integer(), nullable=False),
        sa.Column("skipped", sa.Integer(), nullable=False),
        sa.Column("runs", sa.Integer(), nullable=False),
        sa.Column("threshold", sa.Double(), nullable=False),
        sa.Column("needed", sa.Integer(), nullable=False),
        sa.Column("reason", _TEXT, nullable=False),
        sa.Column("tags", _TEXT, nullable=False),
        sa.Column("markers", _TEXT, nullable=False),
        sa.Column("source", _TEXT, nullable=False),
        sa.Column("line", sa.Integer(), nullable=False),
        sa.Column("latency_ms", sa.Double(), nullable=False),
        sa.Column("usage", _TEXT, nullable=False),
        sa.Column("cached", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "agent", "case_key"),
    )
    op.create_index("case_worst_first", "case", ["run_id", "rank", "agent", "case_key"])
    op.create_table(
        "trial",
        sa.Column("run_id", _TEXT, nullable=False),
        sa.Column("agent", _TEXT, nullable=False),
        sa.Column("case_key", _TEXT, nullable=False),
        sa.Column("trial", sa.Integer(), nullable=False),
        sa.Column("key", _TEXT, nullable=False),
        sa.Column("ending", _TEXT, nullable=False),
        sa.Column("outcome", _TEXT, nullable=True),
        sa.Column("trajectory", sa.LargeBinary(), nullable=False),
        sa.Column("latency_ms", sa.Double(), nullable=False),
        sa.Column("cost_usd", _TEXT, nullable=True),
        sa.Column("input_tokens", sa.BigInteger(), nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("failure_kind", _TEXT, nullable=True),
        sa.Column("failure_type", _TEXT, nullable=True),
        sa.Column("failure_message", _TEXT, nullable=True),
        sa.Column("cached_run_id", _TEXT, nullable=True),
        sa.Column("cached_at", _TEXT, nullable=True),
        sa.Column("created_at", _TEXT, nullable=False),
        sa.PrimaryKeyConstraint("run_id", "agent", "case_key", "trial"),
    )
    op.create_table(
        "score",
        sa.Column("run_id", _TEXT, nullable=False),
        sa.Column("agent", _TEXT, nullable=False),
        sa.Column("case_key", _TEXT, nullable=False),
        sa.Column("trial", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=True),
        sa.Column("name", _TEXT, nullable=False),
        sa.Column("kind", _TEXT, nullable=False),
        sa.Column("outcome", _TEXT, nullable=True),
        sa.Column("reason", _TEXT, nullable=False),
        sa.Column("verdict", _TEXT, nullable=True),
        sa.Column("verdict_cached_run_id", _TEXT, nullable=True),
        sa.Column("verdict_cached_at", _TEXT, nullable=True),
        sa.PrimaryKeyConstraint("run_id", "agent", "case_key", "trial", "position"),
    )
    op.create_table(
        "gate",
        sa.Column("run_id", _TEXT, nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("name", _TEXT, nullable=False),
        sa.Column("agent", _TEXT, nullable=False),
        sa.Column("status", _TEXT, nullable=False),
        sa.Column("reason", _TEXT, nullable=False),
        sa.Column("threshold", sa.Double(), nullable=False),
        sa.Column("members", sa.Integer(), nullable=False),
        sa.Column("ran", sa.Integer(), nullable=False),
        sa.Column("passed", sa.Integer(), nullable=False),
        sa.Column("skipped", sa.Integer(), nullable=False),
        sa.Column("failing", _TEXT, nullable=False),
        sa.Column("pinned_failed", _TEXT, nullable=False),
        sa.Column("pinned_missing", _TEXT, nullable=False),
        sa.PrimaryKeyConstraint("run_id", "position"),
    )
    op.create_table(
        "report",
        sa.Column("run_id", _TEXT, nullable=False),
        sa.Column("kind", _TEXT, nullable=False),
        sa.Column("path", _TEXT, nullable=False),
        sa.Column("digest", _TEXT, nullable=False),
        sa.PrimaryKeyConstraint("run_id", "kind"),
    )
    op.create_table(
        "answer",
        sa.Column("key", _TEXT, nullable=False),
        sa.Column("trajectory", sa.LargeBinary(), nullable=False),
        sa.Column("latency_ms", sa.Double(), nullable=False),
        sa.Column("cost_usd", _TEXT, nullable=True),
        sa.Column("input_tokens", sa.BigInteger(), nullable=False),
        sa.Column("output_tokens", sa.BigInteger(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("parts", _TEXT, nullable=False),
        sa.Column("run_id", _TEXT, nullable=False),
        sa.Column("created_at", _TEXT, nullable=False),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_table(
        "verdict",
        sa.Column("key", _TEXT, nullable=False),
        sa.Column("verdict", _TEXT, nullable=False),
        sa.Column("run_id", _TEXT, nullable=False),
        sa.Column("created_at", _TEXT, nullable=False),
        sa.PrimaryKeyConstraint("key"),
    )
