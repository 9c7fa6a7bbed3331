"""Reads the parents and children of documents, and deletes a document with the children that only it has."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import ColumnElement, delete, exists, select

from towpath.ledger.database import Transaction
from towpath.ledger.tables import (
    artifacts,
    document_children,
    document_versions,
    documents,
    processing_runs,
    run_events,
)
from towpath.ledger.verbs.audit import write_audit
from towpath.ledger.verbs.index_words import remove_from_index
from towpath.ledger.verbs.queue_run import lock_document
from towpath.ledger.verbs.versions import keys_in_use
from towpath.model.audit import Actor, AuditAction, AuditEntry
from towpath.model.document import Document, DocumentLink
from towpath.model.json_types import Json
from towpath.queries.document_rows import get_document

_docs = documents.c
_links = document_children.c


def parents(tx: Transaction, org_id: str, document_id: str) -> list[DocumentLink]:
    """The documents that contain this one."""
    return _read(tx, _links.parent_id == _docs.id, org_id, _links.child_id == document_id)


def children(tx: Transaction, org_id: str, document_id: str) -> list[DocumentLink]:
    """The documents inside this one, in their order."""
    return _read(tx, _links.child_id == _docs.id, org_id, _links.parent_id == document_id)


def _read(
    tx: Transaction, joined: ColumnElement[bool], org_id: str, condition: ColumnElement[bool]
) -> list[DocumentLink]:
    query = (
        select(_docs.id, _docs.name, _docs.media_type, _docs.status, _links.path)
        .join(document_children, joined)
        .where(_links.org_id == org_id, condition)
        .order_by(_links.ordinal, _docs.id)
    )
    return [
        DocumentLink(str(row.id), row.name, row.media_type, row.status, row.path)
        for row in tx.connection.execute(query)
    ]


def delete_with_children(
    tx: Transaction, org_id: str, document_id: str, actor: Actor, now: datetime
) -> list[str]:
    """Delete a document, and its children unless they were uploaded or have another parent; the unused blob keys."""
    keys: set[str] = set()
    queue = [document_id]
    while queue:
        current = queue.pop(0)
        lock_document(tx, current, org_id)
        document = get_document(tx, org_id, current)
        keys.update(_blob_keys(tx, document))
        child_ids = [link.id for link in children(tx, org_id, current)]
        runs = select(processing_runs.c.id).where(processing_runs.c.document_id == current)
        tx.connection.execute(delete(run_events).where(run_events.c.run_id.in_(runs)))
        tx.connection.execute(delete(documents).where(_docs.id == current))
        detail: Json = {"name": document.name, "size": document.size}
        entry = AuditEntry(AuditAction.DOCUMENT_DELETED, actor, subject=current, detail=detail)
        write_audit(tx, [(org_id, entry)], now)
        remove_from_index(tx, org_id, current)
        queue += [child_id for child_id in _orphans(tx, child_ids) if child_id not in queue]
    return sorted(keys - keys_in_use(tx, org_id, keys))


def _blob_keys(tx: Transaction, document: Document) -> list[str]:
    c = document_versions.c
    queries = (
        select(artifacts.c.key).where(artifacts.c.document_id == document.id),
        select(c.blob_key).where(c.document_id == document.id, c.blob_key != ""),
    )
    stored = (str(key) for query in queries for key in tx.connection.execute(query).scalars())
    return [*([document.blob_key] if document.blob_key else []), *stored]


def _orphans(tx: Transaction, child_ids: Collection[str]) -> list[str]:
    """Those of the documents that were not uploaded and are no longer in any other document."""
    has_parent = exists().where(_links.child_id == _docs.id)
    query = select(_docs.id).where(_docs.id.in_(child_ids), _docs.uploaded.is_(False), ~has_parent)
    return [str(key) for key in tx.connection.execute(query.order_by(_docs.id)).scalars()]
