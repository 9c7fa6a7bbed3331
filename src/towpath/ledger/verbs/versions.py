"""Reads and writes the versions of documents with a key."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from sqlalchemy import Row, bindparam, func, insert, or_, select, update

from towpath.errors import IllegalTransition
from towpath.ledger.columns import to_instant, to_json
from towpath.ledger.database import Transaction
from towpath.ledger.tables import (
    artifacts,
    chunks,
    document_processing_jobs,
    document_versions,
    documents,
    processing_runs,
)
from towpath.ledger.verbs import row_conversion
from towpath.model.document_version import DocumentVersion, version_of
from towpath.model.json_types import Json
from towpath.model.stage_declaration import SHIPPED_STAGES

_docs, _versions, _runs, _jobs = (
    documents.c,
    document_versions.c,
    processing_runs.c,
    document_processing_jobs.c,
)
#: Shipped stages whose result has the key of the markdown text.
_TEXT_STAGES = ("extract", "save_markdown", "transcribe_poll")
#: The columns that a document has of its published version.
OF_VERSION = ("name", "kind", "media_type", "size", "sha256", "blob_key")

# Built once: building a statement takes SQLAlchemy longer than SQLite takes to run it.
_VERSION = select(document_versions).where(
    _versions.document_id == bindparam("document"), _versions.number == bindparam("version")
)
_NEWEST_VERSION = (
    select(document_versions)
    .where(_versions.document_id == bindparam("document"), _versions.org_id == bindparam("org"))
    .order_by(_versions.number.desc())
    .limit(1)
)
_RUN_OPTIONS = select(_runs.options).where(_runs.id == bindparam("run"))


def read_versions(tx: Transaction, document_id: str, org_id: str) -> list[DocumentVersion]:
    """The versions of a document, oldest first. A document without a key has one."""
    document = tx.connection.execute(
        select(documents).where(_docs.id == document_id, _docs.org_id == org_id)
    ).one()
    query = select(document_versions).where(_versions.document_id == document_id, _versions.org_id == org_id)
    stored = tx.connection.execute(query.order_by(_versions.number)).all()
    if not stored:
        return [_only_version(tx, document)]
    newest = stored[-1].number
    return [
        _version(row, str(document.status if row.number == newest else row.status or "CANCELLED"))
        for row in stored
    ]


def newest_described(tx: Transaction, document_id: str, org_id: str) -> dict[str, object]:
    """The number of the newest version and its columns of the document; empty for a document without versions."""
    stored = tx.fetch(_NEWEST_VERSION, document=document_id, org=org_id)
    if not stored:
        return {}
    return {"version": stored[0].number, **{name: getattr(stored[0], name) for name in OF_VERSION}}


def newest_number(tx: Transaction, document_id: str) -> int:
    query = select(func.max(_versions.number)).where(_versions.document_id == document_id)
    return int(tx.connection.execute(query).scalar() or 1)


def refuse_older_version(tx: Transaction, document_id: str, options: Json) -> None:
    """Raise IllegalTransition if a newer version was uploaded. The caller has locked the document."""
    number, newest = version_of(options), newest_number(tx, document_id)
    if number < newest:
        raise IllegalTransition(
            f"Version {newest} of this document was uploaded: version {number} is not processed again."
        )


def insert_version(
    tx: Transaction, org_id: str, document_id: str, version: DocumentVersion, status: str | None = None
) -> None:
    values = {name: getattr(version, name) for name in (*OF_VERSION, "number", "created_at", "run_id")}
    counts = {
        name: getattr(version, name)
        for name in ("content_key", "chunks_added", "chunks_removed", "chunks_kept")
    }
    tx.connection.execute(
        insert(document_versions).values(
            document_id=document_id, org_id=org_id, status=status, **values, **counts
        )
    )


def publish_version(
    tx: Transaction, document_id: str, run_id: str, counts: dict[str, int], markdown: str | None
) -> None:
    """The document's row describes the version that this run publishes; does nothing without versions.

    ``markdown`` is the blob of its text: the results of stages that are settled with this one are not stored yet.
    """
    number = version_of(_options(tx, run_id))
    stored = tx.fetch(_VERSION, document=document_id, version=number)
    if not stored:
        return
    row = stored[0]
    of_version = (_versions.document_id == document_id, _versions.number == number)
    values: dict[str, object] = {
        "run_id": run_id,
        "content_key": markdown or text_result(tx, document_id, run_id, "markdown"),
    }
    if row.chunks_added is None:
        values |= {f"chunks_{name}": counts[name] for name in ("added", "removed", "kept")}
    tx.connection.execute(update(document_versions).where(*of_version).values(**values))
    show_version(tx, document_id, number, row)


def show_version(tx: Transaction, document_id: str, number: int, row: Any) -> None:
    """Let the document's row describe this version."""
    described = {name: getattr(row, name) for name in OF_VERSION}
    tx.connection.execute(
        update(documents).where(_docs.id == document_id).values(version=number, **described)
    )


