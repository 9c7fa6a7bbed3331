"""Finds the stored results of a document's stages."""

from __future__ import annotations

from sqlalchemy import case, select

from towpath.ledger.database import Transaction
from towpath.ledger.tables import artifacts, documents, processing_runs
from towpath.model.document import Artifact, Document

_artifacts, _runs = artifacts.c, processing_runs.c


def find_artifact(tx: Transaction, document: Document, kind: str) -> Artifact | None:
    """The newest artifact of this kind; of a document with versions the one of the published version."""
    query = select(
        _artifacts.kind, _artifacts.key, _artifacts.media_type, _artifacts.size, _artifacts.sha256
    ).where(
        _artifacts.org_id == document.org_id,
        _artifacts.document_id == document.id,
        _artifacts.kind == kind,
    )
    if document.key is not None and document.searchable:
        published = (
            select(_runs.created_at)
            .join(documents, documents.c.published_run_id == _runs.id)
            .where(documents.c.id == document.id)
            .scalar_subquery()
        )
        # Runs after the published one process a newer version; runs that were pruned are older.
        rank = case((_runs.created_at <= published, 0), (_runs.created_at.is_(None), 1), else_=2)
        query = query.outerjoin(processing_runs, _runs.id == _artifacts.run_id).order_by(
            rank, _runs.created_at.desc()
        )
    query = query.order_by(_artifacts.created_at.desc(), _artifacts.id.desc()).limit(1)
    row = tx.connection.execute(query).one_or_none()
    return None if row is None else Artifact(*row)
