"""Adds `suspect` to jobs: the process that worked on the job died, so the job runs alone the next time."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.add_column(
        "document_processing_jobs",
        sa.Column("suspect", sa.Boolean(), server_default=sa.text("false"), nullable=False),
    )
