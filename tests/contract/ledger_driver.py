"""LedgerDriver: calls the ledger's verbs with short arguments, for contract tests."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select, text

from tests.support.databases import EngineUnderTest
from tests.support.factories import a_plan, a_submission
from towpath.clock import ManualClock
from towpath.errors import LeaseLost
from towpath.ledger.contract.ledger import ClaimRequest, RunPlan, Submitted
from towpath.ledger.contract.settlements import Advance, Fail, Finish, Release, Settled, Settlement, Suspended
from towpath.ledger.database import Rows
from towpath.ledger.tables import (
    document_processing_jobs,
    documents,
    processing_runs,
    provider_calls,
    run_events,
)
from towpath.model.event import Event
from towpath.model.ids import DEFAULT_ORG_ID
from towpath.model.job import ClaimedJob, Job, Lease, WaitingReason
from towpath.model.json_types import Json
from towpath.model.run import FailureType, Run

LEASE_SECONDS = 30.0

Contents = dict[str, list[tuple[Any, ...]]]


class LedgerDriver:
    """A ledger on an empty database with a manual clock."""

    def __init__(self, engine: EngineUnderTest, clock: ManualClock) -> None:
        self.engine = engine
        self.ledger = engine.ledger
        self.database = engine.database
        self.clock = clock

    @property
    def now(self) -> datetime:
        return self.clock.now()

    def later(self, seconds: float) -> datetime:
        return self.now + timedelta(seconds=seconds)

    async def submit(
        self,
        content: str | None = None,
        *,
        org_id: str = DEFAULT_ORG_ID,
        plan: RunPlan | None = None,
        **planned: Any,
    ) -> Submitted:
        """Submit a document; ``planned`` are arguments of its plan."""
        run_plan = plan or a_plan(**planned)
        return await self.ledger.submit(a_submission(content, org_id=org_id, plan=run_plan), self.now)

    async def submitted_run(self, content: str | None = None, **planned: Any) -> str:
        run_id = (await self.submit(content, **planned)).run_id
        assert run_id is not None
        return run_id

    async def reprocess(self, document_id: str, plan: RunPlan | None = None, **how: Any) -> str:
        return await self.ledger.reprocess(
            document_id, plan or a_plan(), self.now, org_id=DEFAULT_ORG_ID, **how
        )

    async def claim(
        self, worker: str = "anna", *, limit: int = 10, stages: Sequence[str] | None = None
    ) -> list[ClaimedJob]:
        return await self.ledger.claim(ClaimRequest(worker, limit, LEASE_SECONDS, stages), self.now)

    async def claim_one(self, worker: str = "anna") -> ClaimedJob:
        jobs = await self.claim(worker, limit=1)
        assert jobs, "there was no job to claim"
        return jobs[0]

    async def settle(self, settlement: Settlement) -> Settled:
        """Send one settlement, which must be accepted."""
        answer = await self.try_settle(settlement)
        assert isinstance(answer, Settled), answer
        return answer

    async def try_settle(self, settlement: Settlement) -> Settled | LeaseLost:
        return (await self.ledger.settle([settlement], self.now, lease_seconds=LEASE_SECONDS))[0]

    async def advance(
        self, lease: Lease, next_stage: str = "chunk", *, keep: bool = True, **rest: Any
    ) -> Settled:
        return await self.settle(Advance(lease, next_stage, 5, keep=keep, **rest))

    async def finish(self, lease: Lease, *, follow_ups: tuple[str, ...] = ()) -> Settled:
        return await self.settle(Finish(lease, follow_ups=follow_ups))

    async def fail(self, lease: Lease, *, final: bool = False, wait: float = 0.0) -> Settled:
        return await self.settle(Fail(lease, "it broke", self.later(wait), final=final))

    async def suspend(self, lease: Lease, *, wait: float = 60.0, payload: Json | None = None) -> Settled:
        return await self.settle(
            Suspended(lease, self.later(wait), WaitingReason.PROVIDER_OPERATION, "openai", payload=payload)
        )

    async def release(self, lease: Lease) -> Settled:
        return await self.settle(Release(lease))

    async def crash(self, lease: Lease, *, max_crashes: int = 2) -> Settled:
        """Settle a job that ended the process in which it ran alone."""
        return await self.settle(
            Fail(
                lease,
                "The child process was ended by SIGSEGV.",
                self.now,
                failure_type=FailureType.QUARANTINED,
                crashed=True,
                max_crashes=max_crashes,
            )
        )

    async def rescue(self) -> None:
        """Advance the clock past every lease, and sweep."""
        self.clock.advance(LEASE_SECONDS + 1)
        await self.ledger.sweep(self.now)

    async def run(self, run_id: str, org_id: str = DEFAULT_ORG_ID) -> Run:
        return await self.ledger.run(run_id, org_id=org_id)

    async def runs(self, document_id: str) -> list[Run]:
        return await self.ledger.runs(document_id, org_id=DEFAULT_ORG_ID)

    async def states(self, document_id: str) -> list[str]:
        """The states of a document's runs, oldest first."""
        return [str(run.state) for run in await self.runs(document_id)]

    async def jobs(self, run_id: str) -> list[Job]:
        return await self.ledger.jobs(run_id, org_id=DEFAULT_ORG_ID)

    async def last_job(self, run_id: str) -> Job:
        return (await self.jobs(run_id))[-1]

    async def job(self, claimed: ClaimedJob | Lease, run_id: str | None = None) -> Job:
        lease = claimed.lease if isinstance(claimed, ClaimedJob) else claimed
        owner = claimed.run_id if isinstance(claimed, ClaimedJob) else run_id
        assert owner is not None
        return next(job for job in await self.jobs(owner) if job.id == lease.job_id)

    async def events(self, run_id: str) -> list[Event]:
        return await self.ledger.events(run_id, org_id=DEFAULT_ORG_ID)

    def document_status(self, document_id: str) -> str:
        query = select(documents.c.status).where(documents.c.id == document_id)
        return str(self.database.transact(lambda tx: tx.connection.execute(query).scalar_one()))

    def sql(self, statement: str, **parameters: object) -> Rows:
        """Run a SQL statement directly."""

        def work(tx: Any) -> Rows:
            answer = tx.connection.execute(text(statement), parameters)
            return answer.all() if answer.returns_rows else ()

        return self.database.transact(work)

    def contents(self) -> Contents:
        """All rows of documents, runs, jobs, events and calls, to prove that nothing changed."""
        tables = (documents, processing_runs, document_processing_jobs, run_events, provider_calls)

        def read(tx: Any) -> Contents:
            return {
                table.name: [tuple(row) for row in tx.connection.execute(select(table).order_by(table.c.id))]
                for table in tables
            }

        return self.database.transact(read, read=True)
