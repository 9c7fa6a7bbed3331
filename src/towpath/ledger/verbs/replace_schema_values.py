"""Replaces the values of field schemas in a document."""

from __future__ import annotations

from sqlalchemy import delete, insert, select

from towpath.ledger.columns import strip_unstorable
from towpath.ledger.database import Transaction
from towpath.ledger.tables import document_fields, document_processing_jobs, documents
from towpath.model.codec import schema_field_anchor
from towpath.model.writes import StoreSchemaFields

#: Rows sent in one statement.
_BATCH = 500
#: A verified value is printed in the document; an unverified one may be invented by the model.
VERIFIED_CONFIDENCE, UNVERIFIED_CONFIDENCE = 0.9, 0.3


def replace_schema_values(tx: Transaction, job_id: str, new: StoreSchemaFields) -> None:
    jobs, fields = document_processing_jobs.c, document_fields.c
    job = tx.connection.execute(
        select(jobs.org_id, jobs.document_id, jobs.run_id, jobs.follow_up).where(jobs.id == job_id)
    ).one()
    published = tx.connection.scalar(
        select(documents.c.published_run_id).where(documents.c.id == job.document_id)
    )
    if job.follow_up and str(published) != str(job.run_id):
        return
    tx.connection.execute(
        delete(document_fields).where(
            fields.document_id == job.document_id, fields.schema.in_(list(new.replaced))
        )
    )
    rows = [
        {
            "org_id": job.org_id,
            "document_id": job.document_id,
            "name": item.name,
            "value": strip_unstorable(item.value),
            "kind": item.kind,
            "confidence": VERIFIED_CONFIDENCE if item.verified else UNVERIFIED_CONFIDENCE,
            "anchor": schema_field_anchor(item),
            "schema": new.schema,
            "verified": item.verified,
        }
        for item in new.fields
    ]
    for start in range(0, len(rows), _BATCH):
        tx.connection.execute(insert(document_fields), rows[start : start + _BATCH])
