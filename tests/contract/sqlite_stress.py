"""A worker process for SQLite stress tests: claims, renews and settles until no job is left."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from tests.support.factories import a_submission
from towpath.errors import LeaseLost
from towpath.ledger.contract.ledger import ClaimRequest
from towpath.ledger.contract.settlements import Advance, Finish, Release, Settlement
from towpath.ledger.sql_ledger import SqlLedger
from towpath.ledger.sqlite.database import SqliteDatabase
from towpath.model.job import ClaimedJob

NEXT = {"extract": "chunk", "chunk": "publish", "publish": None}


@dataclass(slots=True)
class Report:
    """The claims, finished jobs and errors of one process."""

    claimed: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    finished: int = 0
    errors: list[str] = field(default_factory=list[str])


def run_stress_worker(file: Path, number: int, own_documents: int) -> Report:
    return asyncio.run(_run_stress_worker(file, number, own_documents))


async def _run_stress_worker(file: Path, number: int, own_documents: int) -> Report:
    report, rng = Report(), random.Random(number)
    ledger = SqlLedger(SqliteDatabase(file))
    try:
        for document in range(own_documents):
            await ledger.submit(a_submission(f"{number}/{document}"), datetime.now(UTC))
        while await _work(ledger, f"process {number}", rng, report):
            pass
    except Exception as error:  # reported by the parent process
        report.errors.append(repr(error))
    finally:
        ledger.close()
    return report


async def _work(ledger: SqlLedger, worker: str, rng: random.Random, report: Report) -> bool:
    """Run one round; False if no job is left."""
    jobs = await ledger.claim(
        ClaimRequest(worker, limit=rng.randint(1, 5), lease_seconds=60), datetime.now(UTC)
    )
    report.claimed += [(job.lease.job_id, job.lease.epoch) for job in jobs]
    held = ledger.heartbeat([job.lease for job in jobs], 60, datetime.now(UTC))
    if held != {job.lease.job_id for job in jobs}:
        report.errors.append("a heartbeat was refused")
    answers = await ledger.settle([_settle(job, rng) for job in jobs], datetime.now(UTC))
    report.errors += [str(answer) for answer in answers if isinstance(answer, LeaseLost)]
    report.finished += sum(job.stage == "publish" for job in jobs)
    await ledger.sweep(datetime.now(UTC))
    return bool(jobs) or await _unfinished(ledger)


def _settle(job: ClaimedJob, rng: random.Random) -> Settlement:
    following = NEXT[job.stage]
    if rng.random() < 0.1:
        return Release(job.lease)
    if following is None:
        return Finish(job.lease)
    return Advance(job.lease, following, 5, keep=False)


async def _unfinished(ledger: SqlLedger) -> bool:
    waiting: Sequence[object] = await ledger.database.run(
        lambda tx: tx.connection.exec_driver_sql(
            "select 1 from document_processing_jobs where status in ('PENDING', 'PROCESSING') limit 1"
        ).all(),
        read=True,
    )
    return bool(waiting)
