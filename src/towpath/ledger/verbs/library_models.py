"""Reads the embedding model of a library, and switches to the next model once every chunk has a vector of it.

The vectors of the next model are stored beside the present ones by one `reembed` job per document. When no chunk lacks
one, a single transaction puts them in place; until then the present vectors answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, and_, bindparam, delete, exists, func, insert, not_, or_, select, text, update

from towpath.ledger.database import Transaction
from towpath.ledger.tables import chunks, document_processing_jobs, documents, library_models, next_vectors
from towpath.model.ids import new_id
from towpath.model.job import JobStatus
from towpath.model.library_embedding_model import LibraryModel, ModelChange, ModelId
from towpath.model.writes import Publish, StoreNextVectors

REEMBED = "reembed"
#: Attempts of a job that embeds a document again.
_MAX_ATTEMPTS = 5
_BATCH = 500

_c = chunks.c
_jobs = document_processing_jobs.c
_models = library_models.c
_next = next_vectors.c


#: Built once: building a statement takes SQLAlchemy longer than SQLite takes to run it.
_MODEL_OF_ORG = select(library_models).where(_models.org_id == bindparam("org"))


def library_model(tx: Transaction, org_id: str) -> LibraryModel | None:
    """The model of the library; None as long as nothing was published."""
    rows = tx.fetch(_MODEL_OF_ORG, org=org_id)
    return _library_model(rows[0]) if rows else None


def library_model_by_org(tx: Transaction) -> dict[str, LibraryModel]:
    rows = tx.connection.execute(select(library_models).order_by(_models.org_id))
    return {str(row.org_id): _library_model(row) for row in rows}


def plan_model_change(tx: Transaction, org_id: str, target: ModelId) -> ModelChange:
    """What a change to this model would embed: the chunks without a vector of it."""
    total = tx.connection.execute(select(func.count()).where(_c.org_id == org_id)).scalar_one()
    left = tx.connection.execute(
        select(func.count(), func.coalesce(func.sum(_c.tokens), 0), func.count(_c.document_id.distinct()))
        .select_from(chunks)
        .where(_lacks(org_id, target.model))
    ).one()
    return ModelChange(target, int(total), *map(int, left))


def start_model_change(tx: Transaction, org_id: str, target: ModelId, now: datetime) -> ModelChange:
    """Queue the jobs that embed the library with this model. May be repeated: nothing is queued twice."""
    present = library_model(tx, org_id)
    plan = plan_model_change(tx, org_id, target)
    if present is None:
        return plan
    is_change = target != present.present
    tx.connection.execute(
        update(library_models)
        .where(_models.org_id == org_id)
        .values(
            next_model=target.model if is_change else None,
            next_dimension=target.dimension if is_change else None,
        )
    )
    # Vectors of a model that was the next one before.
    tx.connection.execute(delete(next_vectors).where(_next.org_id == org_id, _next.model != target.model))
    _queue_jobs(tx, org_id, target.model, now)
    if plan.chunks_left == 0:
        _switch_if_complete(tx, org_id, target, now)
    return plan


def record_publication(tx: Transaction, job: Row[Any], new: Publish) -> None:
    """Record the model of the first document; queue a document that was embedded by another model."""
    if not len(new.chunks):
        return
    present = library_model(tx, str(job.org_id))
    if present is None:
        values: dict[str, object] = {
            "org_id": job.org_id,
            "model": new.model,
            "dimension": new.vectors.shape[1],
        }
        _insert_if_missing(tx, values)
        return
    if new.model != present.target.model:
        _queue_jobs(
            tx, str(job.org_id), present.target.model, job.updated_at, document_id=str(job.document_id)
        )


def store_next_vectors(tx: Transaction, org_id: str, write: StoreNextVectors, now: datetime) -> None:
    present = library_model(tx, org_id)
    if present is None or present.target.model != write.model:
        return  # Another model was chosen meanwhile.
    for start in range(0, len(write.chunk_ids), _BATCH):
        ids = list(write.chunk_ids[start : start + _BATCH])
        # A chunk that was deleted or replaced meanwhile needs no vector.
        known = {str(found) for found in tx.connection.scalars(select(_c.id).where(_c.id.in_(ids)))}
        tx.connection.execute(delete(next_vectors).where(_next.chunk_id.in_(ids)))
        rows = [
            {"chunk_id": chunk_id, "org_id": org_id, "model": write.model, "vector": vector}
            for chunk_id, vector in zip(ids, write.vectors[start : start + _BATCH], strict=True)
            if chunk_id in known
        ]
        if rows:
            tx.connection.execute(insert(next_vectors), rows)
    _switch_if_complete(tx, org_id, present.target, now)


def _switch_if_complete(tx: Transaction, org_id: str, target: ModelId, now: datetime) -> None:
    """Put the next vectors in place if no chunk lacks one."""
    if tx.dialect == "postgres":
        # One transaction at a time decides; the others wait and find the work done.
        tx.connection.execute(select(_models.org_id).where(_models.org_id == org_id).with_for_update())
    if tx.connection.execute(select(_c.id).where(_lacks(org_id, target.model)).limit(1)).first() is not None:
        return
    # On Postgres the rows are put into the index later, in small batches; see `replace_chunks`.
    dimension = "null" if tx.dialect == "postgres" else ":dimension"
    tx.connection.execute(
        text(
            f"update chunks set vector = next_vectors.vector, model = :model, dimension = {dimension} "
            "from next_vectors where next_vectors.chunk_id = chunks.id and next_vectors.org_id = :org_id"
        ),
        {"model": target.model, "org_id": org_id}
        | ({} if tx.dialect == "postgres" else {"dimension": target.dimension}),
    )
    tx.connection.execute(delete(next_vectors).where(_next.org_id == org_id))
    tx.connection.execute(
        update(library_models)
        .where(_models.org_id == org_id)
        .values(
            model=target.model,
            dimension=target.dimension,
            next_model=None,
            next_dimension=None,
            updated_at=now,
        )
    )


def _lacks(org_id: str, model: str) -> Any:
    """The chunks of the organization that have no vector of the model, in place or waiting."""
    waiting = exists().where(_next.chunk_id == _c.id, _next.model == model)
    return and_(_c.org_id == org_id, or_(_c.model.is_(None), _c.model != model), not_(waiting))


def _queue_jobs(
    tx: Transaction, org_id: str, model: str, now: datetime, *, document_id: str | None = None
) -> None:
    """Queue a job for each document that lacks vectors and has no such job yet."""
    queued = exists().where(
        _jobs.document_id == documents.c.id,
        _jobs.stage == REEMBED,
        _jobs.status.in_([JobStatus.PENDING, JobStatus.PROCESSING]),
        _jobs.run_id == documents.c.published_run_id,
    )
    query = (
        select(documents.c.id, documents.c.published_run_id)
        .where(documents.c.org_id == org_id, documents.c.published_run_id.is_not(None), not_(queued))
        .where(exists().where(_c.document_id == documents.c.id, _lacks(org_id, model)))
    )
    if document_id is not None:
        query = query.where(documents.c.id == document_id)
    rows = [
        _job_row(org_id, str(found.id), str(found.published_run_id), now)
        for found in tx.connection.execute(query)
    ]
    for start in range(0, len(rows), _BATCH):
        tx.connection.execute(insert(document_processing_jobs), rows[start : start + _BATCH])


def _job_row(org_id: str, document_id: str, run_id: str, now: datetime) -> dict[str, object]:
    return {
        "id": new_id(),
        "org_id": org_id,
        "document_id": document_id,
        "run_id": run_id,
        "stage": REEMBED,
        "status": JobStatus.PENDING,
        "follow_up": True,
        "max_attempts": _MAX_ATTEMPTS,
        "available_at": now,
        "created_at": now,
        "updated_at": now,
    }


def _insert_if_missing(tx: Transaction, values: dict[str, object]) -> None:
    """Two documents of a new library may be published at the same time; the first one decides."""
    tx.connection.execute(
        text(
            "insert into library_models (org_id, model, dimension) values (:org_id, :model, :dimension) "
            "on conflict (org_id) do nothing"
        ),
        values,
    )


def _library_model(row: Row[Any]) -> LibraryModel:
    following = None if row.next_model is None else ModelId(row.next_model, int(row.next_dimension))
    return LibraryModel(ModelId(row.model, int(row.dimension)), following)


def chunk_texts(tx: Transaction, document_id: str) -> Sequence[Row[Any, Any, Any, Any]]:
    """The published chunks of a document in their order, with anchor and model."""
    query = select(_c.id, _c.text, _c.anchor, _c.model).where(_c.document_id == document_id)
    return tx.connection.execute(query.order_by(_c.ordinal)).all()
