"""Adds `field_schemas`, and the schema and the verification of fields that a field extractor found."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from towpath.ledger import columns

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    op.add_column("document_fields", sa.Column("schema", sa.Text()))
    op.add_column("document_fields", sa.Column("verified", sa.Boolean()))
    op.create_table(
        "field_schemas",
        sa.Column("org_id", columns.Id, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("document", columns.Json, nullable=False),
        sa.Column("updated_at", columns.Instant, nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id"], ["organizations.id"], name="fk_field_schemas_org_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("org_id", "name", name="pk_field_schemas"),
    )
