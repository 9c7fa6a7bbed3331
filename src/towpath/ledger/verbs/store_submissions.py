"""Stores new documents, each with its run and first job: many with `submit.sql`, one with `submit_one.sql`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from towpath.ledger.columns import dump, strip_unstorable
from towpath.ledger.contract.ledger import Submission, Submitted
from towpath.ledger.database import Transaction
from towpath.model.ids import document_id, new_id

Row = dict[str, object]

#: Rows in one statement: the rows of the next one are made while the server stores these.
_BATCH = 250
_JSON = ("options", "policy", "payload")
#: What a client may have written; the other texts are our own.
_TEXTS = ("name", "media_type", "blob_key", "key")


def submission_row(submission: Submission, id_of_document: str) -> Row:
    """The document, its run and its first job as one row."""
    document, plan = submission.document, submission.plan
    return {
        "document_id": id_of_document,
        "org_id": document.org_id,
        "kind": document.kind,
        "name": document.name,
        "media_type": document.media_type,
        "size": document.size,
        "sha256": document.sha256,
        "blob_key": document.blob_key,
        "key": document.key,
        "run_id": new_id(),
        "pipeline": plan.pipeline,
        "version": plan.version,
        "options": plan.options,
        "deadline_seconds": plan.deadline_seconds,
        "continue_after_timeout": plan.continue_after_timeout,
        "policy": plan.policy,
        "job_id": new_id(),
        "stage": plan.stages[0],
        "payload": plan.payload,
        "max_attempts": plan.max_attempts,
    }


def store_new(
    tx: Transaction, submissions: Sequence[Submission], now: datetime, notify: bool
) -> list[Submitted | None]:
    """Store the documents that are new, each with the id of its bytes; None for the others."""
    ids = [document_id(item.document.org_id, item.document.sha256) for item in submissions]
    rows: dict[int, Row] = {}
    if len(submissions) == 1:
        rows[0] = submission_row(submissions[0], ids[0])
        stored = {rows[0]["run_id"]} if store_row(tx, rows[0], now, notify) else set[object]()
    else:
        batches = (
            {"rows": dump(batch), "now": now, "notify": notify} for batch in _batches(submissions, ids, rows)
        )
        stored = {row.run_id for row in tx.run_each("submit", batches)}
    return [
        Submitted(ids[index], str(rows[index]["run_id"])) if rows[index]["run_id"] in stored else None
        for index in range(len(submissions))
    ]


def _batches(
    submissions: Sequence[Submission], ids: Sequence[str], rows: dict[int, Row]
) -> Iterator[list[Row]]:
    """Make the rows of one statement at a time, and add them to ``rows``.

    All transactions insert documents in the order of their ids, so that none waits for a document of another one that
    waits for it.
    """
    order = sorted(range(len(ids)), key=ids.__getitem__)
    for start in range(0, len(order), _BATCH):
        indexes = order[start : start + _BATCH]
        batch = [submission_row(submissions[index], ids[index]) for index in indexes]
        rows.update(zip(indexes, batch, strict=True))
        yield batch


def store_row(tx: Transaction, row: Row, now: datetime, notify: bool) -> bool:
    """Store one row; false if the organization has the document."""
    row = row | {name: dump(row[name]) for name in _JSON}
    for name in _TEXTS:
        if isinstance(text := row[name], str):
            row[name] = strip_unstorable(text)
    return bool(tx.run("submit_one", **row, now=now, notify=notify))
