"""Runs the stage of one job and converts its outcome or exception into a settlement."""

from __future__ import annotations

import asyncio
import logging
import random
import traceback
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from towpath.clock import Clock
from towpath.errors import LeaseLost, Refused, Rejected, StorageUnavailable, Throttled, WorkerStopping
from towpath.ledger.contract.ledger import Ledger
from towpath.ledger.contract.settlements import Advance, Fail, Finish, Release, Settlement, Suspended
from towpath.ledger.error_codes import error_code, error_text
from towpath.lifecycle.backoff import retry_at
from towpath.model.answer import Answer, Pending
from towpath.model.job import ClaimedJob, Progress, ProgressUnit, WaitingReason
from towpath.model.json_types import Json
from towpath.model.outcome import Done, Outcome, Reject, Suspend
from towpath.model.payload import as_waiting, is_forced
from towpath.model.run import FailureType
from towpath.model.run_policy import RunPolicy, read_policy
from towpath.model.writes import Write
from towpath.pipelines.labels import stage_label
from towpath.pipelines.pipeline import Pipeline, StageEntry
from towpath.stages.contract import MAX_OPERATION_SECONDS, ProviderCall, SuspendStage
from towpath.worker.heartbeat import HeldLease
from towpath.worker.process_pool import ChildCrashed, ChildKilled
from towpath.worker.provider_calls import AnswerStore, ProviderCallCache
from towpath.worker.provider_limiter import ProviderLimiter
from towpath.worker.provider_patience import ProviderPatience

log = logging.getLogger(__name__)

#: Minimum time between two progress writes of one job, in seconds.
PROGRESS_INTERVAL = 0.5


@dataclass(slots=True)
class JobContext:
    """The Context of a running job. Every method that writes or calls a provider checks the lease first."""

    job: ClaimedJob
    held: HeldLease
    ledger: Ledger
    clock: Clock
    provider_calls: ProviderCallCache
    _next_progress: float = 0.0

    @property
    def org_id(self) -> str:
        return self.job.org_id

    @property
    def document_id(self) -> str:
        return self.job.document_id

    @property
    def run_id(self) -> str:
        return self.job.run_id

    @property
    def stage(self) -> str:
        return self.job.stage

    @property
    def payload(self) -> Json:
        return self.job.payload

    @property
    def options(self) -> Json:
        return self.job.options

    @property
    def results(self) -> Mapping[str, Json]:
        return self.job.results

    @property
    def last_attempt(self) -> bool:
        return self.job.attempts + 1 >= self.job.max_attempts

    def now(self) -> datetime:
        return self.clock.now()

    def check_lease(self) -> None:
        self.held.check()

    async def progress(self, done: int, total: int, unit: ProgressUnit) -> None:
        self.held.check()
        now = asyncio.get_running_loop().time()
        if now < self._next_progress and done < total:
            return
        self._next_progress = now + PROGRESS_INTERVAL
        await self.ledger.progress(self.held.lease, Progress(done, total, unit), self.clock.now())

    async def write(self, *writes: Write) -> None:
        self.held.check()
        await self.ledger.write(self.held.lease, writes)

    async def call_once(self, call: ProviderCall, make: Callable[[], Awaitable[Answer]]) -> Answer:
        return await self.provider_calls.call_once(call, make)

    async def answered(self, calls: Sequence[ProviderCall]) -> list[bool]:
        return await self.provider_calls.answered(calls)

    async def batch_limit(self, provider: str, endpoint: str) -> int | None:
        return await self.ledger.batch_limit(provider, endpoint, self.clock.now())

    async def save_batch_limit(self, provider: str, endpoint: str, inputs: int) -> None:
        self.held.check()
        await self.ledger.save_batch_limit(provider, endpoint, inputs, self.clock.now())

    async def start_once(self, call: ProviderCall, start: Callable[[], Awaitable[str]]) -> str | None:
        return await self.provider_calls.start_once(call, start)

    async def run_operation(
        self,
        call: ProviderCall,
        start: Callable[[], Awaitable[str]],
        poll: Callable[[str], Awaitable[Pending | Answer]],
        *,
        max_seconds: float | None = MAX_OPERATION_SECONDS,
    ) -> Answer:
        return await self.provider_calls.run_operation(call, start, poll, max_seconds)


