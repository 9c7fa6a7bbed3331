"""Adds why a run was queued, and whether a new run continues it after its deadline.

The reason of a run of an earlier version is unknown: null.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.add_column("processing_runs", sa.Column("reason", sa.Text))
    op.add_column(
        "processing_runs",
        sa.Column("continue_after_timeout", sa.Boolean, nullable=False, server_default=sa.text("false")),
    )
