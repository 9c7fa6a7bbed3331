"""Applies the writes of stages: artifacts, published chunks and fields, connections."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Row, bindparam, delete, insert, select, update

from towpath.ledger.columns import to_instant, to_instant_or_none
from towpath.ledger.database import Transaction
from towpath.ledger.tables import (
    artifacts,
    document_fields,
    document_processing_jobs,
    documents,
)
from towpath.ledger.verbs import library_models, versions
from towpath.ledger.verbs.add_children import add_children
from towpath.ledger.verbs.connect import connect
from towpath.ledger.verbs.index_words import index_publication
from towpath.ledger.verbs.provider_calls import store_answer
from towpath.ledger.verbs.replace_chunks import replace_chunks
from towpath.ledger.verbs.replace_schema_values import replace_schema_values
from towpath.model.codec import field_anchor
from towpath.model.ids import new_id
from towpath.model.json_types import Json
from towpath.model.writes import (
    AddChildren,
    Connect,
    DropArtifact,
    DropOriginal,
    KeepArtifact,
    Publish,
    StoreAnswer,
    StoreNextVectors,
    StoreSchemaFields,
)
from towpath.text.analyzer import VERSION

_Job = Row[Any]

# Built once: building a statement takes SQLAlchemy longer than SQLite takes to run it.
_jobs, _fields = document_processing_jobs.c, document_fields.c
_JOB = select(_jobs.org_id, _jobs.document_id, _jobs.run_id, _jobs.updated_at, _jobs.locked_at).where(
    _jobs.id == bindparam("job")
)
_DELETE_FIELDS = delete(document_fields).where(
    _fields.document_id == bindparam("document"), _fields.schema.is_(None)
)
_INSERT_FIELDS = insert(document_fields)
_PUBLISH = (
    update(documents)
    .where(documents.c.id == bindparam("document"))
    .values(
        published_run_id=bindparam("run"),
        summary=bindparam("new_summary"),
        vector=bindparam("new_vector"),
        vector_model=bindparam("model"),
        words_version=VERSION,
    )
)

#: Rows sent in one statement; SQLite allows 32,766 parameters in one.
_BATCH = 500


def apply_write(tx: Transaction, job_id: str, write: object) -> Json | None:
    """Apply one write of a leased job; the answer is for the event of the stage's completion."""
    if isinstance(write, KeepArtifact):
        _keep_artifact(tx, job_id, write)
        return None
    if isinstance(write, StoreAnswer):
        store_answer(tx, job_id, write)
        return None
    [job] = tx.fetch(_JOB, job=job_id)
    match write:
        case Publish():
            return _publish(tx, job, write)
        case DropArtifact(key=key):
            tx.connection.execute(
                delete(artifacts).where(artifacts.c.org_id == job.org_id, artifacts.c.key == key)
            )
        case DropOriginal():
            # The blob of a child is also an artifact of its parent.
            of_document = documents.c.id == job.document_id
            key = select(documents.c.blob_key).where(of_document).scalar_subquery()
            tx.connection.execute(
                delete(artifacts).where(artifacts.c.org_id == job.org_id, artifacts.c.key == key)
            )
            number = versions.version_of_run(tx, str(job.run_id))
            versions.set_blob_key(tx, str(job.document_id), number, "")
        case AddChildren():
            add_children(tx, str(job.org_id), str(job.document_id), write)
        case Connect():
            connect(tx, str(job.org_id), write, to_instant_or_none(job.locked_at))
        case StoreSchemaFields():
            replace_schema_values(tx, job_id, write)
        case StoreNextVectors():
            library_models.store_next_vectors(tx, str(job.org_id), write, to_instant(job.updated_at))
        case _:
            raise TypeError(f"This ledger does not know how to write {type(write).__name__}.")
    return None


def _keep_artifact(tx: Transaction, job_id: str, artifact: KeepArtifact) -> None:
    tx.run(
        "keep_artifact",
        id=new_id(),
        job_id=job_id,
        kind=artifact.kind,
        key=artifact.key,
        media_type=artifact.media_type,
        size=artifact.size,
        sha256=artifact.sha256,
    )


def _publish(tx: Transaction, job: _Job, new: Publish) -> Json:
    """Replace the document's content; the answer has the numbers of chunks added, kept and removed."""
    counts = replace_chunks(tx, str(job.org_id), str(job.document_id), new)
    library_models.record_publication(tx, job, new)
    tx.write(_DELETE_FIELDS, [{"document": job.document_id}])
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
        tx.write(_INSERT_FIELDS, batch)
    mean = np.mean(new.vectors, axis=0)
    published = {
        "document": job.document_id,
        "run": job.run_id,
        "new_summary": dict(new.summary),
        "new_vector": mean / (float(np.linalg.norm(mean)) or 1.0),
        "model": new.model,
    }
    tx.write(_PUBLISH, [published])
    versions.publish_version(tx, str(job.document_id), str(job.run_id), counts, new.markdown)
    index_publication(tx, str(job.org_id), str(job.document_id), new.words)
    return {"chunks": counts}


def _batches(items: Sequence[Any]) -> Iterable[Sequence[Any]]:
    return (items[start : start + _BATCH] for start in range(0, len(items), _BATCH))
