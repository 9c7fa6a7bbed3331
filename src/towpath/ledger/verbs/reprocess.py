"""reprocess: queues a new run of a known document, reusing the stages before a given one."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from towpath.errors import UserError
from towpath.ledger.contract.ledger import RunPlan
from towpath.ledger.database import Transaction
from towpath.ledger.verbs import read_runs
from towpath.ledger.verbs.queue_run import lock_document, queue_run
from towpath.ledger.verbs.versions import refuse_older_version
from towpath.model.document_version import version_of
from towpath.model.job import Job, JobStatus
from towpath.model.run import RunReason
from towpath.model.run_stages import read_run_stages


def reprocess(
    tx: Transaction,
    document_id: str,
    plan: RunPlan,
    org_id: str,
    now: datetime,
    from_stage: str | None,
    fresh: bool,
    sealed_password: str | None = None,
) -> str:
    """Queue a new run that reuses stages before ``from_stage``: those whose version and inputs did not change."""
    lock_document(tx, document_id, org_id)
    refuse_older_version(tx, document_id, plan.options)
    done: list[Job] = []
    if from_stage is not None and from_stage not in plan.stages:
        raise UserError(f"There is no stage `{from_stage}` in {', '.join(plan.stages)}.")
    if from_stage is not None and not fresh:
        done = _reusable(tx, document_id, plan, org_id, plan.stages[: plan.stages.index(from_stage)])
    resumes = done[0].run_id if done else None
    return queue_run(
        tx,
        document_id,
        org_id,
        plan,
        now,
        RunReason.REPROCESSED,
        resumes=resumes,
        done=done,
        sealed_password=sealed_password,
    )


def _reusable(
    tx: Transaction, document_id: str, plan: RunPlan, org_id: str, stages: Sequence[str]
) -> list[Job]:
    """The completed jobs of the newest run that has most of these stages with the same versions and inputs.

    Runs of earlier versions store no fingerprints: they count if they are of the same pipeline and have all stages.
    """
    wanted = read_run_stages(plan.options)
    best: list[Job] = []
    number = version_of(plan.options)
    for run in reversed(read_runs.runs(tx, document_id, org_id)):
        if version_of(run.options) != number:
            continue
        jobs = {
            job.stage: job
            for job in read_runs.jobs(tx, run.id, org_id)
            if job.status is JobStatus.COMPLETED and not job.follow_up
        }
        stored = read_run_stages(run.options)
        if wanted is None or stored is None or not stored.fingerprints:
            complete = run.pipeline == plan.pipeline and all(stage in jobs for stage in stages)
            same = list(stages) if complete else []
        else:
            same = [
                stage
                for stage in stages
                if stage in jobs and stored.fingerprints.get(stage) == wanted.fingerprints.get(stage)
            ]
        if len(same) > len(best):
            best = [jobs[stage] for stage in same]
        if len(best) == len(stages):
            break
    return best
