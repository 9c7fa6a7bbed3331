"""The ledger: an async door in front of the verbs, the same for both engines."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy.exc import IntegrityError

from towpath.errors import DatabaseBusy, LeaseLost
from towpath.ledger.contract import (
    CallAnswer,
    CallRequest,
    CallState,
    Gate,
    Plan,
    Pruned,
    Recovered,
    Settled,
    Settlement,
    SignOfLife,
    Submission,
    Submitted,
    Swept,
)
from towpath.ledger.database import Database, Transaction
from towpath.ledger.verbs import calls, gates, reads, resume, signs, submit
from towpath.ledger.verbs import claim as claiming
from towpath.ledger.verbs.prune import prune
from towpath.ledger.verbs.settle import Apply, is_single, settle
from towpath.ledger.verbs.sweep import sweep
from towpath.model.work import Claimed, Event, EventKind, Job, Json, Lease, Run


def _no_writes(_tx: Transaction, _job_id: str, write: object) -> None:
    raise TypeError(f"This ledger does not know how to write {type(write).__name__}.")


class SqlLedger:
    """Keeps the contract on whichever database it is given."""

    def __init__(self, database: Database, *, apply: Apply = _no_writes) -> None:
        self.database = database
        self._apply = apply
        self._turn = claiming.FIRST_ORG

    async def submit(self, submission: Submission, now: datetime, *, ring: bool = False) -> Submitted:
        return (await self.submit_many([submission], now, ring=ring))[0]

    async def submit_many(
        self, submissions: Sequence[Submission], now: datetime, *, ring: bool = False
    ) -> list[Submitted]:
        owners = {submission.document.org_id for submission in submissions}
        org = owners.pop() if len(owners) == 1 else None
        return await self.database.run(lambda tx: submit.submit(tx, submissions, now, ring), org=org)

    async def reprocess(
        self,
        document_id: str,
        plan: Plan,
        now: datetime,
        *,
        org_id: str,
        from_stage: str | None = None,
        fresh: bool = False,
    ) -> str:
        return await self.database.run(
            lambda tx: resume.reprocess(tx, document_id, plan, org_id, now, from_stage, fresh), org=org_id
        )

    async def claim(
        self,
        worker: str,
        *,
        limit: int,
        lease_seconds: float,
        now: datetime,
        stages: Sequence[str] | None = None,
    ) -> list[Claimed]:
        try:
            found = await self.database.run(
                lambda tx: claiming.claim(
                    tx,
                    worker,
                    after=self._turn,
                    limit=limit,
                    lease_seconds=lease_seconds,
                    now=now,
                    stages=stages,
                ),
                single=True,
            )
        except IntegrityError as error:
            raise DatabaseBusy("Another worker started a run of the same document first.") from error
        self._turn = found[-1].org_id if found else claiming.FIRST_ORG
        return found

    def heartbeat(self, leases: Sequence[Lease], lease_seconds: float, now: datetime) -> set[str]:
        until = now + timedelta(seconds=lease_seconds)
        return self.database.transact(lambda tx: claiming.heartbeat(tx, leases, until, now), single=True)

    async def progress(self, lease: Lease, done: int, total: int, now: datetime) -> None:
        await self.database.run(lambda tx: claiming.progress(tx, lease, done, total, now), single=True)

    async def note(self, lease: Lease, kind: EventKind, detail: Json, now: datetime) -> None:
        await self.database.run(lambda tx: claiming.note(tx, lease, kind, detail, now))

    async def write(self, lease: Lease, writes: Sequence[object]) -> None:
        def work(tx: Transaction) -> None:
            claiming.fenced(tx, lease)
            for write in writes:
                self._apply(tx, lease.job_id, write)

        await self.database.run(work)

    async def settle(
        self, settlements: Sequence[Settlement], now: datetime, *, lease_seconds: float = 30.0
    ) -> list[Settled | LeaseLost]:
        return await self.database.run(
            lambda tx: settle(tx, settlements, now, lease_seconds, self._apply),
            single=is_single(settlements),
        )

    async def sweep(self, now: datetime, *, limit: int = 100, max_crashes: int = 2) -> Swept:
        return await self.database.run(lambda tx: sweep(tx, now, limit, max_crashes))

    async def recover(self, now: datetime, *, resume_runs: bool = True, max_crashes: int = 2) -> Recovered:
        return await self.database.run(lambda tx: resume.recover(tx, now, resume_runs, max_crashes))

    async def prune(
        self, what: str, before: datetime, *, after: str | None = None, limit: int = 500
    ) -> Pruned:
        return await self.database.run(lambda tx: prune(tx, what, before, after, limit))

    async def cancel(self, run_id: str, now: datetime, *, org_id: str) -> None:
        await self.database.run(lambda tx: resume.cancel(tx, run_id, org_id, now), org=org_id)

    async def retry(self, job_id: str, now: datetime, *, org_id: str) -> str:
        return await self.database.run(lambda tx: resume.retry(tx, job_id, org_id, now), org=org_id)

    async def retry_many(
        self,
        now: datetime,
        *,
        org_id: str,
        stage: str | None = None,
        error: str | None = None,
        limit: int = 1000,
    ) -> list[str]:
        return await self.database.run(
            lambda tx: resume.retry_many(tx, org_id, stage, error, limit, now), org=org_id
        )

    async def call_begin(self, lease: Lease, request: CallRequest, now: datetime) -> CallState:
        return await self.database.run(lambda tx: calls.begin(tx, lease, request, now))

    async def call_operation(self, lease: Lease, key: str, operation_id: str) -> None:
        await self.database.run(lambda tx: calls.operation(tx, lease, key, operation_id))

    async def call_answer(self, lease: Lease, key: str, answer: CallAnswer, now: datetime) -> None:
        await self.database.run(lambda tx: calls.answer(tx, lease, key, answer, now))

    async def call_failed(self, lease: Lease, key: str, error: str) -> None:
        await self.database.run(lambda tx: calls.failed(tx, lease, key, error))

    async def close_gate(self, provider: str, until: datetime, reason: str, now: datetime) -> None:
        await self.database.run(lambda tx: gates.close(tx, provider, until, reason, now), single=True)

    async def open_gate(self, provider: str, now: datetime, *, due: datetime) -> None:
        await self.database.run(lambda tx: gates.open_again(tx, provider, now, due))

    async def gate(self, provider: str, now: datetime, *, user: str | None = None) -> Gate:
        return await self.database.run(lambda tx: gates.look(tx, provider, user, now), read=user is None)

    async def leave_gates(self, user: str) -> None:
        await self.database.run(lambda tx: gates.leave(tx, user), single=True)

    async def sign(self, worker: SignOfLife, now: datetime) -> None:
        await self.database.run(lambda tx: signs.sign(tx, worker, now), single=True)

    async def leave(self, worker_id: str) -> None:
        await self.database.run(lambda tx: signs.leave(tx, worker_id), single=True)

    async def run(self, run_id: str, *, org_id: str) -> Run:
        return await self.database.run(lambda tx: reads.run(tx, run_id, org_id), read=True, org=org_id)

    async def runs(self, document_id: str, *, org_id: str) -> list[Run]:
        return await self.database.run(lambda tx: reads.runs(tx, document_id, org_id), read=True, org=org_id)

    async def jobs(self, run_id: str, *, org_id: str) -> list[Job]:
        return await self.database.run(lambda tx: reads.jobs(tx, run_id, org_id), read=True, org=org_id)

    async def events(self, run_id: str, *, org_id: str) -> list[Event]:
        return await self.database.run(lambda tx: reads.events(tx, run_id, org_id), read=True, org=org_id)

    def close(self) -> None:
        self.database.close()
