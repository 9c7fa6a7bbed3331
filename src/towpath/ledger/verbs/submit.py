"""submit: document, run and first job in one transaction; reprocess: a new run of a known document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, cast

from sqlalchemy import Row, insert, select, update

from towpath.errors import KeyConflict, NotFound
from towpath.ledger.columns import NEVER, dump, to_json
from towpath.ledger.contract import Plan, Submission, Submitted
from towpath.ledger.database import Transaction
from towpath.ledger.tables import (
    document_processing_jobs,
    documents,
    idempotency_keys,
    processing_runs,
    run_events,
)
from towpath.ledger.verbs import rows
from towpath.lifecycle.moves import RUN_ENDS
from towpath.model.ids import document_id, is_id, new_id
from towpath.model.work import FailureType, Job, JobStatus, RunState


def submit(
    tx: Transaction, submissions: Sequence[Submission], now: datetime, ring: bool = False
) -> list[Submitted]:
    items = [_item(submission) for submission in submissions]
    stored = {str(row.run_id) for row in tx.run("submit", rows=dump(items), now=now, ring=ring)}
    answers: list[Submitted] = []
    for submission, item in zip(submissions, items, strict=True):
        if item["run_id"] in stored:
            answers.append(Submitted(str(item["document_id"]), str(item["run_id"])))
        else:
            answers.append(_again(tx, submission, now))
        if submission.idempotency_key is not None:
            _remember(tx, submission, answers[-1].document_id, now)
    return answers


def known_key(tx: Transaction, org_id: str, key: str) -> str | None:
    """The document that an Idempotency-Key stands for, if it was used before."""
    found = tx.connection.execute(
        select(idempotency_keys.c.document_id).where(
            idempotency_keys.c.org_id == org_id, idempotency_keys.c.key == key
        )
    ).scalar()
    return rows.text_or_none(found)


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
        "job_id": new_id(),
        "stage": plan.stages[0],
        "payload": plan.payload,
        "max_attempts": plan.max_attempts,
    }


def _again(tx: Transaction, submission: Submission, now: datetime) -> Submitted:
    """The same bytes once more: the same document, and a new run only if the last one could have done better."""
    org_id, sha256 = submission.document.org_id, submission.document.sha256
    there = document_id(org_id, sha256)
    hold_document(tx, there, org_id)
    of_run = processing_runs.c
    last = tx.connection.execute(
        select(of_run.id, of_run.state, of_run.failure_type, of_run.pipeline_version, of_run.options)
        .where(of_run.document_id == there)
        .order_by(of_run.created_at.desc(), of_run.id.desc())
        .limit(1)
    ).one_or_none()
    unhappy = RUN_ENDS - {RunState.COMPLETED}
    if last is not None and (RunState(last.state) not in unhappy or _is_hopeless(last, submission.plan)):
        return Submitted(there, str(last.id), duplicate=True)
    plan, adopted = _with_its_bytes(tx, submission, there)
    run_id = queue_run(tx, there, org_id, plan, now)
    return Submitted(there, run_id, duplicate=True, adopted=adopted)


def _is_hopeless(last: Row[Any, Any, Any, Any, Any], plan: Plan) -> bool:
    """Whether it was rejected, and would be again: nothing has changed that the verdict depends on."""
    if last.failure_type != FailureType.REJECTED or last.pipeline_version != plan.version:
        return False
    return _matters(to_json(last.options)) == _matters(plan.options)


def _matters(options: Mapping[str, object]) -> dict[str, object]:
    """What the verdict on a file can depend on: all of a plan but the file's name and place."""
    about = options.get("document")
    if not isinstance(about, dict):
        return dict(options)
    known = cast("dict[str, object]", about)
    return {**options, "document": {k: known[k] for k in known if k not in ("name", "blob_key")}}


def _with_its_bytes(tx: Transaction, submission: Submission, document_id: str) -> tuple[Plan, bool]:
    """The plan with the blob that the document has; where it was removed, that of this upload takes its place."""
    this, fresh = documents.c.id == document_id, submission.document.blob_key
    kept = str(tx.connection.execute(select(documents.c.blob_key).where(this)).scalar_one())
    if not kept:
        tx.connection.execute(update(documents).where(this).values(blob_key=fresh))
        return submission.plan, True
    options = dict(submission.plan.options)
    about = options.get("document")
    if isinstance(about, dict):
        options["document"] = {**about, "blob_key": kept}
    return replace(submission.plan, options=options), False


