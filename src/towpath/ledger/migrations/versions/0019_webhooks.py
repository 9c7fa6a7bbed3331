"""Adds the webhook endpoints of an organization with their deliveries, and pauses of stages and providers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from towpath.ledger import columns

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    op.create_table(
        "pauses",
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("paused_at", columns.Instant, nullable=False),
        sa.Column("paused_by", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "name", name="pk_pauses"),
    )
    op.create_table(
        "webhook_endpoints",
        sa.Column("id", columns.Id, nullable=False),
        sa.Column("org_id", columns.Id, nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("events", columns.Json, nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("previous_secret", sa.Text()),
        sa.Column("previous_secret_until", columns.Instant),
        sa.Column("created_at", columns.Instant, nullable=False),
        sa.Column("updated_at", columns.Instant, nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id"], ["organizations.id"], name="fk_webhook_endpoints_org_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_webhook_endpoints"),
    )
    op.create_index("ix_webhook_endpoints_org_id", "webhook_endpoints", ["org_id"])
    op.create_table(
        "webhook_deliveries",
        sa.Column("id", columns.Id, nullable=False),
        sa.Column("org_id", columns.Id, nullable=False),
        sa.Column("endpoint_id", columns.Id, nullable=False),
        sa.Column("document_id", columns.Id, nullable=False),
        sa.Column("run_id", columns.Id, nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("epoch", sa.BigInteger(), nullable=False),
        sa.Column("next_attempt_at", columns.Instant),
        sa.Column("history", columns.Json, nullable=False),
        sa.Column("created_at", columns.Instant, nullable=False),
        sa.Column("completed_at", columns.Instant),
        sa.ForeignKeyConstraint(
            ["endpoint_id"],
            ["webhook_endpoints.id"],
            name="fk_webhook_deliveries_endpoint_id",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name="fk_webhook_deliveries_document_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_webhook_deliveries"),
        sa.UniqueConstraint("endpoint_id", "message_id", name="uq_webhook_deliveries_endpoint_id_message_id"),
    )
    op.create_index("ix_webhook_deliveries_document_id", "webhook_deliveries", ["document_id"])
    op.create_index("ix_webhook_deliveries_newest", "webhook_deliveries", ["endpoint_id", "id"])
    pending = sa.text("status = 'PENDING'")
    op.create_index(
        "ix_webhook_deliveries_due",
        "webhook_deliveries",
        ["endpoint_id", "next_attempt_at"],
        postgresql_where=pending,
        sqlite_where=pending,
    )
