"""Adds the stages whose jobs an API key with the scope `worker` may claim."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    op.add_column("api_keys", sa.Column("stages", sa.Text()))
