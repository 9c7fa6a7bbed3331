"""Creates the tables of throttled providers and of the workers that share a provider's limits.

Revision 0006 renames `provider_gates` to `provider_throttles`.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from towpath.ledger.columns import Id, Instant

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "provider_gates",
        sa.Column("provider", sa.Text, nullable=False),
        sa.Column("closed_until", Instant, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("updated_at", Instant, nullable=False),
        sa.PrimaryKeyConstraint("provider", name="pk_provider_gates"),
    )
    op.create_table(
        "provider_users",
        sa.Column("provider", sa.Text, nullable=False),
        sa.Column("user_id", Id, nullable=False),
        sa.Column("joined_at", Instant, nullable=False),
        sa.Column("seen_at", Instant, nullable=False),
        sa.PrimaryKeyConstraint("provider", "user_id", name="pk_provider_users"),
    )
