"""Reads single documents of an organization, and converts database rows to documents."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Row, select

from towpath.errors import NotFound
from towpath.ledger.columns import to_instant, to_json
from towpath.ledger.database import Transaction
from towpath.ledger.tables import documents
from towpath.model.document import Document


def get_document(tx: Transaction, org_id: str, document_id: str) -> Document:
    """The document; raises `NotFound` if the organization has no document with this id."""
    row = tx.connection.execute(
        select(documents).where(documents.c.org_id == org_id, documents.c.id == document_id)
    ).one_or_none()
    if row is None:
        raise NotFound(f"There is no document {document_id} here.")
    return to_document(row)


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
    )