#: Suspensions before any call to the provider: a retry that a person asked for is still to be made.
BEFORE_THE_CALL = frozenset(
    {WaitingReason.PROVIDER_LIMIT, WaitingReason.SAME_CALL_ELSEWHERE, WaitingReason.STORAGE}
)


def _suspended_payload(job: ClaimedJob, suspend: Suspend) -> Json | None:
    """The new payload of a suspended job; None leaves it unchanged."""
    if suspend.payload is None and not is_forced(job.payload):
        return None
    if suspend.reason in BEFORE_THE_CALL:
        return suspend.payload
    return as_waiting(job.payload if suspend.payload is None else suspend.payload)


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often a stage is attempted, and how long a failed job waits."""

    max_attempts: int = 5
    #: A job that crashes this many times while it runs alone in a process is quarantined.
    max_crashes: int = 2
    backoff_scale: float = 1.0
    #: Seconds until a job is tried again when the blob storage did not answer.
    storage_retry_seconds: float = 15.0
    #: Whether the wait is exactly the backoff, or a random time between its half and the whole.
    fixed_backoff: bool = False
    patience: ProviderPatience = field(default_factory=ProviderPatience)

    def of_run(self, stored: Json) -> RetryPolicy:
        """This policy with what the run was promised; the values here hold for runs of earlier versions only."""
        if not stored:
            return self
        promised = read_policy(
            stored,
            RunPolicy(
                max_attempts=self.max_attempts,
                backoff="fixed" if self.fixed_backoff else "jitter",
                backoff_scale=self.backoff_scale,
                provider_patience_seconds=self.patience.seconds,
                patience_by_provider=self.patience.by_provider,
            ),
        )
        return replace(
            self,
            max_attempts=promised.max_attempts,
            fixed_backoff=promised.backoff == "fixed",
            backoff_scale=promised.backoff_scale,
            patience=ProviderPatience(promised.provider_patience_seconds, promised.patience_by_provider),
        )


class Executor:
    """Runs the stages of the pipelines and returns settlements."""

    def __init__(
        self,
        ledger: Ledger,
        pipelines: Mapping[str, Pipeline],
        artifacts: AnswerStore,
        clock: Clock,
        retry_policy: RetryPolicy,
        limiter: ProviderLimiter | None = None,
    ) -> None:
        self._limiter = limiter or ProviderLimiter(ledger, clock, {})
        self.ledger = ledger
        self.clock = clock
        self._ledger = ledger
        self._pipelines = pipelines
        self._artifacts = artifacts
        self._clock = clock
        self._retry_policy = retry_policy
        self._stopping = False
        #: The stages of runs in all pipelines, without follow-ups.
        self.stages = tuple({name: None for pipeline in pipelines.values() for name in pipeline.stage_names})

    def stop(self) -> None:
        """Start no more provider calls: a call that is cancelled after the grace period may have been paid for."""
        self._stopping = True

    async def execute(
        self, job: ClaimedJob, held: HeldLease, *, keep: Callable[[str], bool]
    ) -> Settlement | None:
        """Run the stage; None if the lease is lost, so that nothing may be written.

        ``keep`` returns whether the worker keeps the lease for the given next stage.
        """
        pipeline = self._pipelines.get(job.pipeline)
        entry = pipeline.entry(job.stage) if pipeline else None
        if pipeline is None or entry is None:
            return self._unknown(job)
        provider_calls = ProviderCallCache(
            self._ledger, self._artifacts, self._clock, self._limiter, held, job, lambda: self._stopping
        )
        try:
            outcome = await self._run(entry, job, held, provider_calls)
        except LeaseLost:
            return None
        except (WorkerStopping, ChildKilled):
            return Release(job.lease)
        except SuspendStage as suspended:
            outcome = suspended.suspend
        except Rejected as rejected:
            outcome = Reject(rejected.reason, provider=rejected.provider)
        except Refused as refused:
            outcome = Reject(str(refused), FailureType.PROVIDER_REFUSED)
        except StorageUnavailable as unavailable:
            policy = self._retry_policy.of_run(job.policy)
            wait = policy.storage_retry_seconds * policy.backoff_scale
            until = self._clock.now() + timedelta(seconds=wait)
            outcome = Suspend(until, WaitingReason.STORAGE, detail=str(unavailable))
        except Exception as error:
            return self.failed(job, error)
        settlement = self._settlement(pipeline, job, outcome, keep)
        if isinstance(settlement, Suspended):
            answered = provider_calls.answered_by_provider > 0
            patience = self._retry_policy.of_run(job.policy).patience
            return patience.settle(job, settlement, self._clock.now(), answered=answered)
        return settlement

    async def _run(
        self, entry: StageEntry, job: ClaimedJob, held: HeldLease, provider_calls: ProviderCallCache
    ) -> Outcome:
        outcome = await entry.stage(JobContext(job, held, self._ledger, self._clock, provider_calls))
        if isinstance(outcome, Done) and provider_calls.made + provider_calls.reused:
            calls = {
                "made": provider_calls.made,
                "reused": provider_calls.reused,
                "cost": provider_calls.cost,
            }
            return replace(outcome, result={**outcome.result, "calls": calls})
        return outcome

    def _settlement(
        self, pipeline: Pipeline, job: ClaimedJob, outcome: Outcome, keep: Callable[[str], bool]
    ) -> Settlement:
        match outcome:
            case Done(result=result, writes=writes):
                next_stage = pipeline.after(job.stage)
                attempts = self._retry_policy.of_run(job.policy).max_attempts
                if next_stage is not None:
                    return Advance(
                        job.lease, next_stage, attempts, result, keep=keep(next_stage), writes=writes
                    )
                follow_ups = () if job.follow_up else tuple(entry.name for entry in pipeline.follow_ups)
                return Finish(job.lease, result, follow_ups, attempts, writes)
            case Suspend():
                payload = _suspended_payload(job, outcome)
                return Suspended(
                    job.lease, outcome.until, outcome.reason, outcome.provider, outcome.detail, payload
                )
            case Reject(reason=reason, failure_type=failure_type, provider=provider):
                return Fail(
                    job.lease,
                    reason,
                    self._clock.now(),
                    final=True,
                    failure_type=failure_type,
                    rejected_by=provider,
                )

    def failed(self, job: ClaimedJob, error: Exception) -> Fail:
        """The settlement of a failed attempt: the error, the code location and the time of the next attempt."""
        if isinstance(error, ChildCrashed):
            return self.crashed(job, error)
        frames = traceback.extract_tb(error.__traceback__)[-1:]
        place = (
            f" ({frames[0].name} in {frames[0].filename.rsplit('/', 1)[-1]}:{frames[0].lineno})"
            if frames
            else ""
        )
        log.warning("stage %s of run %s failed: %s%s", job.stage, job.run_id, error_text(error), place)
        policy, now = self._retry_policy.of_run(job.policy), self._clock.now()
        jitter = None if policy.fixed_backoff else random.random()
        next_attempt = retry_at(now, job.attempts, jitter, scale=policy.backoff_scale)
        if isinstance(error, Throttled) and error.retry_after is not None:
            next_attempt = now + timedelta(seconds=error.retry_after)
        return Fail(job.lease, f"{error_text(error)}{place}", next_attempt, error_code=error_code(error))

    def crashed(self, job: ClaimedJob, error: ChildCrashed) -> Fail:
        """The settlement of a job that ended a child process, which ran nothing else at that time."""
        crashes, limit = job.crashes + 1, self._retry_policy.max_crashes
        log.warning("stage %s of run %s crashed, %d of %d: %s", job.stage, job.run_id, crashes, limit, error)
        next_try = retry_at(
            self._clock.now(), job.crashes, random.random(), scale=self._retry_policy.backoff_scale
        )
        return Fail(
            job.lease,
            f"{error} This is crash {crashes} of {limit} during the stage {stage_label(job.stage)}.",
            next_try,
            failure_type=FailureType.QUARANTINED,
            crashed=True,
            max_crashes=limit,
        )

    def _unknown(self, job: ClaimedJob) -> Suspended:
        """Suspend a job of a stage that only another version of the program knows."""
        later = self._clock.now() + timedelta(seconds=30)
        stage = f"{job.pipeline}/{job.stage}"
        return Suspended(job.lease, later, WaitingReason.UNKNOWN_STAGE, detail=stage)
