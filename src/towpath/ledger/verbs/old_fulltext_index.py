"""Detects and drops the full-text index of earlier versions, which serves documents without a word index.

Migration 0013 froze it: FTS5 on SQLite, a column of lexemes with a GIN index on Postgres.
"""

from __future__ import annotations

from sqlalchemy import text

from towpath.ledger.database import Transaction

_ON_SQLITE = text("select 1 from sqlite_master where name = 'search_words'")
_ON_POSTGRES = text("""
    select 1 from pg_attribute
    where attrelid = 'chunks'::regclass and attname = 'search_words' and not attisdropped
""")
# Only the owner may change a table; another role leaves the old index to the next `towpath migrate`.
_IS_OWNER = text("select pg_has_role(relowner, 'usage') from pg_class where oid = 'chunks'::regclass")


def has_old_index(tx: Transaction) -> bool:
    on_engine = _ON_SQLITE if tx.dialect == "sqlite" else _ON_POSTGRES
    return tx.connection.execute(on_engine).first() is not None


def drop_old_index(tx: Transaction) -> bool:
    """Drop the old index, when every document is in the word index; False if there is none or it may not."""
    if not has_old_index(tx):
        return False
    if tx.dialect == "sqlite":
        tx.connection.exec_driver_sql("drop table search_words")
        return True
    if not tx.connection.scalar(_IS_OWNER):
        return False
    # A search that reads the table now must not make others wait behind this statement.
    tx.connection.exec_driver_sql("set local lock_timeout = '2s'")
    tx.connection.exec_driver_sql("alter table chunks drop column search_words")
    return True
