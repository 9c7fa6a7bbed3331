"""Writes the log lines and trace spans of a worker's jobs."""

from __future__ import annotations

import logging
from contextlib import AbstractContextManager

from towpath import tracing
from towpath.errors import LeaseLost
from towpath.ledger.contract.settlements import Advance, Finish, Settled, Settlement
from towpath.model.job import ClaimedJob

log = logging.getLogger("towpath.worker")


def log_lease_lost(job: ClaimedJob) -> None:
    log.info("the lease is lost: stage %s of run %s stops without writing", job.stage, job.run_id)


def job_log_context(job: ClaimedJob) -> AbstractContextManager[None]:
    """Log records inside the context carry the ids of the job."""
    return tracing.StageLogFields(
        run_id=job.run_id, document_id=job.document_id, org_id=job.org_id, stage=job.stage
    )


def job_context(job: ClaimedJob) -> AbstractContextManager[None]:
    """The same, and a span of the stage."""
    return tracing.stage_span(
        run_id=job.run_id,
        document_id=job.document_id,
        org_id=job.org_id,
        stage=job.stage,
        job_id=job.lease.job_id,
        epoch=job.lease.epoch,
    )


def log_completed_stage(job: ClaimedJob, settlement: Settlement, settled: Settled | LeaseLost) -> None:
    """Log each finished stage with the provider calls that it made and the cached answers that it reused."""
    if isinstance(settled, LeaseLost) or not isinstance(settlement, Advance | Finish):
        return
    if isinstance(settlement, Finish) and not job.follow_up:
        tracing.record_run(job.run_id, job.document_id, settled.status)
    if log.isEnabledFor(logging.INFO):
        calls = settlement.result.get("calls") or {"made": 0, "reused": 0}
        attempts = f", after {job.attempts} attempts" if job.attempts else ""
        log.info("stage %s of run %s is done: calls %s%s", job.stage, job.run_id, calls, attempts)


def log_resumed(job: ClaimedJob) -> None:
    if job.results and not job.follow_up:
        log.info(
            "run %s resumes at stage %s; finished before: %s", job.run_id, job.stage, ", ".join(job.results)
        )