def _remember(tx: Transaction, submission: Submission, document_id: str, now: datetime) -> None:
    """Of two uploads with one key at the same moment the first to commit has it; the other must be the same bytes."""
    org_id, key = submission.document.org_id, submission.idempotency_key
    assert key is not None
    tx.run("remember_key", org_id=org_id, key=key, document_id=document_id, now=now)
    if known_key(tx, org_id, key) != document_id:
        raise KeyConflict("This Idempotency-Key was used before with another file.")


def hold_document(tx: Transaction, document_id: str, org_id: str) -> None:
    if not is_id(document_id) or not tx.run("hold_document", document_id=document_id, org_id=org_id):
        raise NotFound(f"There is no document {document_id} here.")


def queue_run(
    tx: Transaction,
    document_id: str,
    org_id: str,
    plan: Plan,
    now: datetime,
    *,
    resumes: str | None = None,
    done: Sequence[Job] = (),
    attempts: int = 0,
    crashes: int = 0,
) -> str:
    """Queue a run whose finished stages are taken over from ``done``. Hold the document first.

    While another run of the document is queued or running, the new one's job is parked: it is woken
    by whatever ends the run before it, in the same transaction.
    """
    run_id = new_id()
    busy = tx.connection.execute(
        select(processing_runs.c.id)
        .where(
            processing_runs.c.document_id == document_id,
            processing_runs.c.state.in_([RunState.QUEUED, RunState.RUNNING]),
        )
        .order_by(processing_runs.c.created_at.desc(), processing_runs.c.id.desc())
        .limit(1)
    ).scalar()
    tx.connection.execute(
        insert(processing_runs).values(
            id=run_id,
            org_id=org_id,
            document_id=document_id,
            pipeline=plan.pipeline,
            pipeline_version=plan.version,
            state=RunState.QUEUED,
            options=dict(plan.options),
            resumes_run_id=resumes,
            deadline_seconds=plan.deadline_seconds,
            created_at=_after_all_others(tx, document_id, now),
        )
    )
    for job in done:
        tx.connection.execute(insert(document_processing_jobs).values(**_copy(job, run_id, now)))
    next_stage = plan.stages[len(done)]
    tx.connection.execute(
        insert(document_processing_jobs).values(
            id=new_id(),
            org_id=org_id,
            document_id=document_id,
            run_id=run_id,
            stage=next_stage,
            status=JobStatus.PENDING,
            payload=dict(plan.payload),
            attempts=attempts,
            crashes=crashes,
            max_attempts=plan.max_attempts,
            available_at=now if busy is None else NEVER,
            waiting_for=None if busy is None else f"run {busy} of the same document",
            created_at=now,
            updated_at=now,
        )
    )
    tx.connection.execute(
        insert(run_events).values(
            org_id=org_id,
            run_id=run_id,
            kind="RUN_QUEUED",
            at=now,
            detail={"resumes": resumes, "reused": [job.stage for job in done]} if resumes else None,
        )
    )
    tx.connection.execute(
        update(documents).where(documents.c.id == document_id).values(status="PROCESSING", updated_at=now)
    )
    return run_id


def _after_all_others(tx: Transaction, document_id: str, now: datetime) -> datetime:
    """Runs of a document start in the order of this, so it rises even where servers' clocks disagree."""
    newest = tx.connection.execute(
        select(processing_runs.c.created_at)
        .where(processing_runs.c.document_id == document_id)
        .order_by(processing_runs.c.created_at.desc())
        .limit(1)
    ).scalar()
    return now if newest is None else max(now, newest + timedelta(microseconds=1))


def _copy(job: Job, run_id: str, now: datetime) -> dict[str, object]:
    return {
        "id": new_id(),
        "org_id": job.org_id,
        "document_id": job.document_id,
        "run_id": run_id,
        "stage": job.stage,
        "status": JobStatus.COMPLETED,
        "payload": dict(job.payload),
        "result": dict(job.result or {}),
        "max_attempts": job.max_attempts,
        "available_at": now,
        "reused_from": job.reused_from or job.id,
        "created_at": now,
        "started_at": job.started_at,
        "completed_at": job.completed_at,
        "updated_at": now,
    }
