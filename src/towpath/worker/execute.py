"""One job: run its stage, and turn whatever comes of it into a settlement."""

from __future__ import annotations

import asyncio
import logging
import random
import traceback
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from towpath.clock import Clock
from towpath.errors import LeaseLost, Refused, Rejected, StorageUnavailable, Throttled
from towpath.ledger.contract import Advance, Fail, Finish, Ledger, Settlement, Suspended
from towpath.lifecycle.retry import retry_at
from towpath.model.payload import BY_HAND, as_waiting
from towpath.model.work import Claimed, Done, FailureType, Json, Outcome, Reject, Suspend
from towpath.model.writes import Write
from towpath.pipelines.pipeline import Pipeline, Step
from towpath.providers.contract import Answer, Pending
from towpath.stages.contract import PaidCall, Postpone
from towpath.worker.governor import Governor
from towpath.worker.memory import Artifacts, Memory
from towpath.worker.pulse import Held

log = logging.getLogger(__name__)

#: Progress is written at most this often for one job.
PROGRESS_EVERY = 0.5


@dataclass(slots=True)
class JobContext:
    """A stage's view of its job. Every door to the outside checks the lease first."""

    job: Claimed
    held: Held
    ledger: Ledger
    clock: Clock
    memory: Memory
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
    def known(self) -> Mapping[str, Json]:
        return self.job.known

    @property
    def last_attempt(self) -> bool:
        return self.job.attempts + 1 >= self.job.max_attempts

    def now(self) -> datetime:
        return self.clock.now()

    def check(self) -> None:
        self.held.check()

    async def progress(self, done: int, total: int) -> None:
        self.held.check()
        moment = asyncio.get_running_loop().time()
        if moment < self._next_progress and done < total:
            return
        self._next_progress = moment + PROGRESS_EVERY
        await self.ledger.progress(self.held.lease, done, total, self.clock.now())

    async def write(self, *writes: Write) -> None:
        self.held.check()
        await self.ledger.write(self.held.lease, writes)

    async def once(self, call: PaidCall, make: Callable[[], Awaitable[Answer]]) -> Answer:
        return await self.memory.once(call, make)

    async def started(self, call: PaidCall, start: Callable[[], Awaitable[str]]) -> str | None:
        return await self.memory.started(call, start)

    async def operation(
        self,
        call: PaidCall,
        start: Callable[[], Awaitable[str]],
        poll: Callable[[str], Awaitable[Pending | Answer]],
    ) -> Answer:
        return await self.memory.operation(call, start, poll)


def _put_back(job: Claimed, payload: Json | None) -> Json | None:
    """What a job that is suspended carries on; None leaves it as it is."""
    if payload is None and BY_HAND not in job.payload:
        return None
    return as_waiting(job.payload if payload is None else payload)


@dataclass(frozen=True, slots=True)
class Rules:
    """How outcomes become settlements."""

    max_attempts: int = 5
    backoff_scale: float = 1.0
    throttle_seconds: float = 15.0


class Executor:
    def __init__(
        self,
        ledger: Ledger,
        pipelines: Mapping[str, Pipeline],
        artifacts: Artifacts,
        clock: Clock,
        rules: Rules,
        governor: Governor | None = None,
    ) -> None:
        self._governor = governor or Governor(ledger, clock, {})
        self._ledger = ledger
        self._pipelines = pipelines
        self._artifacts = artifacts
        self._clock = clock
        self._rules = rules
        #: What runs are made of, in every pipeline; follow-ups are not of them.
        self.stages = tuple({name: None for pipeline in pipelines.values() for name in pipeline.stages})

    async def execute(self, job: Claimed, held: Held, *, keep: Callable[[str], bool]) -> Settlement | None:
        """Run the stage; None when there is nothing left to say because the lease is lost.

        ``keep`` tells whether the lease is wanted for the stage that follows.
        """
        pipeline = self._pipelines.get(job.pipeline)
        step = pipeline.step(job.stage) if pipeline else None
        if pipeline is None or step is None:
            return self._unknown(job)
        try:
            outcome = await self._run(step, job, held)
        except LeaseLost:
            return None
        except Postpone as postpone:
            outcome = postpone.suspend
        except Rejected as rejected:
            outcome = Reject(rejected.reason)
        except Refused as refused:
            outcome = Reject(str(refused), FailureType.PROVIDER_REFUSED)
        except Throttled as throttled:
            wait = (
                throttled.retry_after if throttled.retry_after is not None else self._rules.throttle_seconds
            )
            outcome = Suspend(self._clock.now() + timedelta(seconds=wait), str(throttled))
        except StorageUnavailable as unavailable:
            wait = self._rules.throttle_seconds * self._rules.backoff_scale
            outcome = Suspend(self._clock.now() + timedelta(seconds=wait), str(unavailable))
        except Exception as error:
            return self.failed(job, error)
        return self._settlement(pipeline, job, outcome, keep)

    async def _run(self, step: Step, job: Claimed, held: Held) -> Outcome:
        memory = Memory(self._ledger, self._artifacts, self._clock, self._governor, held, job)
        outcome = await step.stage(JobContext(job, held, self._ledger, self._clock, memory))
        if isinstance(outcome, Done) and memory.made + memory.reused:
            calls = {"made": memory.made, "reused": memory.reused, "cost": memory.cost}
            return replace(outcome, result={**outcome.result, "calls": calls})
        return outcome

    def _settlement(
        self, pipeline: Pipeline, job: Claimed, outcome: Outcome, keep: Callable[[str], bool]
    ) -> Settlement:
        match outcome:
            case Done(result=result, writes=writes):
                following = pipeline.after(job.stage)
                attempts = self._rules.max_attempts
                if following is not None:
                    return Advance(
                        job.lease, following, attempts, result, keep=keep(following), writes=writes
                    )
                follow_ups = () if job.follow_up else tuple(step.name for step in pipeline.follow_ups)
                return Finish(job.lease, result, follow_ups, attempts, writes)
            case Suspend(until=until, waiting_for=waiting_for, payload=payload):
                return Suspended(job.lease, until, waiting_for, _put_back(job, payload))
            case Reject(reason=reason, failure_type=failure_type):
                return Fail(job.lease, reason, self._clock.now(), final=True, failure_type=failure_type)

    def failed(self, job: Claimed, error: Exception) -> Fail:
        """One attempt is used up; the words say what happened and where."""
        where = traceback.extract_tb(error.__traceback__)[-1:]
        place = (
            f" ({where[0].name} in {where[0].filename.rsplit('/', 1)[-1]}:{where[0].lineno})" if where else ""
        )
        log.warning("stage %s of run %s failed: %s%s", job.stage, job.run_id, error, place)
        again = retry_at(self._clock.now(), job.attempts, random.random(), scale=self._rules.backoff_scale)
        return Fail(job.lease, f"{type(error).__name__}: {error}{place}", again)

    def _unknown(self, job: Claimed) -> Suspended:
        """A stage from another version of the program: left for a worker that knows it."""
        later = self._clock.now() + timedelta(seconds=30)
        return Suspended(job.lease, later, f"a worker that knows the stage {job.pipeline}/{job.stage}")
