"""Drops the second index of the jobs in progress: each claim and each advance wrote both.

Sweeps read the jobs in progress by the index on `last_heartbeat`, which has the same condition.
"""

from __future__ import annotations

from alembic import op

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    op.drop_index("ix_document_processing_jobs_leased", "document_processing_jobs")
