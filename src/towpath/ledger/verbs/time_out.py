"""time_out: ends runs past their deadline, and continues those that made progress by new runs.

A run made progress if it completed a stage, or if a provider call of it was answered: a batch of pages, a window of a
recording, a batch of vectors. The new run reuses both. It is queued in the same transaction, so the document stays
PROCESSING, and no failure is visible.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select

from towpath.ledger.columns import dump
from towpath.ledger.database import Transaction
from towpath.ledger.tables import document_processing_jobs, processing_runs, provider_calls
from towpath.ledger.verbs import read_runs
from towpath.ledger.verbs.end_runs import end_runs
from towpath.ledger.verbs.queue_run import has_unfinished_run, resume_run
from towpath.ledger.verbs.sealed_passwords import sealed_passwords
from towpath.ledger.verbs.webhook_events import queue_deliveries
from towpath.model.job import JobStatus
from towpath.model.run import RunReason, RunState

TIMED_OUT = (
    "Stopped after {seconds:.0f} s. Raise run_deadline_seconds "
    "(call_deadline_seconds for calls) to allow more time."
)

_runs, _jobs, _calls = processing_runs.c, document_processing_jobs.c, provider_calls.c


def time_out(tx: Transaction, overdue: list[str], now: datetime) -> tuple[int, int]:
    """End these runs; the number of ended runs, and of those that are continued by a new run."""
    continuing = _with_progress(tx, overdue)
    final = [run_id for run_id in overdue if run_id not in continuing]
    ended: list[str] = []
    for seconds, run_ids in _by_deadline(tx, final).items():
        ended += end_runs(tx, run_ids, RunState.TIMED_OUT, TIMED_OUT.format(seconds=seconds), now)
    # Ending a run erases its password; the run that continues it still has to read the file.
    passwords = sealed_passwords(tx, sorted(continuing))
    continued = (
        end_runs(tx, sorted(continuing), RunState.TIMED_OUT, None, now, dump({"continued": True}))
        if continuing
        else []
    )
    for run_id in continued:
        _continue(tx, run_id, continuing[run_id], now, passwords.get(run_id))
    queue_deliveries(tx, ended, now)
    return len(ended) + len(continued), len(continued)


def _by_deadline(tx: Transaction, run_ids: list[str]) -> dict[float, list[str]]:
    """The runs by the seconds that they were allowed to take."""
    groups: dict[float, list[str]] = {}
    query = select(_runs.id, _runs.deadline_seconds).where(_runs.id.in_(run_ids)).order_by(_runs.id)
    for row in tx.connection.execute(query) if run_ids else ():
        groups.setdefault(float(row.deadline_seconds or 0), []).append(str(row.id))
    return groups


def _with_progress(tx: Transaction, run_ids: list[str]) -> dict[str, str]:
    """The runs that are to be continued and made progress, with their organizations."""
    completed_stage = (
        select(_jobs.id)
        .where(
            _jobs.document_id == _runs.document_id,
            _jobs.run_id == _runs.id,
            _jobs.status == JobStatus.COMPLETED,
            _jobs.reused_from.is_(None),
        )
        .exists()
    )
    answered_call = (
        select(_calls.id)
        .where(
            _calls.document_id == _runs.document_id, _calls.run_id == _runs.id, _calls.status == "ANSWERED"
        )
        .exists()
    )
    query = select(_runs.id, _runs.org_id).where(
        _runs.id.in_(run_ids), _runs.continue_after_timeout, completed_stage | answered_call
    )
    return {str(row.id): str(row.org_id) for row in tx.connection.execute(query)}


def _continue(tx: Transaction, run_id: str, org_id: str, now: datetime, sealed_password: str | None) -> None:
    """Queue a run after one that has ended, unless another run of the document is queued: that one continues it."""
    run = read_runs.run(tx, run_id, org_id)
    if has_unfinished_run(tx, run.document_id):
        return
    jobs = [job for job in read_runs.jobs(tx, run_id, org_id) if not job.follow_up]
    last = next(job for job in jobs if job.status is JobStatus.CANCELLED)
    resume_run(
        tx,
        run,
        jobs,
        last,
        now,
        RunReason.CONTINUED,
        attempts=last.attempts,
        crashes=last.crashes,
        suspect=last.suspect,
        sealed_password=sealed_password,
    )
