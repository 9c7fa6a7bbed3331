"""Runs the stage of one job and converts its outcome or exception into a settlement."""

from __future__ import annotations

import logging
import random
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from types import MappingProxyType

from towpath.clock import Clock
from towpath.errors import (
    BlobMissing,
    DatabaseUnavailable,
    LeaseLost,
    Refused,
    Rejected,
    StorageUnavailable,
    Throttled,
    WorkerStopping,
)
from towpath.ledger.contract.ledger import Ledger
from towpath.ledger.contract.settlements import Advance, Fail, Finish, Release, Settlement, Suspended
from towpath.ledger.database_errors import error_code, error_text
from towpath.lifecycle.backoff import retry_at
from towpath.model.job import ClaimedJob, WaitingReason
from towpath.model.job_payload import as_waiting, is_forced
from towpath.model.json_types import Json
from towpath.model.outcome import Done, Outcome, Reject, Suspend
from towpath.model.run import FailureType
from towpath.model.run_policy import RunPolicy, read_policy
from towpath.model.run_stages import READING_STAGE, RunStages, read_run_stages
from towpath.pipelines.pipeline import Pipeline, StageEntry
from towpath.pipelines.stage_labels import stage_label
from towpath.process_runner import ChildCrashed, ChildKilled, WorkOrigin, work_origin
from towpath.stages.contract import SuspendStage
from towpath.storage.disk_errors import FULL_MESSAGE, is_disk_full
from towpath.worker.heartbeat import HeldLease
from towpath.worker.job_context import PROGRESS_INTERVAL, CheckpointNeeded, JobContext, Unseal
from towpath.worker.pause_check import PauseCheck
from towpath.worker.provider_calls import LargeAnswerStore, ProviderCallCache
from towpath.worker.provider_limiter import ProviderLimiter
from towpath.worker.provider_patience import ProviderPatience

log = logging.getLogger(__name__)

#: Stages that take some milliseconds for a text up to this size, if they make no provider call but brief ones.
SHORT_STAGES = frozenset({"save_markdown", "chunk", "embed", "publish"})
SHORT_TEXT_BYTES = 65_536


def _stages_of_runs(
    pipelines: Mapping[str, Pipeline], all_stages: Mapping[str, StageEntry]
) -> tuple[str, ...]:
    listed = [name for pipeline in pipelines.values() for name in pipeline.stage_names]
    others = {
        entry.name
        for pipeline in pipelines.values()
        for entry in (*pipeline.follow_ups, *pipeline.maintenance)
    }
    removed = [entry.name for entry in all_stages.values() if entry.name not in others]
    return tuple(dict.fromkeys((*listed, *removed)))


