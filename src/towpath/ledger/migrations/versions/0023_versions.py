"""Adds keys and versions of documents. Without a key a document is unique by its bytes, with a key by its key."""

from __future__ import annotations

import re

import sqlalchemy as sa
from alembic import op

from towpath.ledger import columns

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    op.add_column("documents", sa.Column("key", sa.Text()))
    op.add_column(
        "documents", sa.Column("version", sa.Integer(), server_default=sa.text("1"), nullable=False)
    )
    op.add_column(
        "idempotency_keys", sa.Column("version", sa.Integer(), server_default=sa.text("1"), nullable=False)
    )
    if op.get_bind().dialect.name == "postgresql":
        op.drop_constraint("uq_documents_org_id_sha256", "documents")
    else:
        _replace_documents_on_sqlite()
    for name, column, condition in (
        ("uq_documents_sha256", "sha256", "key is null"),
        ("uq_documents_key", "key", "key is not null"),
    ):
        where = sa.text(condition)
        op.create_index(
            name, "documents", ["org_id", column], unique=True, postgresql_where=where, sqlite_where=where
        )
    _create_versions()


def _replace_documents_on_sqlite() -> None:
    """SQLite cannot drop a constraint: copy the rows into a table without it. Foreign keys are off in migrations."""
    connection = op.get_bind()
    query = "select sql from sqlite_master where tbl_name = 'documents' and sql is not null and type "
    (table,) = connection.exec_driver_sql(f"{query} = 'table'").scalars()
    others = connection.exec_driver_sql(f"{query} in ('index', 'trigger')").scalars().all()
    constraint = r",\s*constraint \"?uq_documents_org_id_sha256\"? unique \(org_id, sha256\)"
    without, removed = re.subn(constraint, "", table, flags=re.IGNORECASE)
    renamed, named = re.subn(
        r'create table "?documents"?', "create table new_documents", without, flags=re.IGNORECASE
    )
    if (removed, named) != (1, 1):
        raise RuntimeError(f"The table `documents` is not as earlier versions made it: {table}")
    connection.exec_driver_sql(renamed)
    connection.exec_driver_sql("insert into new_documents select * from documents order by rowid")
    connection.exec_driver_sql("drop table documents")
    # Views and triggers name `documents`, which does not exist at this moment.
    usual = connection.exec_driver_sql("pragma legacy_alter_table").scalar()
    connection.exec_driver_sql("pragma legacy_alter_table = on")
    connection.exec_driver_sql("alter table new_documents rename to documents")
    connection.exec_driver_sql(f"pragma legacy_alter_table = {usual}")
    for statement in others:
        connection.exec_driver_sql(statement)


def _create_versions() -> None:
    op.create_table(
        "document_versions",
        sa.Column("document_id", columns.Id, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("org_id", columns.Id, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("media_type", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("blob_key", sa.Text(), nullable=False),
        sa.Column("run_id", columns.Id),
        sa.Column("status", sa.Text()),
        sa.Column("content_key", sa.Text()),
        sa.Column("chunks_added", sa.Integer()),
        sa.Column("chunks_removed", sa.Integer()),
        sa.Column("chunks_kept", sa.Integer()),
        sa.Column("created_at", columns.Instant, nullable=False),
        sa.ForeignKeyConstraint(
            ["document_id"], ["documents.id"], name="fk_document_versions_document_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("document_id", "number", name="pk_document_versions"),
    )
    for column in ("sha256", "blob_key"):
        name = f"ix_document_versions_{column.removesuffix('_key')}"
        op.create_index(name, "document_versions", ["org_id", column])
