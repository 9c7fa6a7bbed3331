"""Makes each provider call once and caches its answer in the ledger, for calls and long-running operations."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Protocol, TypeVar, cast

from towpath import tracing
from towpath.clock import Clock
from towpath.errors import (
    Ambiguous,
    DatabaseUnavailable,
    OperationLost,
    ProviderError,
    Rejected,
    StorageUnavailable,
    WorkerStopping,
)
from towpath.ledger.contract.ledger import Ledger
from towpath.ledger.contract.provider_calls import (
    CallAnswer,
    CallCached,
    CallInProgress,
    CallRequest,
    CallReserved,
    CallRunning,
)
from towpath.lifecycle.backoff import poll_delay
from towpath.model.job import ClaimedJob, WaitingReason
from towpath.model.job_payload import is_forced
from towpath.model.json_types import Json
from towpath.model.outcome import Suspend
from towpath.model.poll_state import PollState
from towpath.model.provider_answer import Answer, Pending
from towpath.model.writes import StoreAnswer
from towpath.stages.contract import ProviderCall, SuspendStage
from towpath.worker.heartbeat import HeldLease
from towpath.worker.provider_limiter import ProviderLimiter

T = TypeVar("T")

#: Answers up to this size are stored in the row of the call; larger ones as blobs.
INLINE_BYTES = 65_536
#: The same for a call with `as_blob`, whose blob is also the stored result of its stage.
SHARED_BLOB_BYTES = 8_192


class LargeAnswerStore(Protocol):
    """Stores answers that are too large for the row of their call."""

    async def put(self, org_id: str, key: str, body: bytes) -> str: ...
    async def get(self, org_id: str, key: str) -> bytes: ...


def call_key(call: ProviderCall, salt: str = "") -> str:
    """The cache key: equal for equal provider, model, parameters and input, in any document.

    ``salt`` separates the calls of one run from the cache: a person asked to reprocess without cached answers.
    """
    identity = [call.provider, call.model, sorted(call.parameters.items()), call.input_hash]
    if salt:
        identity.append(salt)
    return hashlib.sha256(json.dumps(identity, ensure_ascii=False).encode()).hexdigest()


class ProviderCallCache:
    """The provider calls of one job: answered from the cache, or made under the limits and then cached."""

    def __init__(
        self,
        ledger: Ledger,
        artifacts: LargeAnswerStore,
        clock: Clock,
        limiter: ProviderLimiter,
        held: HeldLease,
        job: ClaimedJob,
        is_stopping: Callable[[], bool] = lambda: False,
    ) -> None:
        self._ledger = ledger
        self._artifacts = artifacts
        self._clock = clock
        self._limiter = limiter
        self._held = held
        self._is_stopping = is_stopping
        self._org_id = job.org_id
        self._run_id = job.run_id
        self._payload = job.payload
        self._forced = is_forced(job.payload)
        self._salt = str(job.options.get("salt", ""))
        #: What the run was promised; None leaves it to the limiter's settings.
        uses_attempt = job.policy.get("throttle_uses_attempt")
        self._throttle_uses_attempt = None if uses_attempt is None else bool(uses_attempt)
        #: Calls that this job made, cached answers that it reused, and the cost of the calls made.
        self.made = 0
        self.reused = 0
        self.cost = 0.0
        #: The answers of brief calls, to be stored with the settlement of the job.
        self.unstored: list[StoreAnswer] = []
        #: Calls and polls that the provider answered.
        self.answered_by_provider = 0

    async def call_once(self, call: ProviderCall, make: Callable[[], Awaitable[Answer]]) -> Answer:
        key = call_key(call, self._salt)
        if call.is_brief and (call.is_new or not await self._ledger.has_answer(self._org_id, key)):
            return await self._call_brief(call, key, make)
        match await self._begin(call, key):
            case CallCached(answer=answer, artifact=artifact):
                return await self._decode_answer(answer, artifact)
            case _:
                answer = await self._attempt(call, key, make)
                return await self._save_answer(call, key, answer)

    async def _call_brief(
        self, call: ProviderCall, key: str, make: Callable[[], Awaitable[Answer]]
    ) -> Answer:
        """Make the call without an intent, and keep its answer for the settlement of the job."""
        self._held.check()
        await self._limiter.acquire(call.provider, requests=1, tokens=call.tokens, forced=self._forced)
        started_at = self._clock.now()
        async with self._limiter.observe(
            call.provider, forced=self._forced, uses_attempt=self._throttle_uses_attempt
        ):
            answer = await self._traced(call, make)
        self.made += 1
        stored = await self._retry_write(lambda: self._encode_answer(call, key, answer))
        self.unstored.append(
            StoreAnswer(
                key,
                call.provider,
                call.model,
                stored.answer,
                stored.artifact,
                stored.units,
                stored.cost,
                started_at,
                self._clock.now(),
            )
        )
        return replace(answer, blob_key=stored.artifact)

    async def answered(self, calls: Sequence[ProviderCall]) -> list[bool]:
        keys = [call_key(call, self._salt) for call in calls]
        answered = await self._ledger.answered_calls(self._org_id, keys)
        return [key in answered for key in keys]

    async def start_once(self, call: ProviderCall, start: Callable[[], Awaitable[str]]) -> str | None:
        key = call_key(call, self._salt)
        match await self._begin(call, key):
            case CallCached():
                return None
            case CallRunning(operation_id=operation_id):
                return operation_id
            case _:
                operation_id = await self._attempt(call, key, start)
                await self._save_operation_id(key, operation_id)
                return operation_id

    async def run_operation(
        self,
        call: ProviderCall,
        start: Callable[[], Awaitable[str]],
        poll: Callable[[str], Awaitable[Pending | Answer]],
        max_seconds: float | None,
    ) -> Answer:
        key = call_key(call, self._salt)
        match await self._begin(call, key):
            case CallCached(answer=answer, artifact=artifact):
                return await self._decode_answer(answer, artifact)
            case CallRunning(operation_id=operation_id):
                pass
            case _:
                operation_id = await self._attempt(call, key, start)
                await self._save_operation_id(key, operation_id)
        answer = await self._poll(call, key, operation_id, poll, max_seconds)
        return await self._save_answer(call, key, answer)

    async def _begin(self, call: ProviderCall, key: str) -> CallReserved | CallCached | CallRunning:
        self._held.check()
        request = CallRequest(key, call.provider, call.model)
        state = await self._ledger.begin_call(self._held.lease, request, self._clock.now())
        if isinstance(state, CallInProgress):
            soon = min(state.until, self._clock.now() + timedelta(seconds=2))
            raise SuspendStage(Suspend(soon, WaitingReason.SAME_CALL_ELSEWHERE, call.provider))
        self._held.check()
        return state

    async def _attempt(self, call: ProviderCall, key: str, make: Callable[[], Awaitable[T]]) -> T:
        if self._is_stopping():
            await self._ledger.fail_call(self._held.lease, key, "not made yet: the worker is stopping")
            raise WorkerStopping(f"The call to {call.provider} is not made: the worker is stopping.")
        try:
            await self._limiter.acquire(call.provider, requests=1, tokens=call.tokens, forced=self._forced)
        except SuspendStage as suspended:
            await self._ledger.fail_call(self._held.lease, key, f"not made yet: {suspended}")
            raise
        async with self._limiter.observe(
            call.provider, forced=self._forced, uses_attempt=self._throttle_uses_attempt
        ):
            self._held.check()
            try:
                return await self._traced(call, make)
            except Ambiguous:
                # It may have been paid for: the row stays reserved, so that the next try is recorded as a repetition.
                raise
            except (ProviderError, Rejected, SuspendStage, WorkerStopping) as error:
                # The last two come from a call inside this one: a batch of a long scan.
                await self._ledger.fail_call(self._held.lease, key, str(error))
                raise

    async def _traced(self, call: ProviderCall, make: Callable[[], Awaitable[T]]) -> T:
        with tracing.provider_call_span(call.provider, call.model):
            result = await make()
        self.answered_by_provider += 1
        return result

    async def _poll(
        self,
        call: ProviderCall,
        key: str,
        operation_id: str,
        poll: Callable[[str], Awaitable[Pending | Answer]],
        max_seconds: float | None,
    ) -> Answer:
        # A poll starts no work: it respects throttling, but does not count against the rate limits.
        await self._limiter.acquire(call.provider, forced=self._forced)
        async with self._limiter.observe(
            call.provider, forced=self._forced, uses_attempt=self._throttle_uses_attempt
        ):
            try:
                state = await poll(operation_id)
                self.answered_by_provider += 1
            except (Rejected, OperationLost) as error:
                await self._ledger.fail_call(self._held.lease, key, str(error))
                raise
        if isinstance(state, Answer):
            return state
        now = self._clock.now()
        polled = PollState.read(self._payload, self._run_id, now).of_operation(operation_id, now)
        assert polled.operation_since is not None
        seconds = (now - polled.operation_since).total_seconds()
        if max_seconds is not None and seconds > max_seconds:
            late = OperationLost(
                f"{call.provider} has not finished the operation {operation_id} in {seconds:.0f} seconds."
            )
            await self._ledger.fail_call(self._held.lease, key, str(late))
            raise late
        wait = state.retry_after if state.retry_after is not None else poll_delay(polled.polls)
        until = now + timedelta(seconds=wait)
        payload = polled.increment().write(self._payload)
        raise SuspendStage(Suspend(until, WaitingReason.PROVIDER_OPERATION, call.provider, payload=payload))

    async def _save_answer(self, call: ProviderCall, key: str, answer: Answer) -> Answer:
        self.made += 1
        self.cost += answer.cost

        async def write() -> Answer:
            encoded = await self._encode_answer(call, key, answer)
            await self._ledger.save_answer(self._held.lease, key, encoded, self._clock.now())
            return replace(answer, blob_key=encoded.artifact)

        return await self._retry_write(write)

    async def _save_operation_id(self, key: str, operation_id: str) -> None:
        await self._retry_write(lambda: self._ledger.save_operation_id(self._held.lease, key, operation_id))

    async def _retry_write(self, write: Callable[[], Awaitable[T]]) -> T:
        """Write, and retry while the database or the storage is unavailable, until the lease is lost.

        The answer was paid for and exists only in memory.
        """
        while True:
            try:
                return await write()
            except (DatabaseUnavailable, StorageUnavailable):
                self._held.check()
                await asyncio.sleep(0.5)

    async def _encode_answer(self, call: ProviderCall, key: str, answer: Answer) -> CallAnswer:
        small = len(answer.body) <= (SHARED_BLOB_BYTES if call.as_blob else INLINE_BYTES)
        artifact = None if small else await self._artifacts.put(self._org_id, f"answers/{key}", answer.body)
        inline = {"base64": base64.b64encode(answer.body).decode()} if small else None
        return CallAnswer(inline, artifact, answer.units, answer.cost)

    async def _decode_answer(self, answer: Json | None, artifact: str | None) -> Answer:
        self.reused += 1
        if artifact is not None:
            return Answer(await self._artifacts.get(self._org_id, artifact), blob_key=artifact)
        return Answer(base64.b64decode(cast("str", (answer or {})["base64"])))
