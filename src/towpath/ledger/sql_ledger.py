"""The ledger on SQLite or Postgres: implements the `Ledger` contract and runs the verbs in threads."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from sqlalchemy.exc import IntegrityError

from towpath.clock import Clock
from towpath.errors import DatabaseBusy, LeaseLost
from towpath.ledger.contract.ledger import (
    BusyWorker,
    ClaimRequest,
    PruneResult,
    RecoveryResult,
    RunPlan,
    Submission,
    Submitted,
    SweepResult,
    WorkerInfo,
)
from towpath.ledger.contract.provider_calls import CallAnswer, CallRequest, CallState
from towpath.ledger.contract.settlements import Settled, Settlement
from towpath.ledger.contract.throttling import ProviderThrottle
from towpath.ledger.database import Database, Transaction
from towpath.ledger.verbs import batch_limits, provider_calls, read_runs, submit, throttling, worker_registry
from towpath.ledger.verbs import claim as claiming
from towpath.ledger.verbs.cancel import cancel
from towpath.ledger.verbs.index_words import IndexedDocument, read_unindexed, write_indexed
from towpath.ledger.verbs.merge_words import read_merge, write_merged
from towpath.ledger.verbs.old_fulltext_index import drop_old_index, has_old_index
from towpath.ledger.verbs.prune import prune
from towpath.ledger.verbs.recover import recover
from towpath.ledger.verbs.replace_chunks import index_vectors
from towpath.ledger.verbs.reprocess import reprocess
from towpath.ledger.verbs.retry import retry, retry_many
from towpath.ledger.verbs.settle import ApplyWrite, is_single, settle
from towpath.ledger.verbs.sweep import sweep
from towpath.model.event import Event, EventKind
from towpath.model.job import ClaimedJob, DueJob, Job, JobStatus, Lease, Progress, WaitingReason
from towpath.model.json_types import Json
from towpath.model.run import Run
from towpath.text.word_index_segment import build_segment


def _no_writes(_tx: Transaction, _job_id: str, write: object) -> None:
    raise TypeError(f"This ledger does not know how to write {type(write).__name__}.")


class SqlLedger:
    """The ledger on a given database. ``apply_write`` writes what stages return with their results."""

    def __init__(
        self, database: Database, *, apply_write: ApplyWrite = _no_writes, clock: Clock | None = None
    ) -> None:
        #: Gives the time at which a settlement is committed; without it, that is the time given to the verb.
        self._clock = clock
        self.database = database
        self._apply_write = apply_write
        self._last_org = claiming.FIRST_ORG

    @property
    def lock_waits(self) -> int:
        return self.database.lock_waits

    async def submit(self, submission: Submission, now: datetime, *, notify: bool = False) -> Submitted:
        org = submission.document.org_id
        if submit.needs_one_statement(submission):
            submitted = await self.database.run(
                lambda tx: submit.submit_new(tx, submission, now, notify), single=True, org=org
            )
            if submitted is not None:
                return submitted
        return (await self.submit_many([submission], now, notify=notify))[0]

    async def submit_many(
        self, submissions: Sequence[Submission], now: datetime, *, notify: bool = False
    ) -> list[Submitted]:
        owners = {submission.document.org_id for submission in submissions}
        org = owners.pop() if len(owners) == 1 else None
        return await self.database.run(lambda tx: submit.submit(tx, submissions, now, notify), org=org)

    async def reprocess(
        self,
        document_id: str,
        plan: RunPlan,
        now: datetime,
        *,
        org_id: str,
        from_stage: str | None = None,
        fresh: bool = False,
        sealed_password: str | None = None,
    ) -> str:
        return await self.database.run(
            lambda tx: reprocess(tx, document_id, plan, org_id, now, from_stage, fresh, sealed_password),
            org=org_id,
        )

    async def claim(self, request: ClaimRequest, now: datetime) -> list[ClaimedJob]:
        org = request.org_id
        try:
            if org is not None:
                job_ids = await self.database.run(
                    lambda tx: claiming.due_in_organization(tx, request, org, now), read=True, org=org
                )
                request = replace(request, job_ids=job_ids)
            if request.job_ids is not None and not request.job_ids:
                return []
            jobs = await self.database.run(
                lambda tx: claiming.claim(tx, request, self._last_org, now), single=True, org=org
            )
        except IntegrityError as error:
            raise DatabaseBusy("Another worker started a run of the same document first.") from error
        if request.job_ids is None:
            self._last_org = jobs[-1].org_id if jobs else claiming.FIRST_ORG
        return jobs

    async def due_jobs(
        self, now: datetime, *, limit: int, stages: Sequence[str] | None = None, after_org: str | None = None
    ) -> list[DueJob]:
        after = after_org or claiming.FIRST_ORG
        return await self.database.run(
            lambda tx: claiming.due_jobs(tx, limit, stages, after, now), single=True, read=True
        )

    def heartbeat(self, leases: Sequence[Lease], lease_seconds: float, now: datetime) -> set[str]:
        until = now + timedelta(seconds=lease_seconds)
        return self.database.transact(lambda tx: claiming.heartbeat(tx, leases, until, now), single=True)

    async def progress(self, lease: Lease, progress: Progress, now: datetime) -> None:
        await self.database.run(lambda tx: claiming.progress(tx, lease, progress, now), single=True)

    async def postpone_deadline(self, lease: Lease, seconds: float) -> None:
        await self.database.run(lambda tx: claiming.postpone_deadline(tx, lease, seconds), single=True)

    async def add_event(self, lease: Lease, kind: EventKind, detail: Json, now: datetime) -> None:
        await self.database.run(lambda tx: claiming.add_event(tx, lease, kind, detail, now))

    async def write(self, lease: Lease, writes: Sequence[object]) -> None:
        def work(tx: Transaction) -> None:
            claiming.lock_leased_job(tx, lease)
            for write in writes:
                self._apply_write(tx, lease.job_id, write)

        await self.database.run(work)

    async def settle(
        self, settlements: Sequence[Settlement], now: datetime, *, lease_seconds: float = 30.0
    ) -> list[Settled | LeaseLost]:
        clock = self._clock.now if self._clock is not None else lambda: now
        return await self.database.run(
            lambda tx: settle(tx, settlements, clock, lease_seconds, self._apply_write),
            single=is_single(settlements),
        )

    async def sweep(
        self, now: datetime, *, limit: int = 100, dead_workers: Sequence[str] = ()
    ) -> SweepResult:
        return await self.database.run(lambda tx: sweep(tx, now, limit, dead_workers))

    async def busy_workers(self, *, except_for: str) -> list[BusyWorker]:
        return await self.database.run(
            lambda tx: worker_registry.busy(tx, except_for), single=True, read=True
        )

    async def recover(self, now: datetime, *, resume_runs: bool = True) -> RecoveryResult:
        return await self.database.run(lambda tx: recover(tx, now, resume_runs))

    async def index_vectors(self, limit: int) -> int:
        if self.database.dialect == "sqlite":
            return 0
        return await self.database.run(lambda tx: index_vectors(tx, limit), single=True)

    async def index_words(self) -> int:
        unindexed, has_old = await self.database.run(
            lambda tx: (read_unindexed(tx), has_old_index(tx)), read=True
        )
        by_org: dict[str, list[IndexedDocument]] = {}
        for item in unindexed:
            by_org.setdefault(item.org_id, []).append(item)
        for org_id, items in by_org.items():
            texts = [text for item in items for text in item.chunks]
            segment = await asyncio.to_thread(build_segment, texts)
            await self.database.run(lambda tx, o=org_id, i=items, s=segment: write_indexed(tx, o, i, s))
        if has_old and not unindexed:
            await self.database.run(drop_old_index)
        return len(unindexed)

    async def merge_words(self) -> bool:
        plan = await self.database.run(read_merge, read=True)
        if plan is None:
            return False
        merged = await asyncio.to_thread(plan.merge)
        return await self.database.run(lambda tx: write_merged(tx, plan, merged))

    async def prune(
        self, what: str, before: datetime, *, after: str | None = None, limit: int = 500
    ) -> PruneResult:
        return await self.database.run(lambda tx: prune(tx, what, before, after, limit))

    async def cancel(self, run_id: str, now: datetime, *, org_id: str) -> None:
        await self.database.run(lambda tx: cancel(tx, run_id, org_id, now), org=org_id)

    async def retry(self, job_id: str, now: datetime, *, org_id: str) -> str:
        return await self.database.run(lambda tx: retry(tx, job_id, org_id, now), org=org_id)

    async def retry_many(
        self,
        now: datetime,
        *,
        org_id: str,
        stage: str | None = None,
        error: str | None = None,
        job_ids: Sequence[str] | None = None,
        limit: int = 1000,
    ) -> list[str]:
        return await self.database.run(
            lambda tx: retry_many(tx, org_id, stage, error, job_ids, limit, now), org=org_id
        )

    async def begin_call(self, lease: Lease, request: CallRequest, now: datetime) -> CallState:
        return await self.database.run(lambda tx: provider_calls.begin(tx, lease, request, now))

    async def save_operation_id(self, lease: Lease, key: str, operation_id: str) -> None:
        await self.database.run(lambda tx: provider_calls.save_operation_id(tx, lease, key, operation_id))

    async def save_answer(self, lease: Lease, key: str, answer: CallAnswer, now: datetime) -> None:
        await self.database.run(lambda tx: provider_calls.save_answer(tx, lease, key, answer, now))

    async def fail_call(self, lease: Lease, key: str, error: str) -> None:
        await self.database.run(lambda tx: provider_calls.fail(tx, lease, key, error))

    async def answered_calls(self, org_id: str, keys: Sequence[str]) -> set[str]:
        return await self.database.run(
            lambda tx: provider_calls.answered(tx, org_id, keys), read=True, org=org_id
        )

    async def has_answer(self, org_id: str, key: str) -> bool:
        return await self.database.run(
            lambda tx: provider_calls.has_answer(tx, org_id, key), single=True, read=True
        )

    async def batch_limit(self, provider: str, endpoint: str, now: datetime) -> int | None:
        return await self.database.run(
            lambda tx: batch_limits.batch_limit(tx, provider, endpoint, now), read=True
        )

    async def save_batch_limit(self, provider: str, endpoint: str, inputs: int, now: datetime) -> None:
        await self.database.run(lambda tx: batch_limits.save_batch_limit(tx, provider, endpoint, inputs, now))

    async def published_vectors(
        self, document_id: str, model: str, *, org_id: str
    ) -> Mapping[str, Sequence[float]]:
        return await self.database.run(
            lambda tx: read_runs.published_vectors(tx, document_id, model, org_id), read=True
        )

    async def throttle_provider(
        self, provider: str, until: datetime, reason: WaitingReason, detail: str, now: datetime
    ) -> None:
        await self.database.run(
            lambda tx: throttling.throttle(tx, provider, until, reason, detail, now), single=True
        )

    async def resume_provider(self, provider: str, now: datetime, *, due: datetime) -> None:
        await self.database.run(lambda tx: throttling.resume(tx, provider, now, due))

    async def provider_throttle(
        self, provider: str, now: datetime, *, user: str | None = None
    ) -> ProviderThrottle:
        return await self.database.run(
            lambda tx: throttling.provider_throttle(tx, provider, user, now), read=user is None
        )

    async def release_share(self, user: str) -> None:
        await self.database.run(lambda tx: throttling.release_share(tx, user), single=True)

    async def register_worker(self, worker: WorkerInfo, now: datetime) -> None:
        await self.database.run(lambda tx: worker_registry.register(tx, worker, now), single=True)

    async def deregister_worker(self, worker_id: str) -> None:
        await self.database.run(lambda tx: worker_registry.deregister(tx, worker_id), single=True)

    async def job_of_worker(self, job_id: str, *, org_id: str) -> tuple[JobStatus, ClaimedJob]:
        return await self.database.run(
            lambda tx: read_runs.job_of_worker(tx, job_id, org_id), read=True, org=org_id
        )

    async def run(self, run_id: str, *, org_id: str) -> Run:
        return await self.database.run(lambda tx: read_runs.run(tx, run_id, org_id), read=True, org=org_id)

    async def runs(self, document_id: str, *, org_id: str) -> list[Run]:
        return await self.database.run(
            lambda tx: read_runs.runs(tx, document_id, org_id), read=True, org=org_id
        )

    async def jobs(self, run_id: str, *, org_id: str) -> list[Job]:
        return await self.database.run(lambda tx: read_runs.jobs(tx, run_id, org_id), read=True, org=org_id)

    async def events(self, run_id: str, *, org_id: str) -> list[Event]:
        return await self.database.run(lambda tx: read_runs.events(tx, run_id, org_id), read=True, org=org_id)

    def close(self) -> None:
        self.database.close()
