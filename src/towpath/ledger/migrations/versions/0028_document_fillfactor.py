"""Leaves half of each page of `documents` free on Postgres.

A change of the status updates the row in place only if its page has room for a second version. With a fifth of the page
free, two of three completed documents wrote all ten indexes of their row.
"""

from __future__ import annotations

from alembic import op

revision = "0028"
down_revision = "0027"


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute("alter table documents set (fillfactor = 50)")
