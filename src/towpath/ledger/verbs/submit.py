"""submit: stores document, run and first job in one transaction; the same bytes again give the same document."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select, update

from towpath.errors import KeyConflict
from towpath.ledger.contract.ledger import Submission, Submitted
from towpath.ledger.database import Transaction
from towpath.ledger.tables import documents, idempotency_keys
from towpath.ledger.verbs import row_conversion
from towpath.ledger.verbs.audit import write_audit
from towpath.ledger.verbs.labels import add_labels
from towpath.ledger.verbs.queue_run import lock_document
from towpath.ledger.verbs.resubmit import resubmit
from towpath.ledger.verbs.store_submissions import store_new, store_row, submission_row
from towpath.ledger.verbs.submit_version import retried_upload, submit_version
from towpath.model.audit import AuditAction, AuditEntry
from towpath.model.ids import new_id
from towpath.model.json_types import Json
from towpath.model.labels import NO_LABELS


def submit(
    tx: Transaction, submissions: Sequence[Submission], now: datetime, notify: bool = False
) -> list[Submitted]:
    """Submit uploads. A document that was only the child of others counts as uploaded from now on."""
    answers = submit_documents(tx, submissions, now, notify)
    known = [answer.document_id for answer in answers if answer.duplicate]
    if known:
        children = documents.c.uploaded.is_(False)
        tx.connection.execute(
            update(documents).where(documents.c.id.in_(known), children).values(uploaded=True)
        )
    for submission, answer in zip(submissions, answers, strict=True):
        if submission.labels != NO_LABELS:
            add_labels(tx, submission.document.org_id, answer.document_id, submission.labels, now)
    return answers


def needs_one_statement(submission: Submission) -> bool:
    """Whether one statement stores all of a new document."""
    return (
        not _has_versions(submission)
        and not submission.actor
        and submission.idempotency_key is None
        and submission.labels == NO_LABELS
    )


def submit_new(tx: Transaction, submission: Submission, now: datetime, notify: bool) -> Submitted | None:
    """Submit one upload by one statement; None, and nothing is stored, if the organization has the document."""
    return store_new(tx, [submission], now, notify)[0]


def submit_documents(
    tx: Transaction, submissions: Sequence[Submission], now: datetime, notify: bool = False
) -> list[Submitted]:
    """Submit documents. Those without a key are stored by one statement; bytes that are known are skipped by it."""
    without_key = [submission for submission in submissions if not _has_versions(submission)]
    stored = iter(store_new(tx, without_key, now, notify) if without_key else ())
    answers: list[Submitted] = []
    for submission in submissions:
        if _has_versions(submission):
            answers.append(submit_version(tx, submission, now, notify))
        else:
            answers.append(next(stored) or _resubmit(tx, submission, now, notify))
        if submission.idempotency_key is not None:
            _save_key(tx, submission, answers[-1], now)
    write_audit(tx, [_entry(*pair) for pair in zip(submissions, answers, strict=True) if pair[0].actor], now)
    return answers


def _has_versions(submission: Submission) -> bool:
    return submission.document.key is not None or submission.replaces is not None


def _entry(submission: Submission, submitted: Submitted) -> tuple[str, AuditEntry]:
    document = submission.document
    assert submission.actor is not None
    detail: Json = {"name": document.name, "size": document.size, "duplicate": submitted.duplicate}
    if _has_versions(submission):
        detail = {**detail, "key": document.key, "version": submitted.version}
    entry = AuditEntry(
        AuditAction.DOCUMENT_UPLOADED, submission.actor, subject=submitted.document_id, detail=detail
    )
    return document.org_id, entry


def known_key(tx: Transaction, org_id: str, key: str) -> str | None:
    """The document that was submitted with this Idempotency-Key, if any."""
    document_id = tx.connection.execute(
        select(idempotency_keys.c.document_id).where(
            idempotency_keys.c.org_id == org_id, idempotency_keys.c.key == key
        )
    ).scalar()
    return row_conversion.text_or_none(document_id)


def _resubmit(tx: Transaction, submission: Submission, now: datetime, notify: bool) -> Submitted:
    """The same bytes again; the answer is the document that has them."""
    org_id = submission.document.org_id
    known_id = _document_with_bytes(tx, submission)
    if known_id is None:
        if (retried := retried_upload(tx, submission)) is not None:
            return retried
        # The id of these bytes is that of a document whose later versions have other bytes.
        item = submission_row(submission, new_id())
        if store_row(tx, item, now, notify):
            return Submitted(str(item["document_id"]), str(item["run_id"]))
        known_id = _document_with_bytes(tx, submission)
        assert known_id is not None
    lock_document(tx, known_id, org_id)
    if _document_with_bytes(tx, submission) != known_id:
        # Its next version was uploaded at the same time.
        return _resubmit(tx, submission, now, notify)
    return resubmit(tx, submission, known_id, 1, now)


def _document_with_bytes(tx: Transaction, submission: Submission) -> str | None:
    """The document without a key that has these bytes."""
    document, docs = submission.document, documents.c
    known_id = tx.connection.execute(
        select(docs.id).where(
            docs.org_id == document.org_id, docs.sha256 == document.sha256, docs.key.is_(None)
        )
    ).scalar()
    return row_conversion.text_or_none(known_id)


def _save_key(tx: Transaction, submission: Submission, submitted: Submitted, now: datetime) -> None:
    """Save the key. Of two uploads at the same time the first to commit has it; the other must have the same bytes."""
    org_id, key = submission.document.org_id, submission.idempotency_key
    assert key is not None
    tx.run(
        "save_idempotency_key",
        org_id=org_id,
        key=key,
        document_id=submitted.document_id,
        version=submitted.version,
        now=now,
    )
    if known_key(tx, org_id, key) != submitted.document_id:
        raise KeyConflict("This Idempotency-Key was used before with another file.")
