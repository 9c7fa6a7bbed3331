"""Serves jobs to workers that speak HTTP: claims, leases, provider calls and settlements of one organization.

The worker proves its lease by the job's id and epoch, and the ledger refuses every write of another epoch. The
organization and the stage of a job never change, so they are checked before the write.
"""

from __future__ import annotations

import asyncio
import base64
import logging
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import cast

from towpath.clock import Clock
from towpath.errors import AccountRefused, DatabaseBusy, LeaseLost, NotFound, Throttled, TowpathError
from towpath.ledger.contract.ledger import ClaimRequest, Ledger, WorkerInfo
from towpath.ledger.contract.provider_calls import CallAnswer, CallCached, CallRequest, CallReserved
from towpath.ledger.contract.settlements import Fail, Release, Settled, Settlement
from towpath.model.event import EventKind
from towpath.model.job import ClaimedJob, JobStatus, Lease, Progress
from towpath.model.job_payload import is_forced
from towpath.model.json_types import Json
from towpath.model.outcome import Done, Outcome, Suspend
from towpath.model.provider_answer import Answer
from towpath.model.run import FailureType
from towpath.model.writes import KeepArtifact
from towpath.stages.contract import ProviderCall, SuspendStage
from towpath.worker.executor import Executor
from towpath.worker.provider_calls import INLINE_BYTES, LargeAnswerStore, call_key
from towpath.worker.provider_limiter import ProviderLimiter
from towpath.worker_protocol.contract import (
    OWN_STAGES,
    CallBegun,
    CallFailure,
    Failed,
    LeaseId,
    Released,
    RemoteClaim,
    RemoteWorker,
    StageForbidden,
)
from towpath.worker_protocol.job_keys import find_forbidden_key

log = logging.getLogger(__name__)

#: Pause between two looks for due jobs while a claim waits.
LOOK_SECONDS = 0.5
#: A job whose leases expired this often is given up: it seems to end its workers.
MAX_EXPIRED_LEASES = 5
#: All organizations wait for a throttled provider, so the report of one worker holds no longer.
MAX_REPORTED_RETRY_AFTER = 600.0
#: How often the row of a worker that claims is refreshed.
REGISTER_SECONDS = 20.0


class RemoteStageError(TowpathError):
    """The error that a worker reported about an attempt."""


