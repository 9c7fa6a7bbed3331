"""Adds the names that people gave to the speakers of calls."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from towpath.ledger import columns

revision = "0024"
down_revision = "0023"


def upgrade() -> None:
    op.add_column(
        "documents",
        sa.Column("speaker_names", columns.Json, server_default=sa.text("'{}'"), nullable=False),
    )
