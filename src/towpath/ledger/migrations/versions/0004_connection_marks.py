"""Creates the table of connections that users pinned or hid."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from towpath.ledger import columns

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "connection_marks",
        sa.Column("id", columns.Id, nullable=False),
        sa.Column("org_id", columns.Id, nullable=False),
        sa.Column("a_document_id", columns.Id, nullable=False),
        sa.Column("b_document_id", columns.Id, nullable=False),
        sa.Column("a_chunk_id", columns.Id, nullable=False),
        sa.Column("b_chunk_id", columns.Id, nullable=False),
        sa.Column("a_text", sa.Text(), nullable=False),
        sa.Column("b_text", sa.Text(), nullable=False),
        sa.Column("pinned", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("hidden", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("updated_at", columns.Instant, nullable=False),
        sa.ForeignKeyConstraint(
            ["a_document_id"],
            ["documents.id"],
            name=op.f("fk_connection_marks_a_document_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["b_document_id"],
            ["documents.id"],
            name=op.f("fk_connection_marks_b_document_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_connection_marks")),
    )
    for column in ("a_document_id", "b_document_id"):
        op.create_index(op.f(f"ix_connection_marks_{column}"), "connection_marks", [column], unique=False)
