"""Adds the word index, which replaces the full-text index of each engine.

Documents are indexed in the background after the first start. Until then the old full-text index answers for them:
it is frozen here (no trigger and no generated column adds to it), and dropped when the last document is indexed.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from towpath.ledger import columns

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.add_column("documents", sa.Column("words_version", sa.Integer()))
    published = sa.text("published_run_id is not null")
    op.create_index(
        "ix_documents_words",
        "documents",
        ["words_version"],
        postgresql_where=published,
        sqlite_where=published,
    )
    op.create_table(
        "word_segments",
        sa.Column("id", columns.Serial, autoincrement=True, nullable=False),
        sa.Column("org_id", columns.Id, nullable=False),
        sa.Column("generation", sa.BigInteger()),
        sa.Column("chunks", sa.Integer(), nullable=False),
        sa.Column("length", sa.BigInteger(), nullable=False),
        sa.Column("header", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_word_segments"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_word_segments_org_id", "word_segments", ["org_id"])
    op.create_table(
        "word_pages",
        sa.Column("segment_id", sa.BigInteger(), nullable=False),
        sa.Column("page", sa.Integer(), nullable=False),
        sa.Column("org_id", columns.Id, nullable=False),
        sa.Column("postings", sa.LargeBinary(), nullable=False),
        sa.Column("positions", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["segment_id"],
            ["word_segments.id"],
            name="fk_word_pages_segment_id",
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("segment_id", "page", name="pk_word_pages"),
    )
    if op.get_bind().dialect.name == "postgresql":
        _freeze_postgres()
    else:
        _freeze_sqlite()


def _has_chunks() -> bool:
    return op.get_bind().exec_driver_sql("select 1 from chunks limit 1").first() is not None


def _freeze_postgres() -> None:
    # Postings are compact already; compressing them again would cost time and save nothing.
    for column in ("postings", "positions"):
        op.execute(f"alter table word_pages alter column {column} set storage external")
    # These read the generated column under row-level security; the word index needs no function.
    op.execute("drop function if exists search_matching(tsquery, uuid, text, integer)")
    op.execute("drop function if exists search_expected(tsquery)")
    if _has_chunks():
        op.execute("alter table chunks alter column search_words drop expression")
    else:
        op.execute("alter table chunks drop column search_words")


def _freeze_sqlite() -> None:
    had_chunks = _has_chunks()
    for trigger in ("search_insert", "search_delete", "search_rewrite", "search_rewritten"):
        op.execute(f"drop trigger {trigger}")
    # The vector index still reads the changes.
    record = (
        "insert into search_changes (number) values ({row}.number); "
        "delete from search_changes where id <= (select max(id) from search_changes) - 100000;"
    )
    op.execute(f"create trigger search_insert after insert on chunks begin {record.format(row='new')} end")
    op.execute(f"create trigger search_delete before delete on chunks begin {record.format(row='old')} end")
    op.execute("drop view search_passages")
    if not had_chunks:
        op.execute("drop table search_words")
