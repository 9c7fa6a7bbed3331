"""Reads single documents of an organization, and converts database rows to documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Row, bindparam, select

from towpath.errors import NotFound
from towpath.ledger.columns import to_instant, to_instant_or_none, to_json
from towpath.ledger.database import Transaction
from towpath.ledger.tables import document_tags, documents
from towpath.model.document import Document

# Built once: building a statement takes SQLAlchemy longer than SQLite takes to run it.
_DOCUMENT = select(documents).where(
    documents.c.org_id == bindparam("org"), documents.c.id == bindparam("document")
)
_TAGS = select(document_tags.c.tag).where(
    document_tags.c.org_id == bindparam("org"), document_tags.c.document_id == bindparam("document")
)


def get_document(tx: Transaction, org_id: str, document_id: str) -> Document:
    """The document; raises `NotFound` if the organization has no document with this id."""
    rows = tx.fetch(_DOCUMENT, org=org_id, document=document_id)
    if not rows:
        raise NotFound(f"There is no document {document_id} here.")
    tags = tx.fetch(_TAGS, org=org_id, document=document_id)
    return replace(to_document(rows[0]), tags=tuple(sorted(row.tag for row in tags)))


def with_tags(tx: Transaction, org_id: str, listed: Sequence[Document]) -> list[Document]:
    """The documents with their tags, in alphabetical order."""
    if not listed:
        return []
    c = document_tags.c
    query = select(c.document_id, c.tag).where(
        c.org_id == org_id, c.document_id.in_([document.id for document in listed])
    )
    tags: dict[str, list[str]] = {}
    for row in tx.connection.execute(query):
        tags.setdefault(str(row.document_id), []).append(row.tag)
    return [replace(document, tags=tuple(sorted(tags.get(document.id, ())))) for document in listed]


def to_document(row: Row[Any]) -> Document:
    return Document(
        id=str(row.id),
        org_id=str(row.org_id),
        kind=row.kind,
        name=row.name,
        media_type=row.media_type,
        size=row.size,
        sha256=row.sha256,
        blob_key=row.blob_key,
        status=row.status,
        searchable=row.published_run_id is not None,
        summary=to_json(row.summary),
        created_at=to_instant(row.created_at),
        updated_at=to_instant(row.updated_at),
        collection=row.collection,
        metadata=to_json(row.metadata),
        edited_title=row.edited_title,
        title_edited_by=row.title_edited_by,
        title_edited_at=to_instant_or_none(row.title_edited_at),
        key=row.key,
        version=row.version,
    )
