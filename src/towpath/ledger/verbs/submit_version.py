"""submit_version: stores an upload with a key, as a new document or as the next version of the document with this key.

The newest version wins: the transaction that stores it also cancels the unfinished runs of the older ones, which
revokes their leases. So a worker that still processes an older version cannot publish it afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import func, select, update

from towpath.errors import KeyConflict, NotFound
from towpath.ledger.columns import dump
from towpath.ledger.contract.ledger import Submission, Submitted
from towpath.ledger.database import Transaction
from towpath.ledger.tables import document_versions, documents, idempotency_keys
from towpath.ledger.verbs import versions
from towpath.ledger.verbs.end_runs import end_runs
from towpath.ledger.verbs.queue_run import lock_document, queue_run
from towpath.ledger.verbs.resubmit import resubmit
from towpath.ledger.verbs.row_conversion import text_or_none
from towpath.ledger.verbs.store_submissions import store_row, submission_row
from towpath.model.document_version import with_version
from towpath.model.ids import is_id, keyed_document_id
from towpath.model.run import RunReason

_docs, _versions, _keys = documents.c, document_versions.c, idempotency_keys.c

#: In the event that ends the run of an older version.
NEWER_VERSION = "newer_version"


@dataclass(frozen=True, slots=True)
class _Known:
    """The document that an upload is a version of, and its newest version."""

    id: str
    number: int
    sha256: str
    published: bool


def submit_version(tx: Transaction, submission: Submission, now: datetime, notify: bool) -> Submitted:
    """Store a new document with a key, its next version, or nothing if its newest version has the same bytes."""
    document = submission.document
    known = _find(tx, submission)
    if known is None:
        if (retried := retried_upload(tx, submission)) is not None:
            return retried
        created = _create(tx, submission, now, notify)
        if created is not None:
            return created
        # Another upload has created the document since.
        known = _find(tx, submission)
        assert known is not None
    if known.sha256 != document.sha256:
        # Before the document is locked: a run that ends locks its jobs first.
        _end_older_runs(tx, known.id, known.number + 1, now)
    lock_document(tx, known.id, document.org_id)
    if (retried := retried_upload(tx, submission)) is not None:
        return retried
    known = _find(tx, submission)
    assert known is not None
    if known.sha256 == document.sha256:
        return resubmit(tx, submission, known.id, known.number, now)
    return _add_version(tx, submission, known, now, notify)


def _find(tx: Transaction, submission: Submission) -> _Known | None:
    org_id, replaces = submission.document.org_id, submission.replaces
    if replaces is not None and not is_id(replaces):
        raise NotFound(f"There is no document {replaces} here.")
    condition = _docs.key == submission.document.key if replaces is None else _docs.id == replaces
    query = select(_docs.id, _docs.sha256, _docs.version, _docs.published_run_id)
    row = tx.connection.execute(query.where(_docs.org_id == org_id, condition)).one_or_none()
    if row is None:
        if replaces is not None:
            raise NotFound(f"There is no document {replaces} here.")
        return None
    newest = tx.connection.execute(
        select(_versions.number, _versions.sha256)
        .where(_versions.document_id == row.id)
        .order_by(_versions.number.desc())
        .limit(1)
    ).one_or_none()
    number, sha256 = (1, row.sha256) if newest is None else (newest.number, newest.sha256)
    return _Known(str(row.id), number, sha256, row.published_run_id is not None)


def retried_upload(tx: Transaction, submission: Submission) -> Submitted | None:
    """The version that was uploaded with the same Idempotency-Key; the upload is not made again."""
    if submission.idempotency_key is None:
        return None
    document = submission.document
    row = tx.connection.execute(
        select(_docs.id, _docs.key, _keys.version, _versions.sha256, _versions.run_id, _versions.blob_key)
        .select_from(idempotency_keys)
        .join(documents, _docs.id == _keys.document_id)
        .outerjoin(
            document_versions,
            (_versions.document_id == _docs.id) & (_versions.number == _keys.version),
        )
        .where(_keys.org_id == document.org_id, _keys.key == submission.idempotency_key)
    ).one_or_none()
    if row is None:
        return None
    if submission.replaces is not None:
        same_document = str(row.id) == submission.replaces
    else:
        same_document = document.key in (None, row.key)
    if not same_document or row.sha256 != document.sha256:
        raise KeyConflict("This Idempotency-Key was used before with another file or another key.")
    return Submitted(
        str(row.id),
        text_or_none(row.run_id),
        duplicate=True,
        known_blob_key=str(row.blob_key),
        version=row.version,
    )


def _create(tx: Transaction, submission: Submission, now: datetime, notify: bool) -> Submitted | None:
    """Store a document with a new key; None if another transaction was first."""
    document = submission.document
    assert document.key is not None
    shared = _shared_blob(tx, submission)
    used = _with_blob(submission, 1, shared)
    item = submission_row(used, keyed_document_id(document.org_id, document.key))
    if not store_row(tx, item, now, notify):
        return None
    document_id, run_id = str(item["document_id"]), str(item["run_id"])
    version = versions.new_version(used.document, 1, used.document.blob_key, run_id, now)
    versions.insert_version(tx, document.org_id, document_id, version)
    return Submitted(document_id, run_id, known_blob_key=shared)


def _add_version(
    tx: Transaction, submission: Submission, known: _Known, now: datetime, notify: bool
) -> Submitted:
    """Store the next version and queue its run. The caller has locked the document."""
    org_id, number = submission.document.org_id, known.number + 1
    _end_older_runs(tx, known.id, number, now)
    _keep_first_version(tx, known, org_id)
    was_published = tx.connection.execute(
        select(_versions.chunks_added).where(
            _versions.document_id == known.id, _versions.number == known.number
        )
    ).scalar()
    versions.store_status_of_version(tx, known.id, known.number, was_published is not None)
    shared = _shared_blob(tx, submission)
    used = _with_blob(submission, number, shared)
    run_id = queue_run(tx, known.id, org_id, used.plan, now, RunReason.SUBMITTED)
    version = versions.new_version(used.document, number, used.document.blob_key, run_id, now)
    versions.insert_version(tx, org_id, known.id, version)
    if not known.published:
        versions.show_version(tx, known.id, number, version)
    if notify and tx.dialect == "postgres":
        tx.connection.execute(select(func.pg_notify("towpath", "")))
    return Submitted(known.id, run_id, known_blob_key=shared, version=number)


def _keep_first_version(tx: Transaction, known: _Known, org_id: str) -> None:
    """A document that was uploaded without a key gets its id as key, and a row for its first version."""
    if tx.connection.execute(
        select(_versions.number).where(_versions.document_id == known.id).limit(1)
    ).first():
        return
    (first,) = versions.read_versions(tx, known.id, org_id)
    versions.insert_version(tx, org_id, known.id, first)
    tx.connection.execute(update(documents).where(_docs.id == known.id).values(key=known.id))


def _end_older_runs(tx: Transaction, document_id: str, number: int, now: datetime) -> None:
    runs = versions.unfinished_runs(tx, document_id)
    if runs:
        detail = dump({"reason": NEWER_VERSION, "version": number})
        end_runs(tx, runs, "CANCELLED", f"Version {number} was uploaded.", now, detail)


def _with_blob(submission: Submission, number: int, shared: str) -> Submission:
    """The submission of this version, with the shared blob if there is one."""
    blob_key = shared or submission.document.blob_key
    document = replace(submission.document, blob_key=blob_key, version=number)
    plan = replace(submission.plan, options=with_version(submission.plan.options, number, blob_key))
    return replace(submission, document=document, plan=plan)


def _shared_blob(tx: Transaction, submission: Submission) -> str:
    """The blob of another document or version with the same bytes; empty if there is none.

    Its document is locked, so that it is not deleted before this transaction is committed. Calls share no blob: the
    setting `keep_original` may delete it after the transcription.
    """
    org_id, sha256 = submission.document.org_id, submission.document.sha256
    if submission.document.kind == "call":
        return ""
    queries = (
        select(_docs.id, _docs.blob_key).where(
            _docs.org_id == org_id, _docs.sha256 == sha256, _docs.key.is_(None), _docs.kind != "call"
        ),
        select(_versions.document_id.label("id"), _versions.blob_key).where(
            _versions.org_id == org_id, _versions.sha256 == sha256, _versions.kind != "call"
        ),
    )
    for query in queries:
        for row in tx.connection.execute(query.limit(3)).all():
            if not row.blob_key or not tx.run("lock_document", document_id=str(row.id), org_id=org_id):
                continue
            if row.blob_key in versions.keys_in_use(tx, org_id, [row.blob_key]):
                return str(row.blob_key)
    return ""
