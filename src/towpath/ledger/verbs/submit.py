"""submit: stores document, run and first job in one transaction; the same bytes again give the same document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, cast

from sqlalchemy import Row, select, update

from towpath.errors import KeyConflict
from towpath.ledger.columns import dump, to_json
from towpath.ledger.contract.ledger import RunPlan, Submission, Submitted
from towpath.ledger.database import Transaction
from towpath.ledger.tables import (
    documents,
    idempotency_keys,
    processing_runs,
)
from towpath.ledger.verbs import rows
from towpath.ledger.verbs.queue_run import lock_document, queue_run
from towpath.lifecycle.transitions import RUN_ENDS
from towpath.model.ids import document_id, new_id
from towpath.model.run import FailureType, RunReason, RunState


def submit(
    tx: Transaction, submissions: Sequence[Submission], now: datetime, notify: bool = False
) -> list[Submitted]:
    items = [_item(submission) for submission in submissions]
    stored = {str(row.run_id) for row in tx.run("submit", rows=dump(items), now=now, notify=notify)}
    answers: list[Submitted] = []
    for submission, item in zip(submissions, items, strict=True):
        if item["run_id"] in stored:
            answers.append(Submitted(str(item["document_id"]), str(item["run_id"])))
        else:
            answers.append(_resubmit(tx, submission, now))
        if submission.idempotency_key is not None:
            _save_key(tx, submission, answers[-1].document_id, now)
    return answers


def known_key(tx: Transaction, org_id: str, key: str) -> str | None:
    """The document that was submitted with this Idempotency-Key, if any."""
    document_id = tx.connection.execute(
        select(idempotency_keys.c.document_id).where(
            idempotency_keys.c.org_id == org_id, idempotency_keys.c.key == key
        )
    ).scalar()
    return rows.text_or_none(document_id)


def _item(submission: Submission) -> dict[str, object]:
    document, plan = submission.document, submission.plan
    return {
        "document_id": document_id(document.org_id, document.sha256),
        "org_id": document.org_id,
        "kind": document.kind,
        "name": document.name,
        "media_type": document.media_type,
        "size": document.size,
        "sha256": document.sha256,
        "blob_key": document.blob_key,
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


def _resubmit(tx: Transaction, submission: Submission, now: datetime) -> Submitted:
    """The same bytes again: the same document, and a new run only if the last one failed and may now succeed."""
    org_id, sha256 = submission.document.org_id, submission.document.sha256
    known_id = document_id(org_id, sha256)
    lock_document(tx, known_id, org_id)
    run = processing_runs.c
    last = tx.connection.execute(
        select(
            run.id,
            run.state,
            run.failure_type,
            run.rejected_by,
            run.pipeline_version,
            run.options,
        )
        .where(run.document_id == known_id)
        .order_by(run.created_at.desc(), run.id.desc())
        .limit(1)
    ).one_or_none()
    unsuccessful = RUN_ENDS - {RunState.COMPLETED}
    if last is not None and (
        RunState(last.state) not in unsuccessful or _would_be_rejected_again(last, submission.plan)
    ):
        return Submitted(known_id, str(last.id), duplicate=True)
    plan, adopted = _reuse_blob(tx, submission, known_id)
    run_id = queue_run(tx, known_id, org_id, plan, now, RunReason.SUBMITTED)
    return Submitted(known_id, run_id, duplicate=True, adopted=adopted)


def _would_be_rejected_again(last: Row[Any, Any, Any, Any, Any, Any], plan: RunPlan) -> bool:
    """Whether the last run was rejected here, with the same pipeline version and options.

    A provider's rejection is no property of the bytes: it may depend on the model, the account or the settings.
    """
    if last.failure_type != FailureType.REJECTED or last.rejected_by is not None:
        return False
    if last.pipeline_version != plan.version:
        return False
    return _verdict_inputs(to_json(last.options)) == _verdict_inputs(plan.options)


def _verdict_inputs(options: Mapping[str, object]) -> dict[str, object]:
    """The options a rejection can depend on: all but the file's name and blob key."""
    document = options.get("document")
    if not isinstance(document, dict):
        return dict(options)
    properties = cast("dict[str, object]", document)
    relevant = {name: value for name, value in properties.items() if name not in ("name", "blob_key")}
    return {**options, "document": relevant}


def _reuse_blob(tx: Transaction, submission: Submission, document_id: str) -> tuple[RunPlan, bool]:
    """The plan with the document's stored blob; if that was deleted, with the blob of this upload."""
    of_document, uploaded_key = documents.c.id == document_id, submission.document.blob_key
    stored_key = str(tx.connection.execute(select(documents.c.blob_key).where(of_document)).scalar_one())
    if not stored_key:
        tx.connection.execute(update(documents).where(of_document).values(blob_key=uploaded_key))
        return submission.plan, True
    options = dict(submission.plan.options)
    document = options.get("document")
    if isinstance(document, dict):
        options["document"] = {**document, "blob_key": stored_key}
    return replace(submission.plan, options=options), False


def _save_key(tx: Transaction, submission: Submission, document_id: str, now: datetime) -> None:
    """Save the key. Of two uploads at the same time the first to commit has it; the other must have the same bytes."""
    org_id, key = submission.document.org_id, submission.idempotency_key
    assert key is not None
    tx.run("save_idempotency_key", org_id=org_id, key=key, document_id=document_id, now=now)
    if known_key(tx, org_id, key) != document_id:
        raise KeyConflict("This Idempotency-Key was used before with another file.")
