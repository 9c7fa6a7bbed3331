"""What a worker says about its jobs, in its log and in traces."""

from __future__ import annotations

import logging
from contextlib import AbstractContextManager

from towpath import tracing
from towpath.errors import LeaseLost
from towpath.ledger.contract import Advance, Finish, Settled, Settlement
from towpath.model.work import Claimed

log = logging.getLogger("towpath.worker")


def say_lost(job: Claimed) -> None:
    log.info("the lease is lost: job %s of run %s is left alone", job.stage, job.run_id)


def about(job: Claimed) -> AbstractContextManager[None]:
    return tracing.stage_of(
        run_id=job.run_id,
        document_id=job.document_id,
        org_id=job.org_id,
        stage=job.stage,
        job_id=job.lease.job_id,
        epoch=job.lease.epoch,
    )


def say_settled(job: Claimed, settlement: Settlement, settled: Settled | LeaseLost) -> None:
    """A line for each finished stage: what it reused tells what a crash did not cost."""
    if isinstance(settled, LeaseLost) or not isinstance(settlement, Advance | Finish):
        return
    if isinstance(settlement, Finish) and not job.follow_up:
        tracing.run_ended(job.run_id, job.document_id, settled.status)
    if log.isEnabledFor(logging.INFO):
        calls = settlement.result.get("calls") or {"made": 0, "reused": 0}
        again = f", after {job.attempts} attempts" if job.attempts else ""
        log.info("stage %s of run %s is done: calls %s%s", job.stage, job.run_id, calls, again)


def say_resumed(job: Claimed) -> None:
    if job.known and not job.follow_up:
        log.info("run %s goes on with %s; finished before: %s", job.run_id, job.stage, ", ".join(job.known))
