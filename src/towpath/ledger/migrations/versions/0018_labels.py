"""Adds collections, tags and metadata of documents, edits of titles and fields, and the indexes of their filters."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from towpath.ledger import columns

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    for column in (
        sa.Column("collection", sa.Text()),
        sa.Column("metadata", columns.Json, server_default=sa.text("'{}'"), nullable=False),
        sa.Column("edited_title", sa.Text()),
        sa.Column("title_edited_by", sa.Text()),
        sa.Column("title_edited_at", columns.Instant),
    ):
        op.add_column("documents", column)
    _create_label_tables()
    op.create_table(
        "field_edits",
        sa.Column("document_id", columns.Id, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("org_id", columns.Id, nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("extracted_value", sa.Text()),
        sa.Column("edited_by", sa.Text(), nullable=False),
        sa.Column("edited_at", columns.Instant, nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name="fk_field_edits_document_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document_id", "name", "ordinal", name="pk_field_edits"),
    )
    for name in ("collection", "status"):
        op.create_index(f"ix_documents_{name}", "documents", ["org_id", name, "created_at", "id"])
    op.create_index(
        "ix_documents_media_type", "documents", ["org_id", "media_type", "kind", "created_at", "id"]
    )
    op.create_index("ix_documents_size", "documents", ["org_id", "size", "id"])
    # Exactly the expressions of `document_filters.py`.
    if op.get_bind().dialect.name == "postgresql":
        name, language = 'lower(name) collate "C"', "(summary ->> 'language')"
    else:
        name, language = "lower(name)", "json_extract(summary, '$.language')"
    op.execute(f"create index ix_documents_search_name on documents (org_id, ({name}), id)")
    op.execute(
        f"create index ix_documents_search_language on documents (org_id, ({language}), created_at, id)"
    )


def _create_label_tables() -> None:
    for table, key in (("document_tags", "tag"), ("document_metadata", "key")):
        value = [sa.Column("value", sa.Text(), nullable=False)] if key == "key" else []
        op.create_table(
            table,
            sa.Column("document_id", columns.Id, nullable=False),
            sa.Column(key, sa.Text(), nullable=False),
            *value,
            sa.Column("org_id", columns.Id, nullable=False),
            sa.Column("document_created_at", columns.Instant, nullable=False),
            sa.ForeignKeyConstraint(
                ["document_id"], ["documents.id"], name=f"fk_{table}_document_id", ondelete="CASCADE"
            ),
            sa.PrimaryKeyConstraint("document_id", key, name=f"pk_{table}"),
        )
        filtered = [key, *(column.name for column in value)]
        op.create_index(
            f"ix_{table}_filter", table, ["org_id", *filtered, "document_created_at", "document_id"]
        )