class RemoteJobService:
    """Implements `worker_protocol.contract.RemoteJobs`."""

    def __init__(
        self,
        ledger: Ledger,
        ledger_of: Callable[[str], Ledger],
        executor: Executor,
        answers: LargeAnswerStore,
        limiter: ProviderLimiter,
        notify: Callable[[], None],
        clock: Clock,
        lease_seconds: float,
        shared_settings: Json,
    ) -> None:
        """``ledger_of`` returns the ledger that sees the rows of one organization only."""
        self._ledger = ledger
        self._ledger_of = ledger_of
        self._executor = executor
        self._answers = answers
        self._limiter = limiter
        self._notify = notify
        self._clock = clock
        self.lease_seconds = lease_seconds
        self._shared_settings = shared_settings
        #: When each worker was last registered, by its name, and when it was first seen.
        self._registered: dict[str, tuple[float, datetime]] = {}

    async def claim(self, worker: RemoteWorker, request: RemoteClaim) -> list[ClaimedJob]:
        for stage in request.stages:
            _require_stage(worker, stage)
        ledger = self._ledger_of(worker.org_id)
        await self._register(request)
        deadline = time.monotonic() + request.wait_seconds
        while True:
            jobs = await self._claim_once(ledger, worker, request)
            if jobs or time.monotonic() >= deadline:
                return jobs
            await asyncio.sleep(min(LOOK_SECONDS, max(0.0, deadline - time.monotonic())))

    async def _claim_once(
        self, ledger: Ledger, worker: RemoteWorker, request: RemoteClaim
    ) -> list[ClaimedJob]:
        try:
            jobs = await ledger.claim(
                ClaimRequest(
                    request.name,
                    limit=request.limit,
                    lease_seconds=request.lease_seconds or self.lease_seconds,
                    stages=tuple(request.stages),
                    job_ids=request.job_ids,
                    org_id=worker.org_id,
                ),
                self._clock.now(),
            )
        except DatabaseBusy:
            # Another worker took the same jobs at the same moment.
            return []
        return [job for job in jobs if not (job.suspect and await self._is_given_up(ledger, job))]

    async def _is_given_up(self, ledger: Ledger, job: ClaimedJob) -> bool:
        """Fail a job whose workers stopped responding again and again; whether that was done."""
        events = await ledger.events(job.run_id, org_id=job.org_id)
        expired = sum(
            event.kind is EventKind.LEASE_EXPIRED and event.job_id == job.lease.job_id for event in events
        )
        if expired < MAX_EXPIRED_LEASES:
            return False
        error = f"The workers of the stage {job.stage} stopped responding {expired} times while they had this job."
        fail = Fail(job.lease, error, self._clock.now(), final=True, failure_type=FailureType.QUARANTINED)
        await ledger.settle([fail], self._clock.now())
        log.warning("job %s is given up: %s", job.lease.job_id, error)
        return True

    async def heartbeat(self, worker: RemoteWorker, lease: LeaseId, lease_seconds: float | None) -> datetime:
        held = await self._lease(worker, lease)
        seconds = lease_seconds or self.lease_seconds
        now = self._clock.now()
        ledger = self._ledger_of(worker.org_id)
        if lease.job_id not in await asyncio.to_thread(ledger.heartbeat, [held], seconds, now):
            raise _lost(lease)
        return now + timedelta(seconds=seconds)

    async def progress(self, worker: RemoteWorker, lease: LeaseId, progress: Progress) -> None:
        held = await self._lease(worker, lease)
        await self._ledger_of(worker.org_id).progress(held, progress, self._clock.now())

    async def leased_job(self, worker: RemoteWorker, lease: LeaseId) -> ClaimedJob:
        status, job = await self._job(worker, lease)
        if status is not JobStatus.PROCESSING or job.lease.epoch != lease.epoch:
            raise _lost(lease)
        return job

    async def keep_artifact(self, worker: RemoteWorker, lease: LeaseId, artifact: KeepArtifact) -> None:
        held = await self._lease(worker, lease)
        await self._ledger_of(worker.org_id).write(held, [artifact])

    async def begin_call(self, worker: RemoteWorker, lease: LeaseId, call: ProviderCall) -> CallBegun:
        job = await self.leased_job(worker, lease)
        ledger = self._ledger_of(worker.org_id)
        key = call_key(call, str(job.options.get("salt", "")))
        state = await ledger.begin_call(
            job.lease, CallRequest(key, call.provider, call.model), self._clock.now()
        )
        if isinstance(state, CallCached):
            return CallBegun(key, state, await self._cached(worker.org_id, state))
        if isinstance(state, CallReserved):
            try:
                await self._limiter.allow(call.provider, tokens=call.tokens, forced=is_forced(job.payload))
            except SuspendStage as suspended:
                await ledger.fail_call(job.lease, key, f"not made yet: {suspended}")
                return CallBegun(key, suspended.suspend)
        return CallBegun(key, state)

    async def save_operation_id(
        self, worker: RemoteWorker, lease: LeaseId, key: str, operation_id: str
    ) -> None:
        held = await self._lease(worker, lease)
        await self._ledger_of(worker.org_id).save_operation_id(held, key, operation_id)

    async def save_answer(self, worker: RemoteWorker, lease: LeaseId, key: str, answer: Answer) -> None:
        job = await self.leased_job(worker, lease)
        inline = artifact = None
        if len(answer.body) <= INLINE_BYTES:
            inline = {"base64": base64.b64encode(answer.body).decode()}
        else:
            artifact = await self._answers.put(worker.org_id, f"answers/{key}", answer.body)
        stored = CallAnswer(inline, artifact, answer.units, answer.cost)
        await self._ledger_of(worker.org_id).save_answer(job.lease, key, stored, self._clock.now())

    async def fail_call(
        self, worker: RemoteWorker, lease: LeaseId, key: str, failure: CallFailure
    ) -> Suspend | None:
        job = await self.leased_job(worker, lease)
        if not failure.answer_lost:
            # One that may be billed stays reserved, so that the next try is counted as a repetition.
            await self._ledger_of(worker.org_id).fail_call(job.lease, key, failure.error)
        if failure.provider is None or not (failure.throttled or failure.refused):
            return None
        retry_after = (
            None if failure.retry_after is None else min(failure.retry_after, MAX_REPORTED_RETRY_AFTER)
        )
        error = Throttled(failure.error, retry_after) if failure.throttled else AccountRefused(failure.error)
        try:
            await self._limiter.report(failure.provider, error)
        except SuspendStage as suspended:
            return suspended.suspend
        except (Throttled, AccountRefused):
            return None
        return None

    async def settle(
        self, worker: RemoteWorker, lease: LeaseId, outcome: Outcome | Failed | Released
    ) -> Settled:
        # The status is not checked here: the ledger acknowledges a settlement that was stored before.
        _, job = await self._job(worker, lease)
        _require_own_blobs(job, outcome)
        held = replace(job, lease=replace(job.lease, epoch=lease.epoch))
        (answer,) = await self._ledger_of(worker.org_id).settle(
            [self._settlement(held, outcome)], self._clock.now()
        )
        if isinstance(answer, LeaseLost):
            raise answer
        self._notify()
        return answer

    def _settlement(self, job: ClaimedJob, outcome: Outcome | Failed | Released) -> Settlement:
        match outcome:
            case Released():
                return Release(job.lease)
            case Failed(error=error, retry_after=retry_after):
                failed = self._executor.failed(job, RemoteStageError(error))
                if retry_after is None:
                    return failed
                return replace(failed, retry_at=self._clock.now() + timedelta(seconds=retry_after))
            case _:
                return self._executor.settlement(job, outcome, keep=lambda _stage: False, answered=False)

    async def _job(self, worker: RemoteWorker, lease: LeaseId) -> tuple[JobStatus, ClaimedJob]:
        """The job, if it belongs to the worker's organization and to a stage that its key allows."""
        status, job = await self._ledger_of(worker.org_id).job_of_worker(lease.job_id, org_id=worker.org_id)
        _require_stage(worker, job.stage)
        return status, job

    async def _lease(self, worker: RemoteWorker, lease: LeaseId) -> Lease:
        return (await self.leased_job(worker, lease)).lease

    async def _cached(self, org_id: str, state: CallCached) -> Answer:
        if state.artifact is not None:
            return Answer(await self._answers.get(org_id, state.artifact), blob_key=state.artifact)
        return Answer(base64.b64decode(cast("str", (state.answer or {})["base64"])))

    async def _register(self, request: RemoteClaim) -> None:
        """Show the worker among the others. It is not needed for its work, so an error is only logged."""
        now, wall = time.monotonic(), self._clock.now()
        registered_at, since = self._registered.get(request.name, (0.0, wall))
        if registered_at and now - registered_at < REGISTER_SECONDS:
            return
        if len(self._registered) > 1000:
            self._registered.clear()
        self._registered[request.name] = (now, since)
        info = WorkerInfo(
            request.name, "http", 0, request.limit, tuple(request.stages), since, self._shared_settings
        )
        try:
            await self._ledger.register_worker(info, wall)
        except Exception as error:
            log.warning("the worker %s could not be registered: %s", request.name, type(error).__name__)


def _require_stage(worker: RemoteWorker, stage: str) -> None:
    if stage in OWN_STAGES:
        raise StageForbidden(f"Jobs of the stage {stage} are served by Towpath's own workers only.")
    if worker.stages is not None and stage not in worker.stages:
        allowed = ", ".join(sorted(worker.stages))
        raise StageForbidden(f"This API key may not claim jobs of the stage {stage}, only of: {allowed}.")


def _require_own_blobs(job: ClaimedJob, outcome: Outcome | Failed | Released) -> None:
    """Refuse a result that names a blob of another document or organization: a later stage would read it."""
    match outcome:
        case Done(result=named) | Suspend(payload=named):
            if (key := find_forbidden_key(job, named)) is not None:
                raise NotFound(f"The job has no input or artifact with the key {key}.")
        case _:
            return


def _lost(lease: LeaseId) -> LeaseLost:
    return LeaseLost(f"Job {lease.job_id} is no longer held with epoch {lease.epoch}.")
