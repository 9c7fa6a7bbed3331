"""reprocess: queues a new run of a known document, reusing the stages before a given one."""

from __future__ import annotations

from datetime import datetime

from towpath.errors import UserError
from towpath.ledger.contract.ledger import RunPlan
from towpath.ledger.database import Transaction
from towpath.ledger.verbs import reads
from towpath.ledger.verbs.queue_run import lock_document, queue_run
from towpath.model.job import Job, JobStatus
from towpath.model.run import RunReason


def reprocess(
    tx: Transaction,
    document_id: str,
    plan: RunPlan,
    org_id: str,
    now: datetime,
    from_stage: str | None,
    fresh: bool,
) -> str:
    """Queue a new run that reuses the stages before ``from_stage`` of the last run that completed them."""
    lock_document(tx, document_id, org_id)
    done: list[Job] = []
    if from_stage is not None and from_stage not in plan.stages:
        raise UserError(f"There is no stage `{from_stage}` in {', '.join(plan.stages)}.")
    if from_stage is not None and not fresh:
        reused_stages = plan.stages[: plan.stages.index(from_stage)]
        history = [run for run in reads.runs(tx, document_id, org_id) if run.pipeline == plan.pipeline]
        for run in reversed(history):
            jobs = {
                job.stage: job
                for job in reads.jobs(tx, run.id, org_id)
                if job.status is JobStatus.COMPLETED and not job.follow_up
            }
            if all(stage in jobs for stage in reused_stages):
                done = [jobs[stage] for stage in reused_stages]
                break
    resumes = done[0].run_id if done else None
    return queue_run(tx, document_id, org_id, plan, now, RunReason.REPROCESSED, resumes=resumes, done=done)
