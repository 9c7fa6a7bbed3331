"""What stages ask to have written: artifacts, the switch to new content, connections."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Row, delete, func, insert, select, update

from towpath.ledger.database import Transaction
from towpath.ledger.tables import (
    artifacts,
    chunks,
    document_fields,
    document_processing_jobs,
    documents,
    run_events,
)
from towpath.ledger.verbs.connect import connect
from towpath.model.encode import anchor_json, field_anchor
from towpath.model.ids import chunk_number, new_id
from towpath.model.work import EventKind
from towpath.model.writes import Connect, DropArtifact, DropOriginal, KeepArtifact, Publish

_Job = Row[Any, Any, Any, Any, Any]

#: Rows sent in one statement; SQLite allows 32,766 parameters in one.
_BATCH = 500


def apply(tx: Transaction, job_id: str, write: object) -> None:
    """Do what a stage asked to have written with its checkpoint."""
    jobs = document_processing_jobs.c
    job = tx.connection.execute(
        select(
            jobs.id,
            jobs.org_id,
            jobs.document_id,
            jobs.run_id,
            # Without one, it is written while the stage goes on.
            func.coalesce(jobs.completed_at, jobs.updated_at).label("written_at"),
        ).where(jobs.id == job_id)
    ).one()
    match write:
        case KeepArtifact():
            _keep(tx, job, write)
        case Publish():
            _publish(tx, job, write)
        case DropArtifact(key=key):
            mine = (artifacts.c.org_id == job.org_id, artifacts.c.key == key)
            tx.connection.execute(delete(artifacts).where(*mine))
        case DropOriginal():
            this = documents.c.id == job.document_id
            tx.connection.execute(update(documents).where(this).values(blob_key=""))
        case Connect():
            connect(tx, str(job.org_id), write)
        case _:
            raise TypeError(f"This ledger does not know how to write {type(write).__name__}.")


def _keep(tx: Transaction, job: _Job, artifact: KeepArtifact) -> None:
    tx.connection.execute(
        delete(artifacts).where(artifacts.c.org_id == job.org_id, artifacts.c.key == artifact.key)
    )
    tx.connection.execute(
        insert(artifacts).values(
            id=new_id(),
            org_id=job.org_id,
            document_id=job.document_id,
            run_id=job.run_id,
            kind=artifact.kind,
            key=artifact.key,
            media_type=artifact.media_type,
            size=artifact.size,
            sha256=artifact.sha256,
            created_at=job.written_at,
        )
    )


def _publish(tx: Transaction, job: _Job, new: Publish) -> None:
    switched = _switch_chunks(tx, job, new)
    _note_switch(tx, job, switched)
    tx.connection.execute(delete(document_fields).where(document_fields.c.document_id == job.document_id))
    found = [
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
    for batch in _batches(found):
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


def _note_switch(tx: Transaction, job: _Job, switched: dict[str, int]) -> None:
    """The event of this very transaction tells how many passages came, stayed and went."""
    tx.connection.execute(
        update(run_events)
        .where(run_events.c.run_id == job.run_id, run_events.c.job_id == job.id)
        .where(run_events.c.kind == EventKind.STEP_COMPLETED)
        .values(detail={"chunks": switched})
    )


def _switch_chunks(tx: Transaction, job: _Job, new: Publish) -> dict[str, int]:
    """Unchanged text keeps its row, so that what points to it keeps pointing. Tells what became of the rows."""
    there = {
        str(row.id): (row.ordinal, row.model)
        for row in tx.connection.execute(
            select(chunks.c.id, chunks.c.ordinal, chunks.c.model).where(
                chunks.c.document_id == job.document_id
            )
        )
    }
    wanted = {chunk.id for chunk in new.chunks}
    for batch in _batches(sorted(set(there) - wanted)):
        tx.connection.execute(delete(chunks).where(chunks.c.id.in_(batch)))
    fresh: list[dict[str, object]] = []
    for chunk, vector in zip(new.chunks, new.vectors, strict=True):
        place: dict[str, object] = {"ordinal": chunk.ordinal, "anchor": anchor_json(chunk.anchor)}
        meaning: dict[str, object] = {"vector": vector, "model": new.model, "dimension": len(vector)}
        if chunk.id not in there:
            fresh.append(
                {
                    "id": chunk.id,
                    "number": chunk_number(chunk.id),
                    "org_id": job.org_id,
                    "document_id": job.document_id,
                    "text": chunk.text,
                    "tokens": chunk.tokens,
                    **place,
                    **meaning,
                }
            )
            continue
        changed = place | (meaning if there[chunk.id][1] != new.model else {})
        tx.connection.execute(update(chunks).where(chunks.c.id == chunk.id).values(**changed))
    for batch in _batches(fresh):
        tx.connection.execute(insert(chunks), batch)
    gone = len(there.keys() - wanted)
    return {"added": len(fresh), "kept": len(new.chunks) - len(fresh), "removed": gone}


def _batches(items: Sequence[Any]) -> Iterable[Sequence[Any]]:
    return (items[start : start + _BATCH] for start in range(0, len(items), _BATCH))
