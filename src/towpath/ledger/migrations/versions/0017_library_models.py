"""Adds the embedding model of each organization, and the vectors of the model that will replace it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from towpath.ledger import columns

revision = "0017"
down_revision = "0016"

#: The model of most chunks is the one that answers searches.
_MOST_USED = """
insert into library_models (org_id, model, dimension)
select org_id, model, dimension from (
  select
    org_id, model, max(dimension) as dimension,
    row_number() over (partition by org_id order by count(*) desc, model) as place
  from chunks where model is not null and dimension is not null group by org_id, model
) as used where place = 1
"""


def upgrade() -> None:
    op.create_table(
        "library_models",
        sa.Column("org_id", columns.Id, nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("dimension", sa.Integer(), nullable=False),
        sa.Column("next_model", sa.Text()),
        sa.Column("next_dimension", sa.Integer()),
        sa.Column("updated_at", columns.Instant),
        sa.PrimaryKeyConstraint("org_id", name="pk_library_models"),
    )
    op.create_table(
        "next_vectors",
        sa.Column("chunk_id", columns.Id, nullable=False),
        sa.Column("org_id", columns.Id, nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("vector", columns.Vector, nullable=False),
        sa.ForeignKeyConstraint(
            ["chunk_id"], ["chunks.id"], name="fk_next_vectors_chunk_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("chunk_id", name="pk_next_vectors"),
    )
    op.create_index("ix_next_vectors_org_id", "next_vectors", ["org_id"])
    op.execute(_MOST_USED)
