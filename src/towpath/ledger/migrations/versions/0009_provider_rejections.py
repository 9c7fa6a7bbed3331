"""Adds which provider rejected a run, and the batch sizes that providers accept."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from towpath.ledger import columns

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.add_column("processing_runs", sa.Column("rejected_by", sa.Text))
    op.create_table(
        "provider_batch_limits",
        sa.Column("provider", sa.Text, nullable=False),
        sa.Column("endpoint", sa.Text, nullable=False),
        sa.Column("inputs", sa.Integer, nullable=False),
        sa.Column("updated_at", columns.Instant, nullable=False),
        sa.PrimaryKeyConstraint("provider", "endpoint", name=op.f("pk_provider_batch_limits")),
    )
