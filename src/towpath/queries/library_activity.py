"""Reads the version of a library and the jobs that wait or run, fast enough for pages that poll."""

from __future__ import annotations

from sqlalchemy import func, select

from towpath.ledger.columns import to_instant
from towpath.ledger.database import Transaction
from towpath.ledger.tables import audit, document_processing_jobs, documents
from towpath.queries.contract import LibraryActivity, WorkedDocument
from towpath.queries.job_status_condition import has_status

_jobs, _documents, _audit = document_processing_jobs.c, documents.c, audit.c
#: Documents that are listed as being worked.
MAX_WORKED = 5


def library_activity(tx: Transaction, org_id: str) -> LibraryActivity:
    newest = tx.connection.execute(
        select(_documents.created_at, _documents.id)
        .where(_documents.org_id == org_id)
        .order_by(_documents.created_at.desc(), _documents.id.desc())
        .limit(1)
    ).first()
    # Uploads, deletions and edits of people are audited; children of mails and archives are newer documents.
    audited = tx.connection.execute(select(func.max(_audit.id)).where(_audit.org_id == org_id)).scalar()
    created = "" if newest is None else f"{to_instant(newest.created_at).timestamp()}-{newest.id}"
    active = (_jobs.org_id == org_id, ~_jobs.follow_up)
    waiting = tx.connection.execute(select(func.count()).where(has_status("PENDING"), *active)).scalar_one()
    running = tx.connection.execute(
        select(func.count()).where(has_status("PROCESSING"), *active)
    ).scalar_one()
    worked = tx.connection.execute(
        select(_jobs.document_id, _documents.name, _jobs.stage)
        .join(documents, _documents.id == _jobs.document_id)
        .where(has_status("PROCESSING"), *active)
        .order_by(_jobs.created_at, _jobs.id)
        .limit(MAX_WORKED)
    )
    return LibraryActivity(
        version=f"{created}-{audited or 0}",
        waiting=waiting,
        running=running,
        worked=tuple(WorkedDocument(str(row.document_id), row.name, row.stage) for row in worked),
    )
