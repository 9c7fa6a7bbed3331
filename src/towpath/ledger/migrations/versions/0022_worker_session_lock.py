"""Adds whether a worker's database session holds a lock, which is free as soon as the worker has died."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    op.add_column(
        "workers", sa.Column("session_lock", sa.Boolean(), nullable=False, server_default=sa.false())
    )
