"""Adds an index of the chunks whose vectors are not in the HNSW index yet (null dimension). Postgres only."""

from __future__ import annotations

from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.execute(
            "create index ix_chunks_search_unindexed on chunks (org_id) "
            "where dimension is null and vector is not null"
        )