#: Suspensions before any call to the provider: a retry that a person asked for is still to be made.
BEFORE_THE_CALL = frozenset(
    {
        WaitingReason.PROVIDER_LIMIT,
        WaitingReason.SAME_CALL_ELSEWHERE,
        WaitingReason.STORAGE,
        WaitingReason.PAUSED,
    }
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
        artifacts: LargeAnswerStore,
        clock: Clock,
        retry_policy: RetryPolicy,
        limiter: ProviderLimiter | None = None,
        require_disk_space: Callable[[], None] = lambda: None,
        all_stages: Mapping[str, StageEntry] = MappingProxyType({}),
        pauses: PauseCheck | None = None,
        progress_interval: float = PROGRESS_INTERVAL,
        unseal: Unseal | None = None,
    ) -> None:
        """``require_disk_space`` raises StorageUnavailable while nothing should be stored.

        ``all_stages`` are the stages of this installation by key: a run may need one that its pipeline no longer has.
        """
        self._pauses = pauses
        self._progress_interval = progress_interval
        self._unseal = unseal
        self._require_disk_space = require_disk_space
        self._limiter = limiter or ProviderLimiter(ledger, clock, {})
        self.ledger = ledger
        self.clock = clock
        self._ledger = ledger
        # Both are read for each job.
        self._entries = {
            (pipeline, entry.name): entry for pipeline, it in pipelines.items() for entry in it.entries
        }
        self._stages_of_new_runs = {name: it.stages_of_new_runs() for name, it in pipelines.items()}
        self._all_stages = all_stages
        self._artifacts = artifacts
        self._clock = clock
        self._retry_policy = retry_policy
        self._stopping = False
        #: The stages of runs in all pipelines, and those that a pipeline may have had before; without follow-ups.
        self.stages = _stages_of_runs(pipelines, all_stages)

    def stop(self) -> None:
        """Start no more provider calls: a call that is cancelled after the grace period may have been paid for."""
        self._stopping = True

    async def execute(
        self, job: ClaimedJob, held: HeldLease, *, keep: Callable[[str], bool]
    ) -> Settlement | None:
        """Run the stage; None if the lease is lost, so that nothing may be written.

        ``keep`` returns whether the worker keeps the lease for the given next stage. Raises CheckpointNeeded if the
        job is not stored yet and the stage writes about it.
        """
        stages = self._stages_of(job)
        entry = None if stages is None else self._find_stage(job, stages)
        if stages is None or entry is None:
            return self._unknown(job)
        provider_calls = ProviderCallCache(
            self._ledger, self._artifacts, self._clock, self._limiter, held, job, lambda: self._stopping
        )
        context = JobContext(
            job,
            held,
            self._ledger,
            self._clock,
            provider_calls,
            self._progress_interval,
            unseal=self._unseal,
        )
        has_failed = job.attempts > 0 or job.crashes > 0 or job.suspect
        work_origin.set(WorkOrigin(job.document_id, has_failed))
        try:
            self._require_disk_space()
            if self._pauses is not None:
                await self._pauses.stage(job.stage)
            outcome = await self._run(entry, context)
        except CheckpointNeeded:
            raise
        except LeaseLost:
            return None
        except (WorkerStopping, ChildKilled):
            return Release(job.lease)
        except SuspendStage as suspended:
            outcome = suspended.suspend
        except Rejected as rejected:
            outcome = Reject(rejected.reason, provider=rejected.provider, code=rejected.code)
        except Refused as refused:
            outcome = Reject(str(refused), FailureType.PROVIDER_REFUSED)
        except BlobMissing as missing:
            # No attempt can find the file; a new run of the same bytes can, once they are uploaded or restored.
            return Fail(
                job.lease, str(missing), self._clock.now(), final=True, failure_type=FailureType.STAGE_FAILED
            )
        except (StorageUnavailable, DatabaseUnavailable) as unavailable:
            outcome = self._wait_for_storage(job, str(unavailable))
        except Exception as error:
            if not is_disk_full(error):
                return self.failed(job, error)
            outcome = self._wait_for_storage(job, FULL_MESSAGE)
        answered = provider_calls.answered_by_provider > 0
        settlement = self._settlement_of(stages, job, outcome, keep, answered=answered)
        if not isinstance(settlement, Advance | Finish):
            return settlement
        writes = (*settlement.writes, *provider_calls.unstored)
        return replace(settlement, writes=writes, progress=context.last_progress or settlement.progress)

    def settlement(
        self, job: ClaimedJob, outcome: Outcome, keep: Callable[[str], bool], *, answered: bool
    ) -> Settlement:
        """The settlement of an outcome. ``answered``: the provider answered a call of the job since its claim."""
        stages = self._stages_of(job)
        if stages is None or self._find_stage(job, stages) is None:
            return self._unknown(job)
        return self._settlement_of(stages, job, outcome, keep, answered=answered)

    def _settlement_of(
        self,
        stages: RunStages,
        job: ClaimedJob,
        outcome: Outcome,
        keep: Callable[[str], bool],
        *,
        answered: bool,
    ) -> Settlement:
        settlement = self._settlement(stages, job, outcome, keep)
        if isinstance(settlement, Suspended):
            patience = self._retry_policy.of_run(job.policy).patience
            return patience.settle(job, settlement, self._clock.now(), answered=answered)
        return settlement

    def needs_no_checkpoint(self, job: ClaimedJob, advance: Advance) -> bool:
        """Whether the next stage may run before ``advance`` is settled: after a crash little work is done again.

        A job that failed before gets each of its checkpoints, so that the stage at fault is known.
        """
        if (
            advance.next_stage not in SHORT_STAGES
            or job.attempts
            or job.crashes
            or job.suspect
            or job.follow_up
        ):
            return False
        extracted = {**job.results, job.stage: advance.result}.get("extract", {})
        size = extracted.get("markdown_bytes")
        return isinstance(size, int) and size <= SHORT_TEXT_BYTES

    def _stages_of(self, job: ClaimedJob) -> RunStages | None:
        """The stages stored with the run; those of its pipeline for a run of an earlier version."""
        return read_run_stages(job.options) or self._stages_of_new_runs.get(job.pipeline)

    def _find_stage(self, job: ClaimedJob, stages: RunStages) -> StageEntry | None:
        if (entry := self._all_stages.get(stages.key(job.stage))) is not None:
            return entry
        return self._entries.get((job.pipeline, job.stage))

    def _wait_for_storage(self, job: ClaimedJob, detail: str) -> Suspend:
        policy = self._retry_policy.of_run(job.policy)
        wait = policy.storage_retry_seconds * policy.backoff_scale
        return Suspend(self._clock.now() + timedelta(seconds=wait), WaitingReason.STORAGE, detail=detail)

    async def _run(self, entry: StageEntry, context: JobContext) -> Outcome:
        outcome = await entry.stage(context)
        provider_calls = context.provider_calls
        if isinstance(outcome, Done) and provider_calls.made + provider_calls.reused:
            calls = {
                "made": provider_calls.made,
                "reused": provider_calls.reused,
                "cost": provider_calls.cost,
            }
            return replace(outcome, result={**outcome.result, "calls": calls})
        return outcome

    def _settlement(
        self, stages: RunStages, job: ClaimedJob, outcome: Outcome, keep: Callable[[str], bool]
    ) -> Settlement:
        match outcome:
            case Done(result=result, writes=writes):
                next_stage = None if job.follow_up else stages.after(job.stage, job.results)
                attempts = self._retry_policy.of_run(job.policy).max_attempts
                if next_stage is not None:
                    return Advance(
                        job.lease,
                        next_stage,
                        attempts,
                        result,
                        keep=keep(next_stage),
                        writes=writes,
                        sealed_password=None if job.stage == READING_STAGE else job.sealed_password,
                    )
                follow_ups = () if job.follow_up else stages.follow_ups
                return Finish(job.lease, result, follow_ups, attempts, writes)
            case Suspend():
                payload = _suspended_payload(job, outcome)
                return Suspended(
                    job.lease, outcome.until, outcome.reason, outcome.provider, outcome.detail, payload
                )
            case Reject(reason=reason, failure_type=failure_type, provider=provider, code=code):
                return Fail(
                    job.lease,
                    reason,
                    self._clock.now(),
                    final=True,
                    failure_type=failure_type,
                    rejected_by=provider,
                    rejection_code=code,
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
