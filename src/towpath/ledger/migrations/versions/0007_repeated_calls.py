"""Renames `provider_calls.reopened` to `repeated`, the word that the API and the page use."""

from __future__ import annotations

from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    op.execute("alter table provider_calls rename column reopened to repeated")
