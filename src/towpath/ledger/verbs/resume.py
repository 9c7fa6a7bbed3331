"""recover, retry, reprocess and cancel: what happens to a run from outside its worker."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import insert, select, update

from towpath.errors import IllegalMove, NotFound, UserError
from towpath.ledger.columns import dump, readable, to_text
from towpath.ledger.contract import Plan, Recovered
from towpath.ledger.database import Transaction
from towpath.ledger.tables import document_processing_jobs, documents, processing_runs, run_events
from towpath.ledger.verbs import reads, rows, signs
from towpath.ledger.verbs.submit import hold_document, queue_run
from towpath.ledger.verbs.sweep import end_runs
from towpath.lifecycle.moves import JOB_ENDS, RUN_ENDS, Verb, job_may, run_may
from towpath.model.ids import is_id, new_id
from towpath.model.payload import BY_HAND
from towpath.model.work import EventKind, FailureType, Job, JobStatus, Run, RunState

_jobs = document_processing_jobs.c


def cancel(tx: Transaction, run_id: str, org_id: str, now: datetime) -> None:
    run = reads.run(tx, run_id, org_id)
    if run.state is RunState.QUEUED:
        # A run that ends takes its document and then wakes this one. In the same order there is no
        # deadlock, which Postgres would need a second to see.
        hold_document(tx, run.document_id, org_id)
    if not run_may(run.state, Verb.CANCEL) or not end_runs(tx, [run_id], "CANCELLED", None, now):
        raise IllegalMove(f"Run {run_id} is {run.state} and cannot be cancelled any more.")


def recover(tx: Transaction, now: datetime, resume: bool, max_crashes: int) -> Recovered:
    """Start-up of the embedded engine: nobody else can be alive, so every RUNNING run is an orphan."""
    failed = resumed = quarantined = 0
    orphans = tx.connection.execute(
        select(processing_runs.c.id, processing_runs.c.org_id)
        .where(processing_runs.c.state == RunState.RUNNING)
        .order_by(processing_runs.c.created_at, processing_runs.c.id)
    ).all()
    for orphan in orphans:
        run = reads.run(tx, str(orphan.id), str(orphan.org_id))
        jobs = [job for job in reads.jobs(tx, run.id, run.org_id) if not job.follow_up]
        last = next(job for job in jobs if job.status not in JOB_ENDS)
        # Only a job that was being worked can have taken the process down; a waiting one is innocent.
        crashes = last.crashes + (last.status is JobStatus.PROCESSING)
        poisonous = crashes > max_crashes
        hold_document(tx, run.document_id, run.org_id)
        _orphan(tx, run, last, poisonous, crashes, now)
        failed += 1
        quarantined += poisonous
        if resume and not poisonous:
            _resume(tx, run, jobs, last, now, attempts=last.attempts, crashes=crashes)
            resumed += 1
        tx.run("wake_next", documents=dump([run.document_id]), now=now)
    _recover_follow_ups(tx, now, max_crashes)
    signs.forget_all(tx)
    return Recovered(failed, resumed, quarantined)


def _orphan(tx: Transaction, run: Run, last: Job, poisonous: bool, crashes: int, now: datetime) -> None:
    failure = FailureType.QUARANTINED if poisonous else FailureType.PROCESS_TERMINATED
    error = (
        f"The process died {crashes} times during the stage {last.stage}; the document is set aside."
        if poisonous
        else "The process ended before the run did."
    )
    end = JobStatus.FAILED if last.status is JobStatus.PROCESSING else JobStatus.CANCELLED
    take_away(tx, last, end, crashes, error, now)
    tx.connection.execute(
        update(processing_runs)
        .where(processing_runs.c.id == run.id)
        .values(state=RunState.FAILED, failure_type=failure, error=error, ended_at=now)
    )
    tx.connection.execute(
        update(documents).where(documents.c.id == run.document_id).values(status="FAILED", updated_at=now)
    )
    tx.connection.execute(
        insert(run_events).values(
            org_id=run.org_id,
            run_id=run.id,
            kind=EventKind.RUN_FAILED,
            at=now,
            detail={"failure_type": failure, "stage": last.stage},
        )
    )


def _recover_follow_ups(tx: Transaction, now: datetime, max_crashes: int) -> None:
    """Follow-ups of completed runs are no orphans: they are simply due again, until they kill too often."""
    found = tx.connection.execute(
        select(document_processing_jobs).where(_jobs.status == JobStatus.PROCESSING, _jobs.follow_up)
    ).all()
    for job in map(rows.job, found):
        crashes = job.crashes + 1
        end = JobStatus.FAILED if crashes > max_crashes else JobStatus.PENDING
        take_away(tx, job, end, crashes, "The process ended before the follow-up did.", now)


def take_away(tx: Transaction, job: Job, status: JobStatus, crashes: int, reason: str, now: datetime) -> None:
    """Take a job out of the hands of the process that died, and say so in its log."""
    again = status is JobStatus.PENDING
    tx.connection.execute(
        update(document_processing_jobs)
        .where(_jobs.id == job.id)
        .values(
            status=status,
            crashes=crashes,
            lease_epoch=_jobs.lease_epoch + 1,
            lease_until=None,
            available_at=now if again else job.available_at,
            error_log="\n".join(filter(None, (job.error_log, f"{to_text(now)} {reason}")))[-8000:],
            completed_at=None if again else now,
            updated_at=now,
        )
    )


def _resume(
    tx: Transaction, run: Run, jobs: list[Job], last: Job, now: datetime, *, attempts: int, crashes: int
) -> str:
    done = [job for job in jobs if job.status is JobStatus.COMPLETED]
    deadline = tx.connection.execute(
        select(processing_runs.c.deadline_seconds).where(processing_runs.c.id == run.id)
    ).scalar()
    plan = Plan(
        run.pipeline,
        run.pipeline_version,
        (*(job.stage for job in done), last.stage),
        run.options,
        last.payload,
        last.max_attempts,
        deadline,
    )
    return queue_run(
        tx,
        run.document_id,
        run.org_id,
        plan,
        now,
        resumes=run.id,
        done=done,
        attempts=attempts,
        crashes=crashes,
    )


def retry(tx: Transaction, job_id: str, org_id: str, now: datetime) -> str:
    """Make a waiting job due now, or queue a new run that resumes where a failed one stopped."""
    query = select(_jobs.run_id).where(_jobs.id == job_id, _jobs.org_id == org_id)
    found = tx.connection.execute(query).scalar() if is_id(job_id) else None
    if found is None:
        raise NotFound(f"There is no job {job_id} here.")
    run = reads.run(tx, str(found), org_id)
    hold_document(tx, run.document_id, org_id)
    jobs = reads.jobs(tx, run.id, org_id)
    job = next(job for job in jobs if job.id == job_id)
    if not job_may(job.status, Verb.RETRY):
        raise IllegalMove(f"Job {job_id} is {job.status}: only a waiting or a failed job can be retried.")
    if job.status is JobStatus.PENDING:
        if run.state is not RunState.QUEUED:
            _make_due(tx, job, now)
        return run.id
    if job.follow_up:
        if not any(_is_waiting_again(other, job) for other in jobs):
            _queue_follow_up(tx, job, now)
        return run.id
    for other in reads.runs(tx, run.document_id, org_id):
        # A second click, or a retry of what recovery has resumed already.
        if other.resumes_run_id == run.id and other.state not in RUN_ENDS:
            return other.id
    return _resume(tx, run, [other for other in jobs if not other.follow_up], job, now, attempts=0, crashes=0)


def _is_waiting_again(other: Job, job: Job) -> bool:
    return other.follow_up and other.stage == job.stage and other.status not in JOB_ENDS


def retry_many(
    tx: Transaction, org_id: str, stage: str | None, error: str | None, limit: int, now: datetime
) -> list[str]:
    """Retry the failed jobs that are still the last word on their document, oldest failure first."""
    newer = processing_runs.alias("newer")
    later = document_processing_jobs.alias("later")
    run = processing_runs.c
    query = (
        select(_jobs.id)
        .join(processing_runs, run.id == _jobs.run_id)
        .where(_jobs.org_id == org_id, _jobs.status == JobStatus.FAILED)
        .where(
            ~select(newer.c.id)
            .where(newer.c.document_id == run.document_id, newer.c.created_at > run.created_at)
            .exists()
        )
        .where(
            ~select(later.c.id)
            .where(
                later.c.document_id == _jobs.document_id,
                later.c.run_id == _jobs.run_id,
                later.c.stage == _jobs.stage,
                later.c.id > _jobs.id,
            )
            .exists()
        )
        .order_by(_jobs.updated_at, _jobs.id)
        .limit(limit)
    )
    if stage is not None:
        query = query.where(_jobs.stage == stage)
    if error is not None:
        query = query.where(_jobs.error_log.contains(readable(error), autoescape=True))
    failed = [str(found) for found in tx.connection.execute(query).scalars()]
    return [retry(tx, job_id, org_id, now) for job_id in failed]


def reprocess(
    tx: Transaction,
    document_id: str,
    plan: Plan,
    org_id: str,
    now: datetime,
    from_stage: str | None,
    fresh: bool,
) -> str:
    """A new run of a known document, taking over the stages before ``from_stage`` from its last success."""
    hold_document(tx, document_id, org_id)
    done: list[Job] = []
    if from_stage is not None and from_stage not in plan.stages:
        raise UserError(f"There is no stage `{from_stage}` in {', '.join(plan.stages)}.")
    if from_stage is not None and not fresh:
        wanted = plan.stages[: plan.stages.index(from_stage)]
        history = [run for run in reads.runs(tx, document_id, org_id) if run.pipeline == plan.pipeline]
        for run in reversed(history):
            jobs = {
                job.stage: job
                for job in reads.jobs(tx, run.id, org_id)
                if job.status is JobStatus.COMPLETED and not job.follow_up
            }
            if all(stage in jobs for stage in wanted):
                done = [jobs[stage] for stage in wanted]
                break
    return queue_run(tx, document_id, org_id, plan, now, resumes=done[0].run_id if done else None, done=done)


def _make_due(tx: Transaction, job: Job, now: datetime) -> None:
    tx.connection.execute(
        update(document_processing_jobs)
        .where(_jobs.id == job.id, _jobs.status == JobStatus.PENDING)
        .values(payload={**job.payload, BY_HAND: True}, available_at=now, waiting_for=None, updated_at=now)
    )


def _queue_follow_up(tx: Transaction, job: Job, now: datetime) -> None:
    tx.connection.execute(
        insert(document_processing_jobs).values(
            id=new_id(),
            org_id=job.org_id,
            document_id=job.document_id,
            run_id=job.run_id,
            stage=job.stage,
            status=JobStatus.PENDING,
            follow_up=True,
            payload=dict(job.payload),
            max_attempts=job.max_attempts,
            available_at=now,
            created_at=now,
            updated_at=now,
        )
    )
