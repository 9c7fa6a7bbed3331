"""Creates the table of live workers, which lists idle workers too."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from towpath.ledger import columns

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_table(
        "workers",
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("pid", sa.Integer, nullable=False),
        sa.Column("slots", sa.Integer, nullable=False),
        sa.Column("stages", columns.Json, nullable=False),
        sa.Column("started_at", columns.Instant, nullable=False),
        sa.Column("seen_at", columns.Instant, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workers")),
    )
