"""Adds `document_children`: attachments of mails and members of archives are documents of their own.

`documents.uploaded` is false for documents that exist only as children.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from towpath.ledger.columns import Id, Instant

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.add_column(
        "documents", sa.Column("uploaded", sa.Boolean(), server_default=sa.text("true"), nullable=False)
    )
    op.create_table(
        "document_children",
        sa.Column("parent_id", Id, nullable=False),
        sa.Column("child_id", Id, nullable=False),
        sa.Column("org_id", Id, nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("created_at", Instant, nullable=False),
        sa.ForeignKeyConstraint(
            ["parent_id"], ["documents.id"], name="fk_document_children_parent_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["child_id"], ["documents.id"], name="fk_document_children_child_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("parent_id", "child_id", name="pk_document_children"),
    )
    op.create_index("ix_document_children_child_id", "document_children", ["child_id"])
