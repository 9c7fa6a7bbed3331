"""The schema that all tables belong to, with its naming convention."""

from __future__ import annotations

from sqlalchemy import DDL, Index, MetaData, event, text
from sqlalchemy.sql.elements import TextClause

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


#: What the two engines write differently, as migrations 0011 and 0026 do. SQLite has no defaults here: they could not
#: be added to an existing table, and the program always gives the values.
_ONLY_ON = {
    "postgresql": (
        "alter table chunks add constraint uq_chunks_document_ordinal unique (document_id, ordinal) deferrable",
        "alter table document_processing_jobs alter column id set default gen_random_uuid(), "
        "alter column max_attempts set default 5, alter column available_at set default now(), "
        "alter column created_at set default now(), alter column updated_at set default now()",
    ),
    "sqlite": (
        "create unique index uq_chunks_document_ordinal on chunks (document_id, ordinal)",
        "create index ix_documents_status on documents (org_id, status, created_at, id)",
    ),
}
for _dialect, _statements in _ONLY_ON.items():
    for _statement in _statements:
        event.listen(metadata, "after_create", DDL(_statement).execute_if(dialect=_dialect))


def partial_index(name: str, *columns: str, where: str, unique: bool = False) -> Index:
    """An index of the rows that meet a condition, on both engines."""
    condition: TextClause = text(where)
    return Index(name, *columns, unique=unique, postgresql_where=condition, sqlite_where=condition)
