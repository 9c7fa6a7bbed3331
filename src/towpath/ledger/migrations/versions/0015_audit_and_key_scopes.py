"""Adds scopes and expiry of API keys, and the audit table. Existing keys keep what they could do: read and write."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from towpath.ledger import columns

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.add_column(
        "api_keys", sa.Column("scopes", sa.Text, server_default=sa.text("'read write'"), nullable=False)
    )
    op.add_column("api_keys", sa.Column("expires_at", columns.Instant))
    op.create_table(
        "audit",
        sa.Column("id", columns.Serial, autoincrement=True, nullable=False),
        sa.Column("org_id", columns.Id, nullable=False),
        sa.Column("at", columns.Instant, nullable=False),
        sa.Column("action", sa.Text, nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        sa.Column("actor_name", sa.Text, nullable=False),
        sa.Column("key_id", columns.Id),
        sa.Column("address", sa.Text),
        sa.Column("subject", sa.Text),
        sa.Column("detail", columns.Json, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
    )
    op.create_index("ix_audit_org", "audit", ["org_id", "id"])
