"""Applies the writes of stages: artifacts, published chunks and fields, connections."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Row, delete, insert, select, update

from towpath.ledger.database import Transaction
from towpath.ledger.tables import (
    artifacts,
    document_fields,
    document_processing_jobs,
    documents,
)
from towpath.ledger.verbs.connect import connect
from towpath.ledger.verbs.replace_chunks import replace_chunks
from towpath.model.codec import field_anchor
from towpath.model.ids import new_id
from towpath.model.json_types import Json
from towpath.model.writes import Connect, DropArtifact, DropOriginal, KeepArtifact, Publish

_Job = Row[Any, Any, Any, Any]

#: Rows sent in one statement; SQLite allows 32,766 parameters in one.
_BATCH = 500


def apply_write(tx: Transaction, job_id: str, write: object) -> Json | None:
    """Apply one write of a leased job; the answer is for the event of the stage's completion."""
    jobs = document_processing_jobs.c
    job = tx.connection.execute(
        select(jobs.org_id, jobs.document_id, jobs.run_id, jobs.updated_at).where(jobs.id == job_id)
    ).one()
    match write:
        case KeepArtifact():
            _keep_artifact(tx, job, write)
        case Publish():
            return _publish(tx, job, write)
        case DropArtifact(key=key):
            tx.connection.execute(
                delete(artifacts).where(artifacts.c.org_id == job.org_id, artifacts.c.key == key)
            )
        case DropOriginal():
            of_document = documents.c.id == job.document_id
            tx.connection.execute(update(documents).where(of_document).values(blob_key=""))
        case Connect():
            connect(tx, str(job.org_id), write)
        case _:
            raise TypeError(f"This ledger does not know how to write {type(write).__name__}.")
    return None


def _keep_artifact(tx: Transaction, job: _Job, artifact: KeepArtifact) -> None:
    """Store an artifact's row. The row of a known key keeps its id and creation time."""
    described = {
        "document_id": job.document_id,
        "run_id": job.run_id,
        "kind": artifact.kind,
        "media_type": artifact.media_type,
        "size": artifact.size,
        "sha256": artifact.sha256,
    }
    known = update(artifacts).where(artifacts.c.org_id == job.org_id, artifacts.c.key == artifact.key)
    if tx.connection.execute(known.values(described)).rowcount:
        return
    tx.connection.execute(
        insert(artifacts).values(
            id=new_id(), org_id=job.org_id, key=artifact.key, created_at=job.updated_at, **described
        )
    )


def _publish(tx: Transaction, job: _Job, new: Publish) -> Json:
    """Replace the document's content; the answer has the numbers of chunks added, kept and removed."""
    counts = replace_chunks(tx, str(job.org_id), str(job.document_id), new)
    tx.connection.execute(delete(document_fields).where(document_fields.c.document_id == job.document_id))
    field_rows = [
        {
            "org_id": job.org_id,
            "document_id": job.document_id,
            "name": item.name,
            "value": item.value,
            "kind": item.kind,
            "confidence": item.confidence,
            "anchor": field_anchor(item),
        }
        for item in new.fields
    ]
    for batch in _batches(field_rows):
        tx.connection.execute(insert(document_fields), batch)
    mean = np.mean(new.vectors, axis=0)
    tx.connection.execute(
        update(documents)
        .where(documents.c.id == job.document_id)
        .values(
            published_run_id=job.run_id,
            summary=dict(new.summary),
            vector=mean / (float(np.linalg.norm(mean)) or 1.0),
            vector_model=new.model,
        )
    )
    return {"chunks": counts}


def _batches(items: Sequence[Any]) -> Iterable[Sequence[Any]]:
    return (items[start : start + _BATCH] for start in range(0, len(items), _BATCH))