def set_blob_key(tx: Transaction, document_id: str, number: int, blob_key: str) -> None:
    """Store the key of the blob of one version; an empty key if it was deleted."""
    tx.connection.execute(
        update(document_versions)
        .where(_versions.document_id == document_id, _versions.number == number)
        .values(blob_key=blob_key)
    )
    tx.connection.execute(
        update(documents).where(_docs.id == document_id, _docs.version == number).values(blob_key=blob_key)
    )


def keys_in_use(tx: Transaction, org_id: str, keys: Collection[str]) -> set[str]:
    """Those of the blobs that a document, a version or an artifact needs.

    A child's blob is also an artifact of its parent, and documents with the same bytes share their blob.
    """
    queries = (
        select(_docs.blob_key).where(_docs.org_id == org_id, _docs.blob_key.in_(keys)),
        select(_versions.blob_key).where(_versions.org_id == org_id, _versions.blob_key.in_(keys)),
        select(artifacts.c.key).where(artifacts.c.org_id == org_id, artifacts.c.key.in_(keys)),
    )
    return {str(key) for query in queries for key in tx.connection.execute(query).scalars()}


def text_result(tx: Transaction, document_id: str, run_id: str | None, name: str) -> str | None:
    """A value of the results of a run's text stages, such as `markdown`; the last stage that has it counts."""
    jobs = tx.connection.execute(
        select(_jobs.stage, _jobs.result)
        .where(_jobs.document_id == document_id, _jobs.run_id == run_id, _jobs.result.is_not(None))
        .where(or_(_jobs.stage.in_(_TEXT_STAGES), _jobs.stage.not_in(SHIPPED_STAGES)))
        .order_by(_jobs.created_at.desc(), _jobs.id.desc())
    ).all()
    results = ((job.stage in _TEXT_STAGES, to_json(job.result)) for job in jobs)
    texts = (result if shipped else to_json(result.get("towpath") or {}) for shipped, result in results)
    return next((str(text[name]) for text in texts if text.get(name)), None)


def unfinished_runs(tx: Transaction, document_id: str) -> list[str]:
    query = select(_runs.id).where(_runs.document_id == document_id, _runs.state.in_(["QUEUED", "RUNNING"]))
    return [str(run_id) for run_id in tx.connection.execute(query).scalars()]


def store_status_of_version(tx: Transaction, document_id: str, number: int, was_published: bool) -> None:
    """Store the status of a version that is no longer the newest: that of its last run."""
    last = tx.connection.execute(
        select(_runs.state)
        .where(_runs.document_id == document_id)
        .order_by(_runs.created_at.desc(), _runs.id.desc())
        .limit(1)
    ).scalar()
    status = "COMPLETED" if was_published else str(last or "CANCELLED")
    tx.connection.execute(
        update(document_versions)
        .where(_versions.document_id == document_id, _versions.number == number)
        .values(status=status)
    )


def version_of_run(tx: Transaction, run_id: str) -> int:
    return version_of(_options(tx, run_id))


def _options(tx: Transaction, run_id: str) -> Json:
    [row] = tx.fetch(_RUN_OPTIONS, run=run_id)
    return to_json(row.options)


def _only_version(tx: Transaction, document: Row[Any]) -> DocumentVersion:
    """The version of a document that has no rows of versions."""
    document_id = str(document.id)
    published = row_conversion.text_or_none(document.published_run_id)
    query = select(_runs.id).where(_runs.document_id == document_id).order_by(_runs.created_at, _runs.id)
    first_run = tx.connection.execute(query.limit(1)).scalar()
    count = None
    if published is not None:
        of_document = select(func.count()).select_from(chunks).where(chunks.c.document_id == document_id)
        count = int(tx.connection.execute(of_document).scalar_one())
    return DocumentVersion(
        number=1,
        name=document.name,
        kind=document.kind,
        media_type=document.media_type,
        size=document.size,
        sha256=document.sha256,
        blob_key=document.blob_key,
        created_at=to_instant(document.created_at),
        run_id=published or row_conversion.text_or_none(first_run),
        status=document.status,
        content_key=None if published is None else text_result(tx, document_id, published, "markdown"),
        chunks_added=count,
        chunks_removed=None if count is None else 0,
        chunks_kept=None if count is None else 0,
    )


def _version(row: Row[Any], status: str) -> DocumentVersion:
    return DocumentVersion(
        number=row.number,
        name=row.name,
        kind=row.kind,
        media_type=row.media_type,
        size=row.size,
        sha256=row.sha256,
        blob_key=row.blob_key,
        created_at=to_instant(row.created_at),
        run_id=row_conversion.text_or_none(row.run_id),
        status=status,
        content_key=row.content_key,
        chunks_added=row.chunks_added,
        chunks_removed=row.chunks_removed,
        chunks_kept=row.chunks_kept,
    )


def new_version(document: Any, number: int, blob_key: str, run_id: str, now: datetime) -> DocumentVersion:
    """A version that is to be stored, with the properties of its upload."""
    return DocumentVersion(
        number,
        document.name,
        document.kind,
        document.media_type,
        document.size,
        document.sha256,
        blob_key,
        now,
        run_id,
        "PROCESSING",
    )
