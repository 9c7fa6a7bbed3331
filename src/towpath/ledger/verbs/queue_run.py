"""Queues a run of a known document: its reused stages, its first job, its event and the document's status."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import insert, select, update

from towpath.errors import NotFound
from towpath.ledger.columns import NEVER, to_json
from towpath.ledger.contract.ledger import RunPlan
from towpath.ledger.database import Transaction
from towpath.ledger.tables import document_processing_jobs, documents, processing_runs, run_events
from towpath.model.ids import is_id, new_id
from towpath.model.job import Job, JobStatus, WaitingReason
from towpath.model.run import Run, RunReason, RunState

_runs = processing_runs.c

#: The columns of a job that waits for nothing but a worker.
NOT_WAITING = dict.fromkeys(
    ("waiting_reason", "waiting_provider", "waiting_until", "waiting_run_id", "waiting_detail")
)


def lock_document(tx: Transaction, document_id: str, org_id: str) -> None:
    """Lock the document's row until the transaction ends; NotFound if the organization has no such document."""
    if not is_id(document_id) or not tx.run("lock_document", document_id=document_id, org_id=org_id):
        raise NotFound(f"There is no document {document_id} here.")


def queue_run(
    tx: Transaction,
    document_id: str,
    org_id: str,
    plan: RunPlan,
    now: datetime,
    reason: RunReason,
    *,
    resumes: str | None = None,
    done: Sequence[Job] = (),
    attempts: int = 0,
    crashes: int = 0,
    suspect: bool = False,
    sealed_password: str | None = None,
) -> str:
    """Queue a run that reuses the completed jobs ``done``. The caller has locked the document.

    While another run of the document is queued or running, the new run's job waits for it. The transaction
    that ends the other run makes this job due.
    """
    run_id = new_id()
    earlier_run = _last_unfinished_run(tx, document_id)
    _insert_run(tx, run_id, document_id, org_id, plan, reason, resumes, now)
    for job in done:
        tx.connection.execute(insert(document_processing_jobs).values(**_reused_job(job, run_id, now)))
    tx.connection.execute(
        insert(document_processing_jobs).values(
            id=new_id(),
            org_id=org_id,
            document_id=document_id,
            run_id=run_id,
            stage=_first_stage(plan, done),
            status=JobStatus.PENDING,
            payload=dict(plan.payload),
            attempts=attempts,
            crashes=crashes,
            suspect=suspect,
            sealed_password=sealed_password,
            max_attempts=plan.max_attempts,
            available_at=now if earlier_run is None else NEVER,
            waiting_reason=None if earlier_run is None else WaitingReason.EARLIER_RUN,
            waiting_run_id=earlier_run,
            created_at=now,
            updated_at=now,
        )
    )
    reused = [job.stage for job in done]
    detail = {"reason": reason, "resumes": resumes, "reused": reused} if resumes else None
    tx.connection.execute(
        insert(run_events).values(org_id=org_id, run_id=run_id, kind="RUN_QUEUED", at=now, detail=detail)
    )
    tx.connection.execute(
        update(documents).where(documents.c.id == document_id).values(status="PROCESSING", updated_at=now)
    )
    return run_id


def _first_stage(plan: RunPlan, done: Sequence[Job]) -> str:
    """The first stage that is not reused; a worker skips reused stages behind it."""
    reused = {job.stage for job in done}
    return next(stage for stage in plan.stages if stage not in reused)


def resume_run(
    tx: Transaction,
    run: Run,
    jobs: list[Job],
    last: Job,
    now: datetime,
    reason: RunReason,
    *,
    attempts: int,
    crashes: int,
    suspect: bool,
    sealed_password: str | None = None,
) -> str:
    """Queue a run that continues ``run`` at the stage of its job ``last``, with the same options."""
    done = [job for job in jobs if job.status is JobStatus.COMPLETED]
    promised = tx.connection.execute(
        select(_runs.deadline_seconds, _runs.continue_after_timeout, _runs.policy).where(_runs.id == run.id)
    ).one()
    plan = RunPlan(
        run.pipeline,
        run.pipeline_version,
        (*(job.stage for job in done), last.stage),
        run.options,
        last.payload,
        last.max_attempts,
        promised.deadline_seconds,
        promised.continue_after_timeout,
        to_json(promised.policy),
    )
    return queue_run(
        tx,
        run.document_id,
        run.org_id,
        plan,
        now,
        reason,
        resumes=run.id,
        done=done,
        attempts=attempts,
        crashes=crashes,
        suspect=suspect,
        sealed_password=sealed_password,
    )


def has_unfinished_run(tx: Transaction, document_id: str) -> bool:
    """Whether a run of the document is queued or running."""
    return _last_unfinished_run(tx, document_id) is not None


def _last_unfinished_run(tx: Transaction, document_id: str) -> str | None:
    return tx.connection.execute(
        select(_runs.id)
        .where(_runs.document_id == document_id, _runs.state.in_([RunState.QUEUED, RunState.RUNNING]))
        .order_by(_runs.created_at.desc(), _runs.id.desc())
        .limit(1)
    ).scalar()


def _insert_run(
    tx: Transaction,
    run_id: str,
    document_id: str,
    org_id: str,
    plan: RunPlan,
    reason: RunReason,
    resumes: str | None,
    now: datetime,
) -> None:
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
            reason=reason,
            deadline_seconds=plan.deadline_seconds,
            continue_after_timeout=plan.continue_after_timeout,
            policy=dict(plan.policy),
            created_at=_monotonic_created_at(tx, document_id, now),
        )
    )


def _monotonic_created_at(tx: Transaction, document_id: str, now: datetime) -> datetime:
    """A time after all other runs of the document: runs start in this order, also if servers' clocks differ."""
    newest = tx.connection.execute(
        select(processing_runs.c.created_at)
        .where(processing_runs.c.document_id == document_id)
        .order_by(processing_runs.c.created_at.desc())
        .limit(1)
    ).scalar()
    return now if newest is None else max(now, newest + timedelta(microseconds=1))


def _reused_job(job: Job, run_id: str, now: datetime) -> dict[str, object]:
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
